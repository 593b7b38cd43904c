#include "profiler/phases.h"

#include "profiler/profile_walk.h"
#include "profiler/sampling.h"
#include "profiler/shadow.h"
#include "profiler/store.h"
#include "profiler/threads.h"

/* Adds what there is now to what is exact; `sign` -1: takes it away. */
static void exact_node(struct walked_node at, void *sign)
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
    struct pcomp_node_burst *b = &at.extra->burst; /* what bursts see begins here */
    b->seen_calls = n->calls;
    b->seen_enter_ticks = a->enter_ticks;
    b->seen_exit_ticks = a->exit_ticks;
    b->seen_enters = a->enters;
    b->seen_exits = a->exits;
}

static void exact_thread(struct pcomp_thread *t, void *sign)
{
    uint64_t by = (uint64_t) * (const int64_t *)sign;
    t->exact_counted_ticks += by * t->counted_ticks;
    t->exact_counted_events += by * t->counted_events;
    t->exact_hook_ticks += by * t->hook_ticks;
    t->seen_events = t->counted_events;
    t->seen_hook_ticks = t->hook_ticks;
    t->seen_counted_ticks = t->counted_ticks;
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
    walk_nodes(exact_node, &sign);
    walk_threads(exact_thread, &sign);
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
