/* Compiled without vector registers. */
#include "profiler/stack/path_extras.h"

static bool has_node(const struct pcomp_chunk *c, const struct pcomp_node *node)
{
    return node >= chunk_node(c, 0) && node < chunk_node(c, c->capacity);
}

/* Nodes that are used one after the other mostly lie in one chunk: deep recursion has hundreds of chunks. */
struct pcomp_node_extra *path_extra(struct thread_state *h, const struct pcomp_node *node)
{
    const struct pcomp_chunk *c = h->found;
    if (!c || !has_node(c, node)) {
        c = h->nodes;
        while (c && !has_node(c, node))
            c = (const struct pcomp_chunk *)(uintptr_t)c->reserved[0];
        if (!c)
            return NULL;
        h->found = c;
    }
    return chunk_extra(h, c, (uint32_t)(node - chunk_node(c, 0)));
}

void path_carry_lookups(struct thread_state *h, const struct pcomp_node *node)
{
    struct pcomp_node_extra *extra = path_extra(h, node);
    if (extra)
        extra->lookups_high++;
}
