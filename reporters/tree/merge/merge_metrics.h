/* The metrics of --counters of one profile file. Internal to merging. */
#ifndef PCOMP_MERGE_METRICS_H
#define PCOMP_MERGE_METRICS_H

#include "reporters/tree/merge/merge_state.h"

/* The first file says which there are. False: out of memory. */
bool merge_metrics_take(struct tree_builder *b, const struct pcomp_header *h);

/* Adds those of a node of the file; none where the file has others than the first. */
void merge_metrics_add(struct merge *m, uint32_t merged, const struct pcomp_node_extra *extra);

#endif
