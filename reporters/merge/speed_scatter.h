#ifndef PCOMP_SPEED_SCATTER_H
#define PCOMP_SPEED_SCATTER_H

#include "reporters/merge/tree_builder.h"

/* Of each file that is read: the greatest counts. */
void speed_scatter_note(struct tree_builder *b, const struct pcomp_header *h);

/* When all times are there. */
void speed_scatter_finish(struct tree_builder *b);

#endif
