#include "profiler/phases.h"

#include "compensation/burst.h"
#include "profiler/held.h"
#include "profiler/raw_call.h"
#include "profiler/sampling.h"
#include "profiler/session.h"
#include "profiler/shadow.h"
#include "profiler/store.h"
#include "profiler/threads.h"

#include <time.h>

/* --- walking over the profile ---------------------------------------------------------------------------------------
 */

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

struct place { /* a node, and what lies apart from it */
    struct pcomp_thread *thread;
    struct pcomp_node_sampled *node;
    struct pcomp_burst_extra *extra;
};

static void each_node(void (*function)(struct place at, void *context), void *context)
{
    for (struct pcomp_chunk *c = next_chunk(NULL); c; c = next_chunk(c)) {
        char *extras = (char *)((struct pcomp_node *)(c + 1) + c->capacity); /* of the file, which is ours to write */
        for (uint32_t i = 0; c->kind == PCOMP_CHUNK_NODES && i < c->count; i++)
            function((struct place){thread_of(c), (struct pcomp_node_sampled *)(c + 1) + i,
                                    (struct pcomp_burst_extra *)(extras + i * store_header->node_extra_size)},
                     context);
    }
}

static void each_thread(void (*function)(struct pcomp_thread *t, void *context), void *context)
{
    for (struct pcomp_chunk *c = next_chunk(NULL); c; c = next_chunk(c))
        if (c->kind == PCOMP_CHUNK_THREAD && c->count)
            function((struct pcomp_thread *)(c + 1), context);
}

/* --- exact phases ----------------------------------------------------------------------------------------------------
 */

/* Adds what there is now to what is exact; `sign` -1: takes it away. */
static void exact_node(struct place at, void *sign)
{
    uint64_t by = (uint64_t) * (const int64_t *)sign;
    struct pcomp_exact *e = &at.extra->burst.exact;
    const struct pcomp_node_sampled *n = at.node;
    const struct pcomp_node_always *a = &at.extra->always;
    e->calls += by * n->calls;
    e->hook_ticks += by * n->hook_ticks;
    e->enter_ticks += by * n->enter_ticks;
    e->exit_ticks += by * n->exit_ticks;
    e->enters += by * n->enters;
    e->exits += by * n->exits;
    e->always.enter_ticks += by * a->enter_ticks;
    e->always.exit_ticks += by * a->exit_ticks;
    e->always.enters += by * a->enters;
    e->always.exits += by * a->exits;
    e->always.counted_ticks += by * a->counted_ticks;
    e->always.counted_events += by * a->counted_events;
    at.extra->burst.seen_calls = n->calls;
}

static void exact_thread(struct pcomp_thread *t, void *sign)
{
    uint64_t by = (uint64_t) * (const int64_t *)sign;
    t->exact_counted_ticks += by * t->counted_ticks;
    t->exact_counted_events += by * t->counted_events;
    t->exact_hook_ticks += by * t->hook_ticks;
    t->seen_events = t->counted_events;
    t->seen_hook_ticks = t->hook_ticks;
}

/* What is open is a call, too, and will end later. */
static void exact_open(struct hot *h, uint64_t sign)
{
    for (struct pcomp_frame *f = shadow_top(h); !frame_is_root(f); f = frame_below(f)) {
        if (f->end == FRAME_UNMEASURED || (f->function & FRAME_SKIP_BIT) || frame_in_flight(f))
            continue;
        for (const struct pcomp_chunk *c = h->nodes; c; c = (const struct pcomp_chunk *)(uintptr_t)c->reserved[0]) {
            uint64_t i = (f->node - (uint64_t)(uintptr_t)(c + 1)) / sizeof(struct pcomp_node);
            if (f->node > (uint64_t)(uintptr_t)c && i < c->count) {
                char *extras = (char *)((struct pcomp_node *)(c + 1) + c->capacity);
                ((struct pcomp_burst_extra *)(extras + i * h->extra_size))->burst.exact.opened += sign;
                break;
            }
        }
    }
}

static void add_exact(int64_t sign)
{
    each_node(exact_node, &sign);
    each_thread(exact_thread, &sign);
    threads_each(exact_open, (uint64_t)sign);
}

static void turn_phase(enum pcomp_phase phase)
{
    struct pcomp_header *h = store_header;
    uint64_t now = sampling_clock();
    if (phase == PCOMP_PHASE_EXACT)
        h->exact_phases++;
    else
        h->exact_ticks += now - h->phase_tick;
    h->phase_tick = now;
    __atomic_store_n(&h->phase, phase, __ATOMIC_RELEASE);
}

void phases_begin_exact(void)
{
    add_exact(-1);
    turn_phase(PCOMP_PHASE_EXACT);
}

