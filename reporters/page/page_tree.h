/* The call paths of a page: those of one profile, measured and compensated, or those of two profiles, compensated.
 *
 * Side 0 is what was measured, or the first profile; side 1 what is estimated, or the second one. Times are
 * nanoseconds and known: where a profile does not know a time, it is 0 and the node says so. */
#ifndef PCOMP_PAGE_TREE_H
#define PCOMP_PAGE_TREE_H

#include "reporters/tree/call_tree.h"

#define PAGE_NONE UINT32_MAX

struct page_times {
    double inclusive, exclusive;
    double waiting, waiting_inclusive; /* of these: blocked or preempted */
    double uncertainty;                /* half-width: of inclusive; of exclusive where two profiles are compared */
};

struct page_node {
    uint32_t function; /* index in page_tree.functions; PAGE_NONE: the sum of `paths` call paths that were left out */
    uint32_t parent, first_child, next_sibling; /* PAGE_NONE: none */
    bool unknown;                               /* its time is its callers': only its calls are known */
    bool open;                                  /* an activation had not ended */
    bool left_out;
    uint64_t paths; /* of a sum: how many it stands for */
    double calls[2];
    struct page_times side[2];
};

struct page_function {
    const struct tree_function *side[2]; /* of the profiles; NULL: not in this one. One profile: side[1] alone */
};

struct page_tree {
    const struct call_tree *profiles[2]; /* one profile: [1] alone */
    struct page_node *nodes;             /* [0] is the root */
    size_t node_count, room;
    struct page_function *functions;
    size_t function_count;
    uint32_t *function_of[2]; /* by function of the profile: index in functions */
};

/* before: NULL for a page of one profile. The profiles must outlive the result. False: out of memory. */
bool page_tree_make(struct page_tree *page, const struct call_tree *before, const struct call_tree *after);
void page_tree_free(struct page_tree *page);

/* The node behind `at` in depth-first order, PAGE_NONE at the end; *depth follows. */
uint32_t page_tree_next(const struct page_tree *page, uint32_t at, size_t *depth);

/* The function as it is named: of the second profile, or of the first where the second has none. */
const struct tree_function *page_function_named(const struct page_function *function);

/* A new node without times, which the caller links to its parent. PAGE_NONE: out of memory. */
uint32_t page_tree_add(struct page_tree *page, uint32_t parent, uint32_t function);

#endif
