/* What measuring one process cost, by function and thread: compensation/cost/observed_cost.h applied to the nodes of
 * its file. Filtered functions, which are in no tree, have their rows, too. Internal to the data layer. */
#ifndef PCOMP_MERGE_COSTS_H
#define PCOMP_MERGE_COSTS_H

#include "reporters/tree/merge/merge_state.h"

/* Adds the rows of a file whose nodes have their places; functions are indices of the function table until
 * merge_costs_finish. False: out of memory. */
bool merge_costs(struct merge *m);

/* Adds one row. False: out of memory. */
bool merge_costs_row(struct tree_builder *b, const struct tree_cost *row);

/* Combines the rows of one function and thread, sorts them, and gives functions the indices in place. What a trace took
 * besides its calls becomes the row of function 0. False: out of memory. */
bool merge_costs_finish(struct tree_builder *b, const uint32_t *place);

#endif
