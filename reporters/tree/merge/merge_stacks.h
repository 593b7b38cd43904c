/* Sampled call stacks of a profile (PCOMP_CHUNK_STACKS): nodes of the tree for functions whose calls were only counted,
 * and their times. The exclusive time of a timed function is clocked, and holds the time of the counted functions that
 * it calls: samples share it out among them. Internal to the data layer. */
#ifndef PCOMP_MERGE_STACKS_H
#define PCOMP_MERGE_STACKS_H

#include "reporters/tree/merge/merge_state.h"

/* Adds the stacks of a file whose nodes have their places. thread_of: as merge_threads left it. False: out of memory.
 */
bool merge_stacks(struct merge *m, const uint32_t *thread_of);

/* When all nodes are complete, but for the root, and their functions still those of the table: shares times out. False:
 * out of memory. */
bool stack_times_share(struct tree_builder *b);

/* After functions were summed: what counted functions contain that is timed, and so stands beside them in the tree. */
void stack_times_finish(struct tree_builder *b, const uint32_t *place);

#endif
