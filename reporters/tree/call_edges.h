/* Who calls whom: the call-path tree summed over pairs (caller, callee).
 *
 * Calls count all; times count only calls of a callee that was not active already, so that the times of a callee's
 * pairs add up to its inclusive time, recursion or not. Calls from the threads' roots are pairs with the root function
 * as caller. */
#ifndef PCOMP_CALL_EDGES_H
#define PCOMP_CALL_EDGES_H

#include "reporters/tree/call_tree.h"

struct call_edge {
    uint32_t caller, callee; /* functions of the tree */
    uint64_t calls;
    uint64_t calls_within;                /* of any function, callee's own included, as times count them */
    double raw, compensated, uncertainty; /* inclusive, ns */
    double waiting, ready;                /* parts of compensated */
};

struct call_edges {
    struct call_edge *list; /* sorted by caller, then compensated, greatest first */
    size_t count;
    uint32_t *by_callee; /* indices, sorted by callee, then compensated, greatest first */
};

/* False: out of memory. */
bool call_edges_make(struct call_edges *edges, const struct call_tree *tree);
void call_edges_free(struct call_edges *edges);

/* First edge of the caller (index into list), or of the callee (index into by_callee); count when there is none. */
size_t call_edges_of_caller(const struct call_edges *edges, uint32_t caller);
size_t call_edges_of_callee(const struct call_edges *edges, uint32_t callee);

#endif
