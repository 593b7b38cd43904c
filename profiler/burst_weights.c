#include "profiler/burst_weights.h"

#include "compensation/burst.h"
#include "compensation/in_situ.h"
#include "profiler/held.h"
#include "profiler/profile_walk.h"
#include "profiler/raw_call.h"
#include "profiler/sampling.h"
#include "profiler/session.h"
#include "profiler/store.h"
#include "profiler/threads.h"

#include <time.h>

#define THREADS_TIMED 64u /* of more the wall time must do */
#define RAN_LEAST     0.1 /* of a burst, that tells what a thread does */

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
    if (on)
        t->gap_cpu += more;
    else
        t->burst_cpu = more;
}

void burst_weights_turned(bool on)
{
    if (store_header->thread_count <= THREADS_TIMED)
        threads_each(note_cpu, on);
}

struct adding {
    double gap, length, call, off_call, slowness;
    struct pcomp_counting counting;
    struct burst_sums burst;
};

/* --- what the burst saw ----------------------------------------------------------------------------------------------
 */

struct seen_time { /* of one kind of segments of a path, ticks */
    double sure, brief, rest;
};

/* ticks, count: of those that were timed as they are; calls: all of them, and those that were only counted for a path
 * that is (other: its other kind). */
static struct seen_time seen_time_of(double ticks, double count, double calls, bool counted,
                                     const struct pcomp_kind *all, const struct pcomp_kind *other,
                                     const struct pcomp_counting *counting)
{
    struct seen_time seen = {.sure = ticks - count * counting->stamp};
    if (!(seen.sure > 0))
        seen.sure = 0;
    if (counted && calls > count) {
        struct pcomp_kind_time mean = pcomp_kind_estimate(all, other, 0, 0, counting);
        seen.brief = (calls - count) * mean.brief;
        seen.rest = (calls - count) * mean.rest;
    }
    return seen;
}

/* False: nothing. */
static bool seen_of(const struct walked_node *at, const struct pcomp_counting *counting, struct seen_time *enter,
                    struct seen_time *exit)
{
    const struct pcomp_node_sampled *n = at->node;
    const struct pcomp_node_always *a = &at->extra->always;
    const struct pcomp_node_burst *b = &at->extra->burst;
    if (!at->thread ||
        (n->calls == b->seen_calls && a->enter_ticks == b->seen_enter_ticks && a->exit_ticks == b->seen_exit_ticks))
        return false;
    bool counted = at->extra->extra.flags & PCOMP_NODE_COUNTED;
    double calls = n->calls > b->seen_calls ? (double)(n->calls - b->seen_calls) : 0;
    struct pcomp_kind enters = {.always = {(double)a->enter_ticks, (double)a->enters},
                                .sampled = {(double)n->enter_ticks, n->enters}},
                      exits = {.always = {(double)a->exit_ticks, (double)a->exits},
                               .sampled = {(double)n->exit_ticks, n->exits}};
    *enter = seen_time_of((double)(a->enter_ticks - b->seen_enter_ticks), (double)(a->enters - b->seen_enters), calls,
                          counted, &enters, &exits, counting);
    *exit = seen_time_of((double)(a->exit_ticks - b->seen_exit_ticks), (double)(a->exits - b->seen_exits), calls,
                         counted, &exits, &enters, counting);
    return true;
}

static void show_node(struct walked_node at, void *unused)
{
    (void)unused;
    const struct pcomp_node *parent = (const struct pcomp_node *)(uintptr_t)at.node->parent;
    uint64_t calls = at.node->calls - at.extra->burst.seen_calls, function = at.node->function;
    if ((calls || at.node->calls) && !(function & (NODE_GONE_BIT | FRAME_SKIP_BIT)))
        held_see(function, calls, parent && parent->function == function);
}

/* What the stamps of segments that are always timed took beside the ticks inside hooks: that of those that are
 * timed now and then is part of what a call costs. */
static uint64_t stamps_of(const struct walked_node *at, double stamp)
{
    const struct pcomp_node_always *a = &at->extra->always;
    const struct pcomp_node_burst *b = &at->extra->burst;
    return (uint64_t)((double)(a->enters - b->seen_enters + a->exits - b->seen_exits) * stamp);
}

static void see_node(struct walked_node at, void *context)
{
    const struct adding *a = context;
    struct seen_time enter, exit;
    show_node(at, NULL);
    if (!seen_of(&at, &a->counting, &enter, &exit))
        return;
    at.thread->sure += enter.sure + exit.sure;
    at.thread->brief += enter.brief + exit.brief;
    at.thread->rest += enter.rest + exit.rest;
    at.thread->seen_hook_ticks -= stamps_of(&at, a->counting.stamp);
}

/* --- what it stands for ----------------------------------------------------------------------------------------------
 */

/* The time that the burst stands for in the thread is shared out among what it saw there. Where the thread met no hook,
 * what it was in is known, and closed, with the next one that it meets. */
static void weigh_time(struct pcomp_thread *t, const struct adding *a, double calls, double counting)
{
    struct pcomp_burst_weight weight = {t->weight_low, t->weight_high};
    double off = calls * pcomp_burst_weight_at(&weight, a->slowness) * a->off_call;
    double stands = pcomp_burst_stands_for(a->gap + t->silent, pcomp_burst_progress(a->length, counting), off);
    struct pcomp_burst_seen seen = {.sure = t->sure,
                                    .brief = t->brief,
                                    .rest = t->rest,
                                    .ticks = (double)(t->counted_ticks - t->seen_counted_ticks),
                                    .counting = calls * (a->slowness * a->call + a->off_call)};
    struct pcomp_burst_share share = pcomp_burst_share_of(&seen, stands);
    t->time_weight = share.weight;
    t->brief_factor = share.brief;
    t->silent = share.weight > 0 ? 0 : stands;
    if (share.weight > 0) {
        t->stands += stands;
        t->stands_squares += stands * stands;
    }
    t->sure = t->brief = t->rest = 0;
}

