#include "profiler/sampling.h"

#include "profiler/config.h"
#include "profiler/frames.h"
#include "profiler/in_place.h"
#include "profiler/paths.h"
#include "profiler/session.h"
#include "profiler/shadow.h"
#include "profiler/switching.h"

#include <string.h>
#include <sys/mman.h>

#define SHORT_NS       1000u  /* segments of counted paths are shorter ... */
#define LONG_NS        20000u /* ... and one that is longer than this does not stand for others */
#define STREAK         3u     /* calls with short segments after which a path is counted */
#define STREAK_AGAIN   64u    /* the same after a long segment was seen in a burst */
#define SPARED_NS      10000u /* none is counted while those that are stamped always come further apart than this ... */
#define SPARED_MOST    2000   /* ... in the mean of so many: they cost a hundredth */
#define SPARED_FIRST   200    /* at the start of a thread */
#define LOOKUP_MOST_NS 2000u  /* a longer look-up lost its processor */
#define TABLE_FIRST    54     /* shift: 1024 entries */
#define TABLE_LAST     42     /* 4 million: 16 MB */

/* extra.flags: PCOMP_NODE_COUNTED, and how many calls with short segments are still wanted */
#define WANTED_SHIFT 8
#define WANTED_MASK  (0xffu << WANTED_SHIFT)

static uint64_t short_ticks, long_ticks, lookup_most;
static int64_t spared_ticks;

/* --- the table of counted nodes: a cache of the path table, in pairs, so that the hook sees one cache line --- */

struct table_tail { /* behind each table: the one it replaced, which an interrupted hook may still read */
    uint32_t *replaced;
    uint64_t entries;
};
#define TABLE_TAIL 4096u

static uint64_t entries(const struct hot *h)
{
    return (UINT64_MAX >> h->counted_shift) + 1;
}

