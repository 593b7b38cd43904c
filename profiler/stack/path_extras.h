/* The cold part of a call path's node. By the owning thread. */
#ifndef PCOMP_PATH_EXTRAS_H
#define PCOMP_PATH_EXTRAS_H

#include "profiler/base/thread_state.h"

static inline struct pcomp_node *chunk_node(const struct pcomp_chunk *c, uint32_t i)
{
    return (struct pcomp_node *)(c + 1) + i;
}

static inline struct pcomp_node_extra *chunk_extra(const struct thread_state *h, const struct pcomp_chunk *c,
                                                   uint32_t i)
{
    return (struct pcomp_node_extra *)((char *)chunk_node(c, c->capacity) + (uint64_t)i * h->extra_size);
}

/* NULL for nodes of other threads. Uses general registers alone. */
struct pcomp_node_extra *path_extra(struct thread_state *h, const struct pcomp_node *node);

/* node->lookups has reached 2^32 and is 0 again. Uses general registers alone. */
void path_carry_lookups(struct thread_state *h, const struct pcomp_node *node);

#endif