/* What is preempted makes no calls. A burst in which the thread did not get to make any tells nothing of the gap before
 * it, which the next one stands for, too. */
static void weigh_calls(struct pcomp_thread *t, const struct adding *a, double calls, double hooks)
{
    double gap = t->gap_cpu, length = t->burst_cpu;
    if (!(gap > 0) && !(length > 0)) {
        gap = a->gap;
        length = a->length;
    } else if (!(calls > 0) && !(hooks > 0) && length < RAN_LEAST * a->length) {
        t->gap_cpu += length;
        t->weight_low = t->weight_high = 0;
        return;
    }
    double counting = calls * a->call + pcomp_burst_hooks_ran(hooks, a->length, length);
    struct pcomp_burst_weight weight = pcomp_burst_weigh(gap, length, counting);
    t->weight_low = weight.low;
    t->weight_high = weight.high;
    t->gap_cpu = t->burst_cpu = 0;
}

static void weigh_thread(struct pcomp_thread *t, void *context)
{
    struct adding *a = context;
    double calls = (double)(t->counted_events - t->seen_events) / 2;
    double hooks = (double)(t->hook_ticks - t->seen_hook_ticks);
    double counting = a->slowness * calls * a->call;
    double ran = t->gap_cpu > 0 || t->burst_cpu > 0 ? t->burst_cpu : a->length;
    double cost = pcomp_burst_cost(counting, hooks, a->length, ran);
    weigh_calls(t, a, calls, hooks);
    if (!t->end_tick || calls > 0) {
        t->burst_count++;
        t->burst_gaps += a->gap;
        weigh_time(t, a, calls, counting + hooks);
    }
    t->seen_events = t->counted_events;
    t->seen_hook_ticks = t->hook_ticks;
    t->seen_counted_ticks = t->counted_ticks;
    if (cost > a->burst.cost) {
        a->burst.cost = cost;
        a->burst.progress = a->length - cost;
    }
}

static double time_for(const struct pcomp_thread *t, const struct seen_time *seen)
{
    return t->time_weight * (seen->sure + seen->rest + t->brief_factor * seen->brief);
}

static double change(bool next, double last, double now)
{
    return next ? (now - last) * (now - last) : now * now + last * last;
}

static void add_time(struct walked_node at, const struct pcomp_counting *counting)
{
    struct seen_time enter, exit;
    struct pcomp_node_burst *b = &at.extra->burst;
    const struct pcomp_node_always *a = &at.extra->always;
    if (!seen_of(&at, counting, &enter, &exit) || !(at.thread->time_weight > 0))
        return;
    double entered = time_for(at.thread, &enter), exited = time_for(at.thread, &exit);
    bool next = b->last_burst + 1 == at.thread->burst_count;
    b->enter_changes += change(next, b->last_enter, entered);
    b->exit_changes += change(next, b->last_exit, exited);
    b->enter_time += entered;
    b->exit_time += exited;
    b->last_enter = entered;
    b->last_exit = exited;
    b->last_burst = at.thread->burst_count;
    b->seen_enter_ticks = a->enter_ticks;
    b->seen_exit_ticks = a->exit_ticks;
    b->seen_enters = a->enters;
    b->seen_exits = a->exits;
}

static void add_calls(struct walked_node at, struct burst_sums *burst)
{
    struct pcomp_node_burst *b = &at.extra->burst;
    double calls = (double)(at.node->calls - b->seen_calls);
    if (!(calls > 0) || !at.thread)
        return;
    b->seen_calls = at.node->calls;
    double low = calls * at.thread->weight_low, high = calls * at.thread->weight_high;
    const struct pcomp_held *held = held_table ? held_find(at.node->function) : NULL;
    if (held && (held->flags & PCOMP_HELD_NOW)) {
        burst->on += calls;
        burst->low += low;
        burst->high += high;
        return;
    }
    if (held) { /* let go in this gap, perhaps: it was counted until then */
        low *= held_rest(held);
        high *= held_rest(held);
    }
    if (at.node->function == held_probed()) {
        burst->on += calls;
        burst->low += low;
        burst->high += high;
    }
    b->low += low;
    b->high += high;
    b->squares += high * high;
}

static void add_node(struct walked_node at, void *context)
{
    struct adding *a = context;
    add_time(at, &a->counting);
    add_calls(at, &a->burst);
}

struct burst_sums burst_weights_add(double gap, double length, double call, double off_call, double slowness)
{
    struct adding adding = {.gap = gap, .length = length, .call = call, .off_call = off_call, .slowness = slowness};
    adding.counting =
        (struct pcomp_counting){.call = call + off_call, .stamp = (double)store_header->stamp / (1 << PCOMP_FIX_SHIFT)};
    adding.burst.progress = length;
    walk_nodes(see_node, &adding);
    walk_threads(weigh_thread, &adding);
    walk_nodes(add_node, &adding);
    return adding.burst;
}

void burst_weights_show_calls(void)
{
    walk_nodes(show_node, NULL);
}