static bool new_table(struct hot *h, uint64_t shift)
{
    uint64_t count = (UINT64_MAX >> shift) + 1;
    uint32_t *fresh =
        mmap(NULL, count * sizeof(*fresh) + TABLE_TAIL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        return false;
    if (h->counted)
        *(struct table_tail *)(fresh + count) = (struct table_tail){(uint32_t *)(uintptr_t)h->counted, entries(h)};
    h->counted = (uint64_t)(uintptr_t)fresh; /* filled again as nodes are met */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    h->counted_shift = shift;
    h->counted_used = 0;
    return true;
}

/* Where its function leads, filtered or not; the hook looks for filtered ones in the other entry of the pair first. */
static uint64_t counted_slot(const struct hot *h, const struct pcomp_node *node)
{
    uint64_t filtered = (node->function >> FRAME_SKIP_SHIFT) & 1;
    return path_slot(node->parent, node->function & ~FRAME_SKIP_BIT, h->counted_shift) ^ filtered;
}

static void restore(struct hot *h, const struct pcomp_node *node)
{
    uint64_t count = entries(h);
    if (h->counted_used * 4 >= count && h->counted_shift > TABLE_LAST)
        new_table(h, h->counted_shift - 1);
    uint32_t *table = (uint32_t *)(uintptr_t)h->counted;
    uint64_t slot = counted_slot(h, node);
    uint32_t entry = (uint32_t)(((uint64_t)(uintptr_t)node - h->base) >> 6);
    if (table[slot] == entry || table[slot ^ 1] == entry)
        return;
    if (table[slot] && table[slot ^ 1])
        slot ^= ++h->sampling.random & 1;
    else if (table[slot])
        slot ^= 1;
    h->counted_used += !table[slot];
    table[slot] = entry;
}

static void forget(struct hot *h, const struct pcomp_node *node)
{
    uint32_t *table = (uint32_t *)(uintptr_t)h->counted;
    uint64_t slot = counted_slot(h, node);
    uint32_t entry = (uint32_t)(((uint64_t)(uintptr_t)node - h->base) >> 6);
    for (uint64_t i = 0; i < 2; i++)
        if (table[slot ^ i] == entry)
            table[slot ^ i] = 0;
}

/* As a counted hook does (instrument/hooks.c). Not inlined: nothing of it begins before the clock is read. */
static __attribute__((noinline)) bool finds(const struct hot *h, uint64_t parent, uint64_t function)
{
    uint64_t slot = path_slot(parent, function, h->counted_shift);
    const uint32_t *table = (const uint32_t *)(uintptr_t)h->counted;
    for (uint64_t i = 0; i < 2; i++) {
        const struct pcomp_node *node = path_node(h, table[slot ^ i]);
        if (node->function == function && node->parent == parent)
            return true;
    }
    return false;
}

void sampling_look_up(struct hot *h, uint64_t parent, uint64_t function, uint64_t now)
{
    struct sampling *s = &h->sampling;
    if (!s->counted || s->given || !finds(h, parent, function))
        return;
    uint64_t ticks = sampling_clock() - now;
    if (ticks < lookup_most) {
        s->lookup_ticks += ticks;
        s->lookups++;
    }
}

bool sampling_look_up_again(const struct hot *h, uint64_t *ticks)
{
    const struct pcomp_node *node = h->sampling.node;
    finds(h, node->parent, node->function);
    uint64_t begin = sampling_clock();
    finds(h, node->parent, node->function);
    *ticks = sampling_clock() - begin;
    return *ticks < lookup_most;
}

/* --- which nodes are counted --- */

bool sampling_is_counted(struct hot *h, const struct pcomp_node *node)
{
    const struct pcomp_node_extra *extra = path_extra(h, node);
    return extra && (extra->flags & PCOMP_NODE_COUNTED);
}

/* A segment of a node that is stamped always was short, or not. The exit comes last in a call. */
static void judge(struct hot *h, struct pcomp_node *node, struct pcomp_node_extra *extra, bool is_short)
{
    uint32_t wanted = (extra->flags & WANTED_MASK) >> WANTED_SHIFT;
    if (!is_short)
        wanted = wanted > STREAK ? STREAK_AGAIN : STREAK;
    else if (h->sampling.exit)
        wanted = wanted ? wanted - 1 : STREAK - 1; /* 0 in a new node */
    extra->flags = (extra->flags & ~WANTED_MASK) | wanted << WANTED_SHIFT;
    if (is_short && h->sampling.exit && !wanted && h->sampling.spared < 0) {
        extra->flags |= PCOMP_NODE_COUNTED;
        restore(h, node);
    }
}

static void demote(struct hot *h, struct pcomp_node *node, struct pcomp_node_extra *extra)
{
    extra->flags = (extra->flags & ~(WANTED_MASK | PCOMP_NODE_COUNTED)) | STREAK_AGAIN << WANTED_SHIFT;
    forget(h, node);
}

/* --- segments and intervals --- */

static struct pcomp_node_always *always_of(struct pcomp_node_extra *extra)
{
    return (struct pcomp_node_always *)(extra + 1);
}

static void add_always(struct pcomp_node_always *a, bool exit, uint64_t ticks, bool counts)
{
    *(exit ? &a->exit_ticks : &a->enter_ticks) += ticks;
    *(exit ? &a->exits : &a->enters) += counts;
}

static bool add_sample(struct pcomp_node_sampled *n, bool exit, uint64_t ticks)
{
    uint32_t *count = exit ? &n->exits : &n->enters;
    if (*count == UINT32_MAX)
        return false;            /* enough */
    n->squares += ticks * ticks; /* in this order never too small for the others, whoever reads while it happens */
    *count += 1;
    *(exit ? &n->exit_ticks : &n->enter_ticks) += ticks;
    return true;
}

/* So many events may be counted from now on before the next stamped hook; 0: that is the next one. */
static void give(struct hot *h, int64_t events)
{
    h->sampling.left = 0;
    h->budget = h->sampling.given = events;
}

/* Whether the segment may stand for others. */
static bool is_sample(const struct sampling *s, uint64_t ticks)
{
    return s->counted && !s->goes_on && ticks < long_ticks;
}

/* What follows the last stamped hook has been one segment, and took `ticks`. */
static struct pcomp_node_extra *add_segment(struct hot *h, uint64_t ticks)
{
    struct sampling *s = &h->sampling;
    struct pcomp_node_extra *extra = s->node ? path_extra(h, s->node) : NULL;
    if (!extra)
        h->thread->hook_ticks += ticks;
    else if (!is_sample(s, ticks) || !add_sample((struct pcomp_node_sampled *)s->node, s->exit, ticks))
        add_always(always_of(extra), s->exit, ticks, !s->goes_on);
    return extra;
}

static void end_segment(struct hot *h, uint64_t ticks)
{
    struct sampling *s = &h->sampling;
    struct pcomp_node_extra *extra = add_segment(h, ticks);
    if (!extra || s->goes_on)
        return;
    s->spared -= s->counted ? 0 : spared_ticks;
    if (!s->counted)
        judge(h, s->node, extra, ticks < short_ticks);
    else if (!is_sample(s, ticks))
        demote(h, s->node, extra);
}

/* What follows it has been an interval of counted events. */
static void add_interval(struct hot *h, uint64_t ticks, uint64_t events)
{
    struct pcomp_thread *t = h->thread;
    struct pcomp_node_extra *region = path_extra(h, h->sampling.region);
    t->counted_ticks += ticks;
    t->counted_events += events;
    t->counted_intervals++;
    if (region) {
        always_of(region)->counted_ticks += ticks;
        always_of(region)->counted_events += events;
    }
}

/* Time goes on at `now`; returns how long ago the last stamped hook ended, with the hooks on. */
static uint64_t pass(struct hot *h, uint64_t now)
{
    struct sampling *s = &h->sampling;
    uint64_t ticks = now > s->stamp ? now - s->stamp : 0, hook = s->hook; /* a handler may have stamped meanwhile */
    s->stamp += ticks;
    h->thread->stamp = s->stamp;
    s->hook = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->spared += (int64_t)ticks;
    if (s->spared > SPARED_MOST * spared_ticks)
        s->spared = SPARED_MOST * spared_ticks;
    if (s->lost) { /* nobody knows what was in it */
        h->thread->off_ticks += ticks;
        ticks = 0;
        s->lost = false;
    }
    ticks += s->silent;
    s->silent = 0;
    h->thread->hook_ticks += hook;
    if (s->node)
        ((struct pcomp_node_sampled *)s->node)->hook_ticks += hook;
    return ticks;
}

/* --- hooks ---------------------------------------------------------------------------------------------------- */

/* The hook that was under way will not end: nobody knows which events there have been since. The guard is that of the
 * hook which found that out, so that no handler passes the same time. */
static void abandon(struct hot *h, uint64_t now)
{
    struct sampling *s = &h->sampling;
    add_interval(h, pass(h, now), 0);
    give(h, 0);
    s->goes_on = true;
}

static bool guard_is_stale(const struct hot *h, uint64_t sp)
{
    const struct sampling *s = &h->sampling;
    if (!on_stack(h, sp))
        return false; /* of a stack that is not followed yet */
    if (!on_stack(h, s->guard))
        return h->shadow->kind != SHADOW_SIGNAL;
    return sp >= s->guard;
}

bool sampling_begin(struct hot *h, uint64_t sp, uint64_t now)
{
    struct sampling *s = &h->sampling;
    if (s->guard) {
        if (!guard_is_stale(h, sp))
            return false;
        s->guard = sp;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        abandon(h, now);
    }
    s->guard = sp;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the guard before the flags (profiler/switching.c, session.c) */
    if (__builtin_expect((switching_off && !s->stopped) || h->closing, 0)) {
        s->guard = 0;
        return false;
    }
    uint64_t ticks = pass(h, now);
    if (s->given == 0) {
        end_segment(h, ticks);
        return true;
    }
    uint64_t events = (uint64_t)(s->given - h->budget - 1);
    s->gap_left -= (int64_t)events;
    add_interval(h, ticks, events);
    return true;
}

static uint64_t next_random(struct sampling *s)
{
    s->random ^= s->random << 13; /* xorshift64 */
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

static void plan(struct hot *h)
{
    struct sampling *s = &h->sampling;
    int64_t events = 0;
    if (!s->counted || h->park != PARK_SAMPLED || s->repair)
        ; /* its segment is timed in any case; or a handler stopped measuring */
    else if (s->burst_left)
        s->burst_left--;
    else if (s->gap_left > 0)
        events = s->gap_left;
    else {
        s->burst_left = SAMPLING_BURST - 1;
        s->gap_left = (int64_t)(SAMPLING_GAP / 2 + next_random(s) % SAMPLING_GAP);
    }
    give(h, events);
}

/* The clock last; what is stored behind it takes the same time whatever the hook did. */
static void end_at(struct hot *h)
{
    struct sampling *s = &h->sampling;
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
    uint64_t now = (uint64_t)high << 32 | low;
#else
    uint64_t now = hot_clock();
#endif
    uint64_t hook = now - s->stamp;
    s->stamp = now; /* first: a handler that jumps out between the two must not find the hook's time in both */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->hook = hook;
    h->thread->stamp = now;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->guard = 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(switching_off, 0)) /* since it began, and it was too long under way to be waited for */
        give(h, 0);
}

void sampling_end(struct hot *h, struct pcomp_node *node, bool exit)
{
    struct sampling *s = &h->sampling;
    s->node = node;
    s->exit = exit;
    s->goes_on = false;
    s->counted = sampling_is_counted(h, node);
    if (s->counted && !exit)
        restore(h, node); /* another may have driven it out, or the table is new */
    plan(h);
    if (s->given && s->stamp >= s->measure_at)
        in_place_measure(h, s->stamp);
    end_at(h);
}

void sampling_end_as_before(struct hot *h)
{
    give(h, 0);
    h->sampling.goes_on = true;
    end_at(h);
}

void sampling_stop(struct hot *h, uint64_t now, bool for_good)
{
    struct sampling *s = &h->sampling;
    h->budget--; /* as a hook does */
    if (switching_off) {
        s->lost = true; /* the time since the hooks went off; what is left is the time without any before that */
        add_segment(h, pass(h, now));
    } else if (sampling_begin(h, HOT_SP(), now)) {
        s->guard = 0;
    } else if (s->lost) { /* the hooks went off in one that a handler may have left: nobody knows what has been since */
        pass(h, now);
    } else if (for_good) { /* in a handler: the hook that it interrupted never ends */
        abandon(h, now);
        s->guard = 0;
    }
    give(h, 0);
    s->stopped = true;
}

uint64_t sampling_resume(struct hot *h, uint64_t stopped, uint64_t now)
{
    struct sampling *s = &h->sampling;
    if (s->guard) { /* in a handler: the hook that it interrupted ends later */
        s->stopped = false;
        s->stamp += now - stopped;
        return now - stopped;
    }
    if (stopped < s->stamp) /* in a handler, and that hook has ended since */
        stopped = s->stamp;
    s->guard = HOT_SP();
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* no other thread touches the stamp meanwhile */
    s->stopped = false;
    s->stamp = now;
    sampling_end_as_before(h);
    return now - stopped;
}

bool sampling_jump(struct hot *h, uint64_t sp, uint64_t now)
{
    h->budget--; /* as a hook does */
    return sampling_begin(h, sp, now);
}

void sampling_find_region(struct hot *h)
{
    if (!config.sampled)
        return;
    const struct pcomp_frame *f = shadow_top(h);
    for (int looked = 0; looked < 256 && !frame_is_root(f); looked++, f--)
        if ((f->function & FRAME_STAMP_BIT) && f->node == frame_path(f)) { /* a filtered one is no region */
            h->sampling.region = (struct pcomp_node *)(uintptr_t)f->node;
            return;
        }
    h->sampling.region = h->root;
}

bool sampling_start(struct hot *h)
{
    if (!new_table(h, TABLE_FIRST))
        return false;
    struct sampling *s = &h->sampling;
    if (!short_ticks) { /* the same value from any thread */
        short_ticks = (uint64_t)(session_tick_hz * 1e-9 * SHORT_NS);
        long_ticks = (uint64_t)(session_tick_hz * 1e-9 * LONG_NS);
        spared_ticks = (int64_t)(session_tick_hz * 1e-9 * SPARED_NS);
        lookup_most = (uint64_t)(session_tick_hz * 1e-9 * LOOKUP_MOST_NS);
    }
    s->random = sampling_clock() * 0x9e3779b97f4a7c15u | 1;
    s->spared = SPARED_FIRST * spared_ticks;
    s->region = h->root;
    s->repair = switching_used; /* its first hooks may have been missed */
    sampling_resume(h, 0, h->thread->start_tick);
    return true;
}

void sampling_halt(struct hot *h, uint64_t counting)
{
    struct sampling *s = &h->sampling;
    bool under_way = s->guard;
    int64_t left = under_way ? 0 : __atomic_exchange_n(&h->budget, 0, __ATOMIC_ACQ_REL);
    if (left > 0)
        s->left = left;
    *(bool *)(uintptr_t)counting |= under_way || left > 0;
}

void sampling_park(struct hot *h)
{
    struct sampling *s = &h->sampling;
    int64_t left = __atomic_exchange_n(&h->budget, 0, __ATOMIC_ACQ_REL);
    left = left > 0 ? left : s->left;
    if (left > 0)
        s->given -= left; /* what is left are the events that there were */
    s->left = 0;
}

/* The thread may run: it must not find a table changed. A hook that is under way moves the stamp itself. */
void sampling_close(struct hot *h, uint64_t now)
{
    struct sampling *s = &h->sampling;
    if (s->guard || s->stopped)
        return;
    uint64_t ticks = pass(h, now);
    if (s->given == 0)
        add_segment(h, ticks);
    else
        add_interval(h, ticks, (uint64_t)s->given);
}

void sampling_leave(struct hot *h, uint64_t now)
{
    struct sampling *s = &h->sampling;
    bool met_none = s->repair;
    s->repair = true;
    if (s->stopped)
        return;
    if (s->guard || __atomic_load_n(&h->in_slow, __ATOMIC_SEQ_CST)) {
        s->lost = true;
        return;
    }
    if (met_none && !s->lost) {
        if (now > s->stamp) { /* else a hook has ended since */
            s->silent += now - s->stamp;
            s->stamp = h->thread->stamp = now;
        }
    } else {
        sampling_park(h);
        int64_t events = s->given;
        uint64_t ticks = pass(h, now);
        if (events == 0)
            add_segment(h, ticks);
        else
            add_interval(h, ticks, (uint64_t)events);
        s->gap_left -= events;
        s->given = 0;
        s->goes_on = true;
    }
}

void sampling_return(struct hot *h, uint64_t now)
{
    struct sampling *s = &h->sampling;
    if (s->repair)
        sampling_park(h); /* a hook that was under way when they went off may have planned since */
    if (s->stopped || s->lost || now < s->stamp)
        return;
    if (s->guard || __atomic_load_n(&h->in_slow, __ATOMIC_SEQ_CST)) {
        s->lost =
            true; /* a hook that is under way since before they went off moves the stamp itself, perhaps just now */
        return;
    }
    h->thread->off_ticks += now - s->stamp;
    s->stamp = h->thread->stamp = now;
}

void sampling_settle(struct hot *h, uint64_t unused)
{
    (void)unused;
    if (h->sampling.lost && !h->sampling.guard)
        sampling_park(h);
}

int64_t sampling_under_way(const struct hot *h)
{
    int64_t given = h->sampling.given, left = __atomic_load_n(&h->budget, __ATOMIC_RELAXED);
    return given > left && left >= 0 ? given - left : 0;
}

void sampling_repair_begins(struct hot *h)
{
    __atomic_store_n(&h->sampling.repair, false, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&switching_off, __ATOMIC_SEQ_CST)) /* perhaps what was cleared is already about the next time */
        h->sampling.repair = true;
}

void sampling_repaired(struct hot *h, struct pcomp_node *found, uint64_t now)
{
    struct sampling *s = &h->sampling;
    const struct pcomp_frame *top = shadow_top(h);
    struct pcomp_node *node = (struct pcomp_node *)(uintptr_t)top->node;
    s->exit = s->counted = false;
    s->goes_on = true;
    give(h, 0);
    if (found != node && !s->guard) {
        s->node = found;
        add_segment(h, pass(h, now));
    }
    s->node = top->end == FRAME_UNMEASURED ? s->region : node;
}

void sampling_finish(struct hot *h)
{
    uint64_t count = entries(h);
    for (uint32_t *table = (uint32_t *)(uintptr_t)h->counted; table;) {
        struct table_tail tail = *(struct table_tail *)(table + count);
        munmap(table, count * sizeof(*table) + TABLE_TAIL);
        table = tail.replaced;
        count = tail.entries;
    }
    h->counted = 0;
}
