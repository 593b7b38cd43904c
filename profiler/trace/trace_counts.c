#include "profiler/trace/trace_counts.h"

#include "compensation/control/level_machine.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/processor_time.h"
#include "profiler/base/run.h"
#include "profiler/base/spin.h"
#include "profiler/base/thread_list.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/count_samples.h"
#include "profiler/control/levels.h"
#include "profiler/record/frames.h"
#include "profiler/trace/trace_counted.h"
#include "profiler/trace/trace_segments.h"

#include <string.h>
#include <sys/mman.h>

#define LOOK_NS    200000u /* from look to look of any thread, at least, ... */
#define LOOK_SHARE 10u     /* ... so many times as long as the last one took, */
#define LOOK_MAX   100u    /* and so many times LOOK_NS at most */
#define SAID_MAX   64u     /* functions at a time */
#define SPAN_NS    1000000 /* a stretch of time in which calls are counted ends at the first hook behind it */

static struct spin lock;             /* taken where that of the levels may be held, never the reverse */
static uint64_t *calls;              /* by function */
static bool ready;                   /* there is memory for these */
static uint64_t next_look, fallen;   /* tick; functions that fall in the present look */
static uint64_t bytes;               /* of records, of all threads until their last looks */
static uint64_t of_ended, until_now; /* operations of ended threads; of all, until the last look at the levels */

static void falls(uint32_t function)
{
    trace_counted_put(trace_counted_fell() + fallen++, function);
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

static void fell(void)
{
    uint64_t first = trace_counted_fell();
    spin_lock(&lock);
    trace_counted_publish(first + fallen);
    fallen = 0;
    thread_list_each(alarm_thread, &first);
    spin_unlock(&lock);
}

/* Of a recorded call, which are two events. */
static double in_context(double loop)
{
    double events = (double)__atomic_load_n(&bytes, __ATOMIC_RELAXED) / sizeof(struct pcomp_event);
    return loop + 2 * count_samples_event(loop / 2, events).more;
}

static void add_operations(struct thread_state *h, void *sum)
{
    *(uint64_t *)sum += *(volatile uint64_t *)&h->tracing.operations;
}

/* With the lock of the levels. Those of a thread that ends meanwhile may be missing once. */
static uint64_t operations(void)
{
    uint64_t sum = __atomic_load_n(&of_ended, __ATOMIC_RELAXED);
    thread_list_each(add_operations, &sum);
    return until_now = sum > until_now ? sum : until_now;
}

void trace_counts_thread_end(struct thread_state *h)
{
    uint64_t own = h->tracing.operations;
    h->tracing.operations = 0; /* first: no look counts them twice */
    __atomic_fetch_add(&of_ended, own, __ATOMIC_SEQ_CST);
}

static const struct levels_recorder recorder = {.limit = PCOMP_LEVEL_TRACE_LIMIT,
                                                .burst = PCOMP_LEVEL_TRACE_BURST,
                                                .rate = PCOMP_LEVEL_TRACE_RATE,
                                                .keeps_fallen = true, /* they are in the trace */
                                                .variant = PCOMP_VARIANT_REPEAT,
                                                .in_context = in_context,
                                                .operations = operations,
                                                .falls = falls,
                                                .fell = fell};

void trace_counts_process_start(void)
{
    lock.taken = 0;
    next_look = fallen = bytes = of_ended = until_now = 0;
    if (!calls) {
        void *room = mmap(NULL, COUNTS_MAX * sizeof(*calls), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        calls = room == MAP_FAILED ? NULL : room;
    }
    bool windows = !config.exact && levels_sampled; /* else nothing tells when to open and close them */
    ready = trace_counted_start() && calls && levels_start(windows, &recorder);
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
    uint32_t count = functions_count() < COUNTS_MAX ? functions_count() : COUNTS_MAX;
    memset(calls, 0, count * sizeof(*calls));
    counts_sum(calls, count);
    for (uint64_t i = 0; i < end; i++) {
        uint32_t function = trace_counted_function(i);
        sum.calls += (double)calls[function];
        sum.kept += (double)calls[function] * sites_keeping(function);
    }
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

/* --- looks -----------------------------------------------------------------------------------------------------------
 */

/* Where many calls were recorded since the last time, what turned hot must not wait for the next regular look. By
 * processor time: a look may lose its processor. */
static bool look(struct thread_state *h, uint64_t now)
{
    bool many = h->trace_cursor - h->tracing.counted.looked >= TRACE_COUNTED_LOOK,
         at_once = many && now >= __atomic_load_n(&next_look, __ATOMIC_ACQUIRE);
    if (!at_once && now < levels_next_look())
        return false;
    uint64_t begin = processor_time_ns(0);
    if (!levels_look(now, !levels_sampled, at_once, true))
        return false;
    uint64_t pause = LOOK_SHARE * (processor_time_ns(0) - begin);
    pause = pause < LOOK_NS ? LOOK_NS : pause > LOOK_MAX * LOOK_NS ? LOOK_MAX * LOOK_NS : pause;
    uint64_t next = clock_read(config.clock) + (uint64_t)(run_tick_hz * 1e-9 * (double)pause);
    __atomic_store_n(&next_look, next, __ATOMIC_RELEASE);
    return true;
}

static double seconds(uint64_t ticks)
{
    return (double)ticks / run_tick_hz;
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
    uint64_t written = trace_bytes(h);
    __atomic_fetch_add(&bytes, written - h->tracing.counted.bytes, __ATOMIC_RELAXED);
    h->tracing.counted.bytes = written;
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
        bool looks = look(h, s.begin);
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
