/* Folding of a call tree for people: recursion into one call path, and functions into their callers. */
#ifndef PCOMP_FOLD_TREE_H
#define PCOMP_FOLD_TREE_H

#include "reporters/base/options.h"
#include "reporters/tree/call_tree.h"

struct fold_options {
    const struct option_list *functions; /* patterns as of --skip: their own time is their nearest kept caller's */
    bool recursion;                      /* all depths of a recursion are its outermost call path */
};

/* Sums of times are kept: exclusive time moves, inclusive times of what is kept stay. A function without a kept caller
 * stays. Uncertainties that meet are added. False: out of memory, the tree is as before. */
bool fold_tree(struct call_tree *tree, const struct fold_options *options);

#endif
