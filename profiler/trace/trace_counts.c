#include "profiler/trace/trace_counts.h"

#include "compensation/control/level_machine.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/base/spin.h"
#include "profiler/base/thread_list.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/levels.h"
#include "profiler/record/frames.h"
#include "profiler/trace/trace_counted.h"
#include "profiler/trace/trace_segments.h"

#include <string.h>
#include <sys/mman.h>

#define LOOK_NS     200000u /* from look to look of any thread, at least, ... */
#define LOOK_SHARE  50u     /* ... so many times as long as the last one took to decide, */
#define LOOK_MAX    100u    /* and so many times LOOK_NS at most: a look may have lost its processor */
#define CALLS_BURST 2000.0  /* calls of a function that are recorded, where the price allows that, ... */
#define CALLS_RATE  10000.0 /* ... and more in each second: 320 KB of trace */
#define SAID_MAX    64u     /* functions at a time */
#define SPAN_NS     1000000 /* a stretch of time in which calls are counted ends at the first hook behind it */

static struct spin lock;
static uint64_t *calls;    /* by function, at the look */
static uint8_t *levels;    /* enum pcomp_level */
static bool ready;         /* there is memory for these */
static uint64_t next_poll; /* tick */
static uint64_t began;     /* tick */

static void *reserve(uint64_t size)
{
    void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

void trace_counts_process_start(void)
{
    lock.taken = 0;
    next_poll = 0;
    began = clock_read(config.clock);
    if (!calls)
        calls = reserve(COUNTS_MAX * sizeof(*calls));
    if (!levels)
        levels = reserve(COUNTS_MAX * sizeof(*levels));
    else
        madvise(levels, COUNTS_MAX * sizeof(*levels), MADV_DONTNEED); /* child of a fork */
    ready = trace_counted_start() && calls && levels;
}

/* With the lock. Returns how many functions there are. */
static uint32_t read_calls(void)
{
    uint32_t count = functions_count() < COUNTS_MAX ? functions_count() : COUNTS_MAX;
    memset(calls, 0, count * sizeof(*calls));
    counts_sum(calls, count);
    return count;
}

void trace_counts_thread_start(struct thread_state *h)
{
    h->tracing.counted.own = ready ? counts_own() : NULL;
}

struct trace_counts_sum trace_counts_sum(void)
{
    struct trace_counts_sum sum = {0};
    uint64_t end = trace_counted_fell();
    if (!ready || !end)
        return sum;
    spin_lock(&lock);
    read_calls();
    for (uint64_t i = 0; i < end; i++) {
        uint32_t function = trace_counted_function(i);
        sum.calls += (double)calls[function];
        sum.kept += (double)calls[function] * sites_keeping(function);
    }
    spin_unlock(&lock);
    return sum;
}

/* --- what has fallen -------------------------------------------------------------------------------------------------
 */

static void say(struct thread_state *h, uint64_t begin)
{
    struct pcomp_event notes[SAID_MAX];
    if (!spin_try(&lock))
        return;
    uint64_t from = h->tracing.counted.known, to = trace_counted_fell();
    h->tracing.counted.known = to;
    h->tracing.counted.recorded = h->tracing.counted.behind;
    spin_unlock(&lock);
    if (h->tracing.known) /* the depth of before is no longer that of the trace's reader */
        h->tracing.known += (uint64_t)TRACE_DEPTH_EPOCH << 32;
    while (from < to) {
        uint32_t count = 0;
        for (; from < to && count < SAID_MAX; from++)
            if (trace_counted_calls(h->tracing.counted.own, from, from + 1))
                notes[count++] = (struct pcomp_event){begin, (uint64_t)PCOMP_EVENT_COUNTED << 56 |
                                                                 function_address(trace_counted_function(from))};
        if (count && !trace_write_marks(h, begin, notes, count))
            return;
        begin = clock_read(config.clock);
    }
}

/* What was called until now was recorded; and makes the thread say which functions fell, before its next event. */
static void alarm_thread(struct thread_state *h, void *first)
{
    if (!h->tracing.counted.own)
        return;
    h->tracing.counted.behind +=
        trace_counted_calls(h->tracing.counted.own, *(const uint64_t *)first, trace_counted_fell());
    __atomic_store_n(&h->trace_limit, 0, __ATOMIC_SEQ_CST);
}

/* --- looks -----------------------------------------------------------------------------------------------------------
 */

static double seconds(uint64_t ticks)
{
    return (double)ticks / run_tick_hz;
}

static uint32_t decide(uint64_t now)
{
    uint32_t count = read_calls(), chosen = 0;
    uint64_t first = trace_counted_fell();
    double price = (double)run_delta[PCOMP_VARIANT_REPEAT].descendant / (1 << PCOMP_FIX_SHIFT) / run_tick_hz;
    double since = seconds(now - began);
    double allowance = pcomp_levels_affordable(calls, levels, count, CALLS_BURST + CALLS_RATE * since, since, price);
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < count; i++)
        if (levels[i] == PCOMP_LEVEL_TIMED && (double)calls[i] > allowance) {
            levels[i] = PCOMP_LEVEL_COUNTED;
            sites_set_level(i, SITE_COUNTED);
            function_mark(i, PCOMP_FUNCTION_COUNTED);
            trace_counted_put(first + chosen++, i);
        }
    return chosen;
}

