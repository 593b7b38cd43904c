#include "profiler/profile_walk.h"

#include "profiler/store.h"

static struct pcomp_chunk *next_chunk(const struct pcomp_chunk *c)
{
    struct pcomp_header *h = store_header;
    char *end = (char *)h + __atomic_load_n(&h->used, __ATOMIC_ACQUIRE);
    char *next = c ? (char *)c + c->size : (char *)(h + 1);
    return next < end ? (struct pcomp_chunk *)next : NULL;
}

static struct pcomp_thread *thread_of(const struct pcomp_chunk *c)
{
    return (struct pcomp_thread *)(uintptr_t)c->reserved[1]; /* profiler/paths.c */
}

void walk_nodes(void (*function)(struct walked_node at, void *context), void *context)
{
    for (struct pcomp_chunk *c = next_chunk(NULL); c; c = next_chunk(c)) {
        char *extras = (char *)((struct pcomp_node *)(c + 1) + c->capacity); /* of the file, which is ours to write */
        for (uint32_t i = 0; c->kind == PCOMP_CHUNK_NODES && i < c->count; i++)
            function((struct walked_node){thread_of(c), (struct pcomp_node_sampled *)(c + 1) + i,
                                          (struct pcomp_burst_extra *)(extras + i * store_header->node_extra_size)},
                     context);
    }
}

void walk_threads(void (*function)(struct pcomp_thread *t, void *context), void *context)
{
    for (struct pcomp_chunk *c = next_chunk(NULL); c; c = next_chunk(c))
        if (c->kind == PCOMP_CHUNK_THREAD && c->count)
            function((struct pcomp_thread *)(c + 1), context);
}
