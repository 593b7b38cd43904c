/* The part of spreads.h that needs memory. */
#include "profiler/base/own_stack.h"
#include "profiler/base/store.h"
#include "profiler/record/frames.h"
#include "profiler/record/spreads.h"

#define CHUNK_FIRST 4096u
#define CHUNK_MAX   (256u << 10)
#define BYTES_MAX   (64ull << 20) /* of all records of a process */

static bool is_allowed(uint64_t size)
{
    uint64_t spreads = __atomic_load_n(&store_header->spread_bytes, __ATOMIC_RELAXED) + size;
    uint64_t used = __atomic_load_n(&store_header->used, __ATOMIC_RELAXED) + size;
    return config.memory_budget ? spreads <= config.memory_budget / 4 && used <= config.memory_budget
                                : spreads <= BYTES_MAX;
}

static struct pcomp_chunk *make_chunk(const struct thread_state *h, uint64_t size)
{
    struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_SPREADS, size, h->thread->index, SPREAD_UNIT);
    if (!c)
        return NULL;
    c->capacity = (uint32_t)((size - sizeof(*c)) / SPREAD_UNIT);
    __atomic_fetch_add(&store_header->spread_bytes, size, __ATOMIC_RELAXED);
    return c;
}

/* Covers everything, of no node. */
static void make_rest(struct thread_state *h)
{
    h->spread_rest = PCOMP_SPREAD_NONE;
    struct pcomp_chunk *c = make_chunk(h, CHUNK_FIRST);
    if (!c)
        return;
    struct pcomp_spread *s = (struct pcomp_spread *)(c + 1);
    s->n = PCOMP_BUCKETS + 12; /* what SPREAD_UNITS_MAX have room for */
    c->count = SPREAD_UNITS_MAX;
    h->spread_rest = (uint32_t)(((uint64_t)(uintptr_t)s - h->base) / SPREAD_UNIT);
}

static void make_room(struct thread_state *h)
{
    uint64_t last = h->spreads ? h->spreads->size : 0;
    uint64_t size = !last ? CHUNK_FIRST : last * 2 > CHUNK_MAX ? CHUNK_MAX : last * 2;
    struct pcomp_chunk *c = is_allowed(size) ? make_chunk(h, size) : NULL;
    if (c)
        h->spreads = c;
    else
        make_rest(h);
}

static void room_called(void *any)
{
    struct thread_state *h = any;
    struct slow s;
    bool outer = h->in_slow;
    if (!outer)
        slow_begin(&s, h);
    if (outer || !slow_is_too_late(&s))
        make_room(h);
    if (!outer)
        slow_end(&s);
}

void spread_make_room(struct thread_state *h)
{
    own_stack_run(room_called, h);
}

void spread_exit_room(struct thread_state *h, struct pcomp_node *node, int64_t compensated, enum spread_why why)
{
    spread_make_room(h);
    if (spread_exit(h, node, compensated, why))
        return;
    spread_give_up(h, node, thread_frame(h, h->pos)->start, compensated);
    if (why == SPREAD_LONGEST)
        h->pos -= sizeof(struct timed_frame);
}

struct exit_call {
    struct thread_state *h;
    struct pcomp_node *node;
    int64_t compensated;
    enum spread_why why;
};

static void exit_called(void *any)
{
    const struct exit_call *c = any;
    spread_exit_room(c->h, c->node, c->compensated, c->why);
}

void spread_exit_hook(struct thread_state *h, struct pcomp_node *node, int64_t compensated, enum spread_why why)
{
    if (spread_exit(h, node, compensated, why))
        return;
    struct exit_call call = {.h = h, .node = node, .compensated = compensated, .why = why};
    own_stack_run(exit_called, &call);
}

void spread_flush(struct thread_state *h, struct pcomp_frame_pending *pending)
{
    struct pcomp_node *node = (struct pcomp_node *)(uintptr_t)pending->node;
    pending->node = (uint64_t)(uintptr_t)h->root;
    if (node == h->root || spread_record(h, node, 0, pending->time, SPREAD_FLUSHED))
        return;
    spread_make_room(h);
    spread_record(h, node, 0, pending->time, SPREAD_FLUSHED);
}
