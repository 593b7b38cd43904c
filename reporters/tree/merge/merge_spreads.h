/* The distribution of the times of activations, and the longest of them, of one profile file. Internal to merging. */
#ifndef PCOMP_MERGE_SPREADS_H
#define PCOMP_MERGE_SPREADS_H

#include "reporters/tree/merge/merge_state.h"

/* Of a node that has no record: one activation is its min, two are its min and top. False: out of memory. */
bool merge_few(struct merge *m, struct place at, const struct pcomp_node *node, const struct pcomp_node_extra *extra);

/* The records; all nodes have their places. False: damage (m->error), or no memory. */
bool merge_spreads(struct merge *m);

/* Of a complete node of the tree: forgets what is of another model, or not of all its activations. */
void spread_finish_node(const struct tree_builder *b, struct tree_node *node);

/* The longest activations into tree->longest, nodes and functions being those of the tree. False: out of memory. */
bool spread_finish_longest(struct tree_builder *b);

#endif
