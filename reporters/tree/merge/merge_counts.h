/* Calls that were counted in place (PCOMP_FLAG_COUNTS): the counters of a file become the N of its functions, and what
 * counting cost becomes a node below the root, whose compensated time is that cost below zero: which paths contain it
 * is not known, and so all exclusive times still add up to the totals. Internal to the data layer. */
#ifndef PCOMP_MERGE_COUNTS_H
#define PCOMP_MERGE_COUNTS_H

#include "reporters/profile/open_activations.h"
#include "reporters/tree/merge/merge_state.h"

/* Adds the counters of a file whose nodes and open activations have their places. thread_of: as merge_threads left it.
 * False: out of memory. */
bool merge_counts(struct merge *m, const struct open_activations *open, const uint32_t *thread_of);

/* Before functions are listed: makes the function that times of counted functions are shown as. False: out of memory.
 */
bool merge_counts_prepare(struct tree_builder *b);

/* After functions were summed over their nodes: N from the counters, no times where the level fell. place: where each
 * function of the table went. */
void merge_counts_finish(struct tree_builder *b, const uint32_t *place);

#endif
