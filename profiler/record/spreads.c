/* Compiled without vector registers. */
#include "profiler/record/spreads.h"

#include "profiler/base/config.h"
#include "profiler/stack/path_extras.h"

static uint32_t link_of(const struct thread_state *h, const void *record)
{
    return (uint32_t)(((uint64_t)(uintptr_t)record - h->base) / SPREAD_UNIT);
}

static uint32_t counters_of(uint32_t units)
{
    return (units * SPREAD_UNIT - (uint32_t)sizeof(struct pcomp_spread)) / (uint32_t)sizeof(uint32_t);
}

/* Zeros; a record from the moment on that its second word is not 0. A handler in between takes other room. NULL: there
 * is none. */
static void *take(const struct thread_state *h, uint32_t units)
{
    struct pcomp_chunk *c = h->spreads;
    uint32_t at = c ? c->count : 0;
    do
        if (!c || c->capacity - at < units)
            return NULL;
    while (!__atomic_compare_exchange_n(&c->count, &at, at + units, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return (char *)(c + 1) + (uint64_t)at * SPREAD_UNIT;
}

static uint32_t units_for(uint32_t counters)
{
    uint32_t units = 1;
    while (counters_of(units) < counters && units < SPREAD_UNITS_MAX)
        units *= 2;
    return units;
}

/* A record that covers the buckets [from, to), and as many more as there is room for: most of them above (`up`), or
 * below. NULL: there is no room. */
static struct pcomp_spread *make(const struct thread_state *h, const struct pcomp_node *node, uint32_t from,
                                 uint32_t to, bool up, uint32_t longest)
{
    uint32_t units = units_for(to - from), n = counters_of(units), rest = n - (to - from);
    uint32_t below = up ? rest / 4 : rest - rest / 4;
    struct pcomp_spread *s = take(h, units);
    if (!s)
        return NULL;
    s->first = from - (below < from - PCOMP_BUCKET_FIRST ? below : from - PCOMP_BUCKET_FIRST);
    s->node = link_of(h, node);
    s->longest = longest;
    __atomic_store_n(&s->n, n, __ATOMIC_RELEASE);
    return s;
}

/* In the place of the shortest; without a start first, so that a reader takes it for none. */
static void note_longest(struct pcomp_node *node, struct pcomp_longest *l, uint64_t start, int64_t compensated)
{
    int at = 0;
    for (int i = 1; i < PCOMP_LONGEST; i++)
        if (l->each[at].start && (!l->each[i].start || l->each[i].time < l->each[at].time))
            at = i;
    __atomic_store_n(&l->each[at].start, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&l->each[at].time, compensated, __ATOMIC_RELEASE);
    __atomic_store_n(&l->each[at].start, start, __ATOMIC_RELEASE);
    int64_t min = INT64_MAX;
    for (int i = 0; i < PCOMP_LONGEST; i++)
        min = !l->each[i].start ? INT64_MIN : l->each[i].time < min ? l->each[i].time : min;
    node->top = min;
}

static void raise_top(const struct thread_state *h, struct pcomp_node *node, const struct pcomp_spread *s,
                      uint64_t start, int64_t compensated)
{
    if (s->longest)
        note_longest(node, (struct pcomp_longest *)(uintptr_t)(h->base + (uint64_t)s->longest * SPREAD_UNIT), start,
                     compensated);
    else
        node->top = compensated;
}

/* With the second activation: the time of the first is the node's top. Returns the file offset / 64; 0: no room. */
static uint32_t make_longest(const struct thread_state *h, struct pcomp_node *node, uint64_t first_start)
{
    struct pcomp_longest *l = take(h, 1);
    if (!l)
        return 0;
    l->mark = PCOMP_SPREAD_LONGEST;
    l->node = link_of(h, node);
    __atomic_store_n(&l->n, counters_of(1), __ATOMIC_RELEASE);
    note_longest(node, l, first_start, node->top);
    return link_of(h, l);
}

/* A record for the bucket, and for the `n` that there are from `before` on. NULL: there is no room. */
static struct pcomp_spread *another(const struct thread_state *h, struct pcomp_node *node, uint32_t longest,
                                    uint32_t before, uint32_t n, uint32_t bucket)
{
    uint32_t to = before + n;
    to = to > PCOMP_BUCKETS ? PCOMP_BUCKETS : to;
    uint32_t from = bucket < before ? bucket : before;
    to = bucket < to ? to : bucket + 1;
    return make(h, node, from, to, bucket >= before, longest);
}

/* The record that counts the bucket from now on; NULL: there is no room. `first_start`: of the first activation. A
 * handler that interrupts this may give the node a record first. */
static struct pcomp_spread *covering(const struct thread_state *h, struct pcomp_node *node, uint64_t first_start,
                                     uint32_t bucket, bool full)
{
    for (;; full = false) {
        uint32_t link = node->spread;
        struct pcomp_spread *old = spread_at(h, link), *s;
        bool second = link == PCOMP_SPREAD_NONE;
        if (bucket - old->first < old->n && !full)
            return old;
        uint32_t before = second ? pcomp_bucket(node->top) : old->first;
        if (!(s = another(h, node, old->longest, before, second ? 1 : old->n, bucket))) {
            if (!h->spread_rest)
                return NULL;
            node->spread = h->spread_rest;
            return spread_of(h, node);
        }
        if (!__atomic_compare_exchange_n(&node->spread, &link, link_of(h, s), false, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED))
            continue;
        if (second) {
            spread_count(&s->counts[before - s->first]);
            s->longest = make_longest(h, node, first_start);
        }
        return s;
    }
}

bool spread_record(struct thread_state *h, struct pcomp_node *node, uint64_t start, int64_t compensated,
                   enum spread_why why)
{
    uint64_t first = 0;
    start = start ? start : 1;
    if (node->spread == PCOMP_SPREAD_NONE) {
        struct pcomp_node_extra *extra = path_extra(h, node);
        if (!extra)
            return true;
        if (!extra->first_start || node->top == INT64_MIN) { /* or a handler jumped out in between */
            extra->first_start = start;
            node->top = compensated;
            return true;
        }
        first = extra->first_start;
    }
    uint32_t bucket = pcomp_bucket(compensated);
    struct pcomp_spread *s = spread_of(h, node);
    uint32_t i = bucket - s->first;
    if (why == SPREAD_WRAPPED)
        s->counts[i] = UINT32_MAX;
    s = covering(h, node, first, bucket, i < s->n && s->counts[i] == UINT32_MAX);
    if (!s)
        return false;
    if (compensated > node->top && why != SPREAD_FLUSHED)
        raise_top(h, node, s, start, compensated);
    if (bucket - s->first < s->n)
        spread_count(&s->counts[bucket - s->first]);
    return true;
}

void spread_give_up(const struct thread_state *h, struct pcomp_node *node, uint64_t start, int64_t compensated)
{
    if (compensated > node->top)
        raise_top(h, node, spread_of(h, node), start, compensated);
}

/* What it took lies in the ancestors, as a slow enter does; not where the thread was preempted meanwhile. */
static void charge(struct thread_state *h, const struct pcomp_node *node, uint64_t ticks)
{
    struct pcomp_node_extra *extra =
        config.model == PCOMP_MODEL_SPLIT && ticks < LATE_TICKS ? path_extra(h, node) : NULL;
    if (extra)
        thread_charge_slow(h, extra, ticks);
}

/* Of the exit that took the frame above the top off. */
static const struct pcomp_node *pending_above(const struct thread_state *h)
{
    const struct timed_frame *top = (const struct timed_frame *)thread_frame(h, h->pos);
    return (const struct pcomp_node *)(uintptr_t)top[1].pending.node;
}

bool spread_exit(struct thread_state *h, struct pcomp_node *node, int64_t compensated, enum spread_why why)
{
    if (node == h->root)
        return true; /* nothing was pending */
    struct pcomp_frame *f = thread_frame(h, h->pos);
    uint64_t begin = why == SPREAD_LONGEST ? f->end : clock_ticks();
    if (!spread_record(h, node, why == SPREAD_LONGEST ? f->start : begin, compensated, why))
        return false;
    /* the exit that this lies in is that of what is pending now */
    charge(h, why == SPREAD_LONGEST ? node : pending_above(h), clock_ticks() - begin);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (why == SPREAD_LONGEST)
        h->pos -= sizeof(struct timed_frame);
    return true;
}