void phases_end_exact(void)
{
    turn_phase(PCOMP_PHASE_BURSTS);
    add_exact(1);
}

struct looking {
    double call, worst;
};

static struct looking looking;

static void look_at(struct hot *h, uint64_t unused)
{
    (void)unused;
    const struct pcomp_thread *t = h->thread;
    double cost =
        (double)(t->counted_events + (uint64_t)sampling_under_way(h)) / 2 * looking.call + (double)t->hook_ticks;
    double more = cost - h->sampling.looked;
    looking.worst = more > looking.worst ? more : looking.worst;
    h->sampling.looked = cost;
}

double phases_cost_of_exact(double call)
{
    looking = (struct looking){call, 0};
    threads_each(look_at, 0);
    return looking.worst;
}

/* --- bursts ----------------------------------------------------------------------------------------------------------
 */

#define THREADS_TIMED 64u /* of more the wall time must do */

static uint64_t cpu_of(const struct hot *h)
{
    struct timespec now = {0, 0};
    long clock = (long)(~(unsigned)h->thread->tid << 3 | 6); /* that of the thread, as pthread_getcpuclockid has it */
    if (raw_call(SYS_clock_gettime, (int)clock, (long)(uintptr_t)&now, 0, 0) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void note_cpu(struct hot *h, uint64_t on)
{
    struct pcomp_thread *t = h->thread;
    uint64_t before = h->sampling.cpu_ns ? h->sampling.cpu_ns : t->cpu0_ns;
    h->sampling.cpu_ns = cpu_of(h);
    double more = h->sampling.cpu_ns > before ? (double)(h->sampling.cpu_ns - before) * 1e-9 * session_tick_hz : 0;
    *(on ? &t->gap_cpu : &t->burst_cpu) = more;
}

void phases_turned(bool on)
{
    if (store_header->thread_count <= THREADS_TIMED)
        threads_each(note_cpu, on);
}

struct adding {
    double gap, length, call, slowness;
    struct phases_burst burst;
};

static void weigh_thread(struct pcomp_thread *t, void *context)
{
    struct adding *a = context;
    double calls = (double)(t->counted_events - t->seen_events) / 2;
    double hooks = (double)(t->hook_ticks - t->seen_hook_ticks);
    double cost = a->slowness * calls * a->call + hooks;
    double gap = t->gap_cpu, length = t->burst_cpu;
    if (!(gap > 0) || !(length > 0)) {
        gap = a->gap;
        length = a->length;
    }
    struct pcomp_burst_weight weight = pcomp_burst_weigh(gap, length, calls * a->call + hooks);
    t->gap_cpu = t->burst_cpu = 0;
    t->seen_events = t->counted_events;
    t->seen_hook_ticks = t->hook_ticks;
    t->weight_low = weight.low;
    t->weight_high = weight.high;
    if (!t->end_tick || calls > 0) {
        t->burst_count++;
        t->burst_gaps += a->gap;
    }
    cost = cost < a->length ? cost : a->length;
    if (cost > a->burst.cost) {
        a->burst.cost = cost;
        a->burst.progress = a->length - cost;
    }
}

static void weigh_node(struct place at, void *context)
{
    struct adding *a = context;
    struct pcomp_node_burst *b = &at.extra->burst;
    double calls = (double)(at.node->calls - b->seen_calls);
    if (!(calls > 0) || !at.thread)
        return;
    b->seen_calls = at.node->calls;
    double low = calls * at.thread->weight_low, high = calls * at.thread->weight_high;
    const struct pcomp_held *held = held_table ? held_find(at.node->function) : NULL;
    if (held && (held->flags & PCOMP_HELD_NOW)) {
        a->burst.on += calls;
        a->burst.low += low;
        a->burst.high += high;
        return;
    }
    b->low += low;
    b->high += high;
    b->squares += high * high;
}

struct phases_burst phases_add_burst(double gap, double length, double call, double slowness)
{
    struct adding adding = {.gap = gap, .length = length, .call = call, .slowness = slowness};
    adding.burst.progress = length;
    each_thread(weigh_thread, &adding);
    each_node(weigh_node, &adding);
    return adding.burst;
}

static void show_node(struct place at, void *unused)
{
    (void)unused;
    const struct pcomp_node *parent = (const struct pcomp_node *)(uintptr_t)at.node->parent;
    uint64_t calls = at.node->calls - at.extra->burst.seen_calls, function = at.node->function;
    if ((calls || at.node->calls) && !(function & (NODE_GONE_BIT | FRAME_SKIP_BIT)))
        held_see(function, calls, parent && parent->function == function);
}

void phases_show_calls(void)
{
    each_node(show_node, NULL);
}
