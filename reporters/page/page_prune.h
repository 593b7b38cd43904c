/* Which call paths a page shows: the greatest by their share of the time, of either side. Those left out below one
 * parent become one node, their sum. */
#ifndef PCOMP_PAGE_PRUNE_H
#define PCOMP_PAGE_PRUNE_H

#include "reporters/page/page_tree.h"

struct page_pruned {
    uint64_t paths, left_out; /* all call paths; those left out */
    double largest, together; /* of those: greatest inclusive time, and sum of exclusive ones, ns; side 1 */
};

/* Leaves out all but `most` nodes (at least 1), and adds the sums of what was left out as last children. Once for a
 * tree; *result says what was done. False: out of memory. */
bool page_prune(struct page_tree *page, size_t max, struct page_pruned *result);

#endif
