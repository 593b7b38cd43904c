#include "profiler/stack/paths.h"

#include "profiler/base/config.h"
#include "profiler/base/store.h"
#include "profiler/stack/path_extras.h"

#include <string.h>
#include <sys/mman.h>

#define CHUNK_FIRST 4096u
#define CHUNK_MAX   (1u << 20)
#define TABLE_FIRST 54 /* shift: 1024 slots */

/* Behind each table: the one that it replaced, which an interrupted look-up may still read. */
struct table_tail {
    uint32_t *replaced;
    uint64_t slots; /* of the replaced one */
};
#define TABLE_TAIL 4096u

static uint64_t table_slots(const struct thread_state *h)
{
    return (UINT64_MAX >> h->table_shift) + 1;
}

/* Sparse while it is small, since every miss of the first probe costs a mispredicted branch. */
static bool table_is_full(const struct thread_state *h)
{
    uint64_t slots = table_slots(h);
    uint64_t sparse = slots < 65536 ? 8 : slots < (1u << 20) ? 4 : 2;
    return h->table_used * sparse >= slots;
}

static void table_insert(const struct thread_state *h, uint32_t *table, uint64_t shift, const struct pcomp_node *node)
{
    uint64_t i = path_slot(node->parent, node->function & ~NODE_GONE_BIT, shift), mask = UINT64_MAX >> shift;
    while (table[i & mask])
        i++;
    table[i & mask] = (uint32_t)(((uint64_t)(uintptr_t)node - h->base) >> 6);
}

static bool table_resize(struct thread_state *h, uint64_t shift)
{
    uint64_t slots = (UINT64_MAX >> shift) + 1;
    uint32_t *fresh =
        mmap(NULL, slots * sizeof(*fresh) + TABLE_TAIL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        return false;
    const uint32_t *old = (const uint32_t *)(uintptr_t)h->table;
    for (uint64_t i = 0; old && i < table_slots(h); i++)
        if (old[i])
            table_insert(h, fresh, shift, path_node(h, old[i]));
    if (old)
        *(struct table_tail *)(fresh + slots) = (struct table_tail){(uint32_t *)(uintptr_t)h->table, table_slots(h)};
    h->table = (uint64_t)(uintptr_t)fresh;
    h->table_shift = shift;
    return true;
}

void paths_end(struct thread_state *h)
{
    uint32_t *table = (uint32_t *)(uintptr_t)h->table;
    for (uint64_t slots = table_slots(h); table;) {
        struct table_tail tail = *(struct table_tail *)(table + slots);
        munmap(table, slots * sizeof(*table) + TABLE_TAIL);
        table = tail.replaced;
        slots = tail.slots;
    }
    h->table = 0;
}

static bool new_chunk(struct thread_state *h)
{
    uint64_t size = !h->nodes ? CHUNK_FIRST : h->nodes->size * 2 > CHUNK_MAX ? CHUNK_MAX : h->nodes->size * 2;
    if (h->nodes && config.memory_budget &&
        __atomic_load_n(&store_header->used, __ATOMIC_RELAXED) + size > config.memory_budget) {
        __atomic_or_fetch(&store_header->stopped, PCOMP_STOPPED_MEMORY, __ATOMIC_RELAXED);
        return false;
    }
    struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_NODES, size, h->thread->index, sizeof(struct pcomp_node));
    if (!c)
        return false;
    c->capacity = (uint32_t)((size - sizeof(*c)) / (sizeof(struct pcomp_node) + h->extra_size));
    c->reserved[0] = (uint64_t)(uintptr_t)h->nodes;  /* the thread's previous chunk, and */
    c->reserved[1] = (uint64_t)(uintptr_t)h->thread; /* its record; for this process only */
    h->nodes = c;
    return true;
}

/* The node of a function whose module is loaded again, where it was before. */
static struct pcomp_node *path_again(struct thread_state *h, const struct pcomp_node *parent, uint64_t function,
                                     uint32_t function_id)
{
    const uint32_t *table = (const uint32_t *)(uintptr_t)h->table;
    uint64_t mask = UINT64_MAX >> h->table_shift;
    for (uint64_t i = path_slot((uint64_t)(uintptr_t)parent, function, h->table_shift); table[i & mask]; i++) {
        struct pcomp_node *node = path_node(h, table[i & mask]);
        if (node->parent != (uint64_t)(uintptr_t)parent || node->function != (function | NODE_GONE_BIT))
            continue;
        const struct pcomp_node_extra *extra = path_extra(h, node);
        if (extra && extra->function_id == function_id) {
            __atomic_and_fetch(&node->function, ~NODE_GONE_BIT, __ATOMIC_RELAXED);
            return node;
        }
    }
    return NULL;
}

