/* Two runs, function by function, in compensated time: differences above the uncertainty of both compensations. */
#ifndef PCOMP_DIFF_PAIR_H
#define PCOMP_DIFF_PAIR_H

#include "reporters/diff/diff_match.h"

/* Writes the whole document; an exit status, also of --fail-above. */
int diff_pair_write(struct call_tree *const trees[2], const char *const dirs[2], const struct diff_options *options);

#endif
