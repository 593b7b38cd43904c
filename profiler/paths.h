/* The call-path tree of one thread: nodes in the profile file, and the private table that finds a node from its parent
 * and function. Open addressing, sparse, so that the first probe nearly always decides: its cost does not depend on the
 * number of children or on the order of calls. Only the owning thread uses it; creation with signals blocked. */
#ifndef PCOMP_PATHS_H
#define PCOMP_PATHS_H

#include "profiler/hot.h"

#include <stdbool.h>
#include <stddef.h>

extern uint64_t paths_base; /* address of the profile file's mapping; entries count 64-byte units from it */

static inline uint64_t path_hash(uint64_t parent, uint64_t function)
{
    return ((parent * 0xff51afd7ed558ccdu + function) * 0x9e3779b97f4a7c15u) >> 32;
}

/* The node of `function` under `parent` (addresses), NULL when this path was never entered. */
static inline struct pcomp_node *path_find(const struct hot *h, uint64_t parent, uint64_t function)
{
    const uint32_t *table = (const uint32_t *)(uintptr_t)h->table;
    for (uint64_t i = path_hash(parent, function);; i++) {
        uint32_t entry = table[i & h->table_mask];
        if (!entry)
            return NULL;
        struct pcomp_node *node = (struct pcomp_node *)(uintptr_t)(paths_base + ((uint64_t)entry << 6));
        if (node->function == function && node->parent == parent)
            return node;
    }
}

/* Gives a thread its table, root and beyond-limit node. False: no memory. */
bool paths_start(struct hot *h);

/* Creates the node of `function` under `parent`; a skipped function gets a node that only counts. With `in_table` it is
 * found by path_find from then on. NULL: node limit or no room (counted in header.stopped). */
struct pcomp_node *path_add(struct hot *h, struct pcomp_node *parent, uint64_t function, uint32_t function_id,
                            bool skipped, bool in_table);

/* The cold part of a node of this thread. */
struct pcomp_node_extra *path_extra(const struct hot *h, const struct pcomp_node *node);

/* Frees the private table when the thread ends. */
void paths_end(struct hot *h);

/* Marks nodes of all threads whose function lies in [start, end) as gone. */
void paths_mark_gone(uint64_t start, uint64_t end);

#endif