struct pcomp_node *path_add(struct thread_state *h, struct pcomp_node *parent, uint64_t function, uint32_t function_id,
                            bool skipped, bool in_table)
{
    uint64_t key = skipped ? function | FRAME_SKIP_BIT : function;
    struct pcomp_node *before = in_table ? path_again(h, parent, key, function_id) : NULL;
    if (before)
        return before;
    if (__atomic_load_n(&store_header->node_count, __ATOMIC_RELAXED) >= config.node_limit) {
        __atomic_or_fetch(&store_header->stopped, PCOMP_STOPPED_NODES, __ATOMIC_RELAXED);
        return NULL;
    }
    if (in_table && table_is_full(h) && !table_resize(h, h->table_shift - 1) && h->table_used * 10 > table_slots(h) * 9)
        return NULL;
    if ((!h->nodes || h->nodes->count == h->nodes->capacity) && !new_chunk(h))
        return NULL;
    uint32_t i = h->nodes->count;
    struct pcomp_node *node = chunk_node(h->nodes, i);
    struct pcomp_node_extra *extra = chunk_extra(h, h->nodes, i);
    node->function = key;
    node->parent = (uint64_t)(uintptr_t)parent;
    node->spread = PCOMP_SPREAD_NONE;
    node->min = INT64_MAX;
    node->top = INT64_MIN;
    extra->function_id = function_id;
    extra->flags = skipped ? PCOMP_NODE_SKIPPED : 0;
    __atomic_store_n(&h->nodes->count, i + 1, __ATOMIC_SEQ_CST);
    if (in_table) {
        table_insert(h, (uint32_t *)(uintptr_t)h->table, h->table_shift, node);
        h->table_used++;
    }
    h->thread->node_count++;
    /* once the file is closed the header may be that of one without the node */
    if (!__atomic_load_n(&store_closed, __ATOMIC_SEQ_CST))
        __atomic_add_fetch(&store_header->node_count, 1, __ATOMIC_RELAXED);
    return node;
}

bool paths_start(struct thread_state *h)
{
    h->base = (uint64_t)(uintptr_t)store_header;
    h->extra_size = store_header->node_extra_size;
    if (!table_resize(h, TABLE_FIRST))
        return false;
    h->root = path_add(h, NULL, 0, PCOMP_FUNCTION_ROOT, false, false);
    h->limit_node = h->root ? path_add(h, h->root, 1, PCOMP_FUNCTION_BEYOND, false, false) : NULL;
    if (!h->limit_node)
        return false;
    h->thread->root_link = (uint64_t)(uintptr_t)h->root;
    h->thread->beyond_link = (uint64_t)(uintptr_t)h->limit_node;
    return true;
}

void paths_mark_gone(uint64_t start, uint64_t end)
{
    uint64_t used = __atomic_load_n(&store_header->used, __ATOMIC_ACQUIRE);
    for (uint64_t at = sizeof(struct pcomp_header); at < used;) {
        struct pcomp_chunk *c = (struct pcomp_chunk *)((char *)store_header + at);
        uint32_t count = __atomic_load_n(&c->count, __ATOMIC_ACQUIRE);
        for (uint32_t i = 0; c->kind == PCOMP_CHUNK_NODES && i < count; i++) {
            struct pcomp_node *n = chunk_node(c, i);
            uint64_t plain = n->function & ~FRAME_SKIP_BIT;
            if (plain >= start && plain < end)
                __atomic_or_fetch(&n->function, NODE_GONE_BIT, __ATOMIC_RELAXED);
        }
        /* frames that ended keep their function as a memory of the last call */
        for (uint64_t f = at + sizeof(*c) + sizeof(struct pcomp_stack);
             c->kind == PCOMP_CHUNK_STACK && f + store_header->frame_size <= at + c->size;
             f += store_header->frame_size) {
            struct pcomp_frame *frame = (struct pcomp_frame *)((char *)store_header + f);
            uint64_t function = __atomic_load_n(&frame->function, __ATOMIC_RELAXED);
            if (function >= start && function < end)
                __atomic_compare_exchange_n(&frame->function, &function, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        }
        at += c->size;
    }
}
