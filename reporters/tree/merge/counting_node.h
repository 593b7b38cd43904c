/* The node that stands for what counting in place cost and no sample places. */
#ifndef PCOMP_COUNTING_NODE_H
#define PCOMP_COUNTING_NODE_H

#include "reporters/tree/build/tree_builder.h"

/* Its index, while functions are named as in the table. 0: none. */
uint32_t counting_node_find(const struct tree_builder *b);

/* Puts it into the innermost activation that has all but a hundredth of the time: nearly all that was counted is in
 * there, and its inclusive time, and its callers', are less by that cost. Where there is none, it stays beside the
 * outermost ones. Before nodes are completed. */
void counting_node_place(struct tree_builder *b);

#endif