/* With the lock. */
static void look(uint64_t now)
{
    uint64_t first = trace_counted_fell();
    uint32_t chosen = decide(now);
    uint64_t decided = clock_read(config.clock);
    levels_resolve();
    counts_publish();
    if (chosen) {
        trace_counted_publish(first + chosen);
        thread_list_each(alarm_thread, &first);
    }
    uint64_t min = (uint64_t)(run_tick_hz * 1e-9 * LOOK_NS), pause = LOOK_SHARE * (decided - now);
    pause = pause < min ? min : pause > LOOK_MAX * min ? LOOK_MAX * min : pause;
    __atomic_store_n(&next_poll, clock_read(config.clock) + pause, __ATOMIC_RELEASE);
}

/* Hooks between two looks may not take longer than a span: where they are rare, each of them looks. */
static void plan_look(struct thread_state *h, uint64_t now)
{
    double took = seconds(now - h->tracing.counted.looked_tick) / (SPAN_NS * 1e-9);
    uint64_t stride = h->tracing.counted.stride, more = 2 * stride + sizeof(struct pcomp_event);
    if (!h->tracing.counted.known || (took < 0.5 && more > TRACE_COUNTED_LOOK))
        stride = TRACE_COUNTED_LOOK;
    else if (took < 0.5)
        stride = more;
    else if (took > 1)
        stride = 0;
    h->tracing.counted.stride = stride;
    h->tracing.counted.looked = h->trace_cursor;
    h->tracing.counted.looked_tick = now;
    h->tracing.counted.sampled = false;
}

static bool span_is_over(const struct thread_state *h, uint64_t now)
{
    const struct tracing *t = &h->tracing;
    return t->counted.known && (t->counted.sampled || seconds(now - t->counted.span.begin) > SPAN_NS * 1e-9);
}

static void poll_called(void *any)
{
    struct thread_state *h = any;
    struct slow s;
    slow_begin(&s, h);
    if (!slow_is_too_late(&s) && !h->tracing.stopped) {
        bool looks = s.begin >= __atomic_load_n(&next_poll, __ATOMIC_ACQUIRE) && spin_try(&lock);
        if (looks) {
            look(s.begin);
            spin_unlock(&lock);
        }
        if (trace_counted_is_behind(h))
            say(h, s.begin);
        else if (looks || span_is_over(h, s.begin))
            trace_write_marks(h, s.begin, NULL, 0);
        else if (!h->tracing.counted.span.record)
            trace_counted_span_begin(h, clock_read(config.clock), h->trace_cursor);
        plan_look(h, s.begin);
        trace_set_limits(h);
    }
    slow_end(&s);
}

/* The cursor may be in another segment than at the last look. A trace that has stopped has nothing to say. */
static bool is_due(const struct thread_state *h)
{
    return !h->tracing.stopped && (h->trace_cursor - h->tracing.counted.looked >= h->tracing.counted.stride ||
                                   h->tracing.counted.sampled || trace_counted_is_behind(h));
}

bool trace_counts_hook(struct thread_state *h, uint64_t function)
{
    if (is_due(h))
        own_stack_run(poll_called, h);
    return function_is_known(function) && sites_level(function_find(function).id) != SITE_TIMED;
}
