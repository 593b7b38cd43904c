#include "profiler/levels.h"

#include "compensation/control/level_machine.h"
#include "profiler/code/sites/sites.h"
#include "profiler/config.h"
#include "profiler/counts.h"
#include "profiler/frames.h"
#include "profiler/functions.h"
#include "profiler/session.h"
#include "profiler/spin.h"
#include "profiler/store.h"
#include "profiler/threads.h"

#include <string.h>
#include <sys/mman.h>

#define EVERY_LEAST 0.001 /* seconds from one look to the next, at least ... */
#define EVERY_MOST  0.05  /* ... and at most, when nothing fell */
#define SHARE       50.0  /* ... and so many times as long as a look took, ... */
#define SHARE_MOST  0.1   /* ... but no longer than that: a look may have lost its processor */

static struct spin lock;
static uint64_t *calls; /* COUNTS_MAX each */
static uint8_t *levels;
static uint64_t next_look, falls; /* tick; how often levels fell */
static double every;

static void *reserve(uint64_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

bool levels_start(void)
{
    lock.taken = 0;
    every = EVERY_LEAST;
    next_look = falls = 0;
    if (!calls)
        calls = reserve(COUNTS_MAX * sizeof(*calls));
    if (!levels)
        levels = reserve(COUNTS_MAX * sizeof(*levels));
    return calls && levels;
}

void levels_settle(void)
{
    if (!config.counts || counts_make_room(functions_count()))
        sites_settle();
}

/* --- falling ---------------------------------------------------------------------------------------------------------
 */

static double timed_call_cost(void)
{
    return (double)session_delta[PCOMP_VARIANT_LOOKUP].descendant / (1 << PCOMP_FIX_SHIFT) / session_tick_hz;
}

/* Returns how many fell. */
static uint32_t let_fall(uint64_t now)
{
    uint32_t count = functions_count() < COUNTS_MAX ? functions_count() : COUNTS_MAX, fell = 0;
    double seconds = (double)(now - store_header->tick0) / session_tick_hz;
    memset(calls, 0, count * sizeof(*calls));
    counts_sum(calls, count);
    for (uint32_t i = 0; i < count; i++)
        levels[i] = sites_level(i) == SITE_TIMED ? PCOMP_LEVEL_TIMED : PCOMP_LEVEL_COUNTED;
    double allowance = pcomp_levels_allowance(calls, levels, count, seconds, timed_call_cost());
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_TIMED && (double)calls[i] > allowance) {
            sites_set_level(i, SITE_COUNTED);
            function_mark(i, PCOMP_FUNCTION_COUNTED);
            fell++;
        }
    return fell;
}

static void look_soon(struct hot *h, uint64_t at)
{
    __atomic_store_n(&h->look_at, at, __ATOMIC_RELAXED);
}

static void look(uint64_t now)
{
    uint32_t fell = let_fall(now);
    levels_settle();
    counts_publish();
    if (fell) {
        store_header->level_falls += fell;
        __atomic_store_n(&falls, falls + 1, __ATOMIC_RELEASE);
        threads_each(look_soon, 0);
    }
    every = fell ? EVERY_LEAST : every * 2 > EVERY_MOST ? EVERY_MOST : every * 2;
    uint64_t took = clock_read(config.clock) - now;
    double pause = SHARE * (double)took / session_tick_hz;
    pause = pause < every ? every : pause > SHARE_MOST ? SHARE_MOST : pause;
    __atomic_store_n(&next_look, now + took + (uint64_t)(pause * session_tick_hz), __ATOMIC_RELEASE);
}

/* --- frames ----------------------------------------------------------------------------------------------------------
 */

/* The time until now is the last that is kept of the activation. */
static void take_time_out(struct hot *h, struct pcomp_frame *f, uint64_t now)
{
    uint64_t bits = f->function & FRAME_BITS, function = f->function & ~FRAME_BITS;
    if (f->end == FRAME_UNMEASURED || frame_in_flight(f) || !function_is_known(function) ||
        sites_level(function_find(function).id) != SITE_COUNTED)
        return;
    const struct pcomp_node *node = (const struct pcomp_node *)(uintptr_t)f->node;
    hot_account(h, f, now > f->start ? now : f->start + 1);
    f->function = function | bits | FRAME_SKIP_BIT;
    f->node = node->parent; /* what it calls goes on below its caller */
    f->overhead = 0;
    f->end = FRAME_UNMEASURED;
}

/* Of the stacks of coroutines, too: what runs there next is called by what is left. A stack that a handler interrupted
 * is left alone, since a hook may be under way there. */
static void take_times_out(struct hot *h, uint64_t now)
{
    struct shadow *current = h->shadow;
    for (struct shadow *s = h->shadows; s; s = s->next) {
        if (s != current && shadow_runs(current, s))
            continue;
        shadow_show(h, s);
        uint64_t end = s == current ? now : s->left_tick;
        for (struct pcomp_frame *f = shadow_top(h); !frame_is_root(f); f = frame_below(f))
            take_time_out(h, f, end);
        frame_above(shadow_top(h))->function = 0;
    }
    shadow_show(h, current);
}

void levels_look(struct hot *h, uint64_t now)
{
    if (now >= __atomic_load_n(&next_look, __ATOMIC_ACQUIRE) && spin_try(&lock)) {
        if (now >= next_look)
            look(now);
        spin_unlock(&lock);
    }
    uint64_t seen = __atomic_load_n(&falls, __ATOMIC_ACQUIRE);
    look_soon(h, __atomic_load_n(&next_look, __ATOMIC_RELAXED));
    if (h->falls_seen != seen) {
        h->falls_seen = seen;
        take_times_out(h, now);
    }
}
