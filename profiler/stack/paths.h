/* The call-path tree of one thread: nodes in the profile file, and the private table that finds a node from its parent
 * and function. Open addressing, sparse, so that the first probe nearly always decides: its cost does not depend on the
 * number of children or on the order of calls. Only the owning thread uses it; creation with signals blocked. */
#ifndef PCOMP_PATHS_H
#define PCOMP_PATHS_H

#include "profiler/base/thread_state.h"
#include "profiler/stack/path_extras.h"

#include <stdbool.h>
#include <stddef.h>

#define PATH_ROTATE   25
#define PATH_MULTIPLY 0x9e3779b97f4a7c15u

/* Slot of the first probe; `shift` is h->table_shift. */
static inline uint64_t path_slot(uint64_t parent, uint64_t function, uint64_t shift)
{
    return ((function ^ (parent << PATH_ROTATE | parent >> (64 - PATH_ROTATE))) * PATH_MULTIPLY) >> shift;
}

static inline struct pcomp_node *path_node(const struct thread_state *h, uint32_t entry)
{
    return (struct pcomp_node *)(uintptr_t)(h->base + ((uint64_t)entry << 6));
}

/* A handler that interrupts a look-up may replace the table by a greater one. The old one stays mapped, and the shift
 * is read first: an old shift leads nowhere past either table, and a miss is looked up again with signals blocked. */
static inline const uint32_t *path_table(const struct thread_state *h, uint64_t *shift)
{
    *shift = h->table_shift;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return (const uint32_t *)(uintptr_t)h->table;
}

/* The first probe of path_find. Of an empty slot it makes the file's header, whose first word is no function. */
static inline struct pcomp_node *path_probe(const struct thread_state *h, uint64_t parent, uint64_t function)
{
    uint64_t shift;
    const uint32_t *table = path_table(h, &shift);
    return path_node(h, table[path_slot(parent, function, shift)]);
}

/* The node of `function` under `parent` (addresses), NULL when this path was never entered. */
static inline struct pcomp_node *path_find(const struct thread_state *h, uint64_t parent, uint64_t function)
{
    uint64_t shift;
    const uint32_t *table = path_table(h, &shift);
    uint64_t mask = UINT64_MAX >> shift;
    for (uint64_t i = path_slot(parent, function, shift);; i++) {
        uint32_t entry = table[i & mask];
        if (!entry)
            return NULL;
        struct pcomp_node *node = path_node(h, entry);
        if (node->function == function && node->parent == parent)
            return node;
    }
}

/* The same, or the node that counts it where it is filtered. */
static inline struct pcomp_node *path_find_any(const struct thread_state *h, uint64_t parent, uint64_t function)
{
    struct pcomp_node *node = path_find(h, parent, function);
    return node ? node : path_find(h, parent, function | FRAME_SKIP_BIT);
}

/* Gives a thread its table, root and limit node. False: no memory. */
bool paths_start(struct thread_state *h);

/* Creates the node of `function` under `parent`; a skipped function gets a node that only counts. With `in_table` it is
 * found by path_find from then on; it may be one that was gone. NULL: node limit or no room (counted in
 * header.stopped). */
struct pcomp_node *path_add(struct thread_state *h, struct pcomp_node *parent, uint64_t function, uint32_t function_id,
                            bool skipped, bool in_table);

/* Frees the private table when the thread ends. */
void paths_end(struct thread_state *h);

/* Marks nodes of all threads whose function lies in [start, end) as gone. */
void paths_mark_gone(uint64_t start, uint64_t end);

#endif
