#include "profiler/trace/trace_levels.h"

#include "compensation/control/trace_budget.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/base/spin.h"
#include "profiler/base/store.h"
#include "profiler/record/frames.h"
#include "profiler/trace/trace_segments.h"
#include "profiler/trace/trace_suppressed.h"

#define LOOK_EVENTS  512u /* hooks from look to look: half as many more in the mean, at random */
#define STEP_NS      1000000u
#define STEP_PART    64u /* of the budget of a second: sums are also added when so much was recorded */
#define SPAN_NS      10000000u
#define REPORT_NS    1000000000u
#define REPORTED_MAX 64u  /* functions at a time */
#define SCAN_MAX     128u /* records, from look to look */
#define CALL_BYTES   (2 * sizeof(struct pcomp_event))
#define SUMMED_MAX   128u /* suppressed functions of a thread: their calls are summed up at each look */
#define GAP          (4 * sizeof(struct pcomp_event)) /* for records of a thread that may still be on its way */

static struct spin lock;
static struct pcomp_trace_budget budget;
static uint64_t generation; /* of the levels in it */
static uint64_t step_ticks, span_ticks, report_ticks;

static uint64_t ticks(uint64_t ns)
{
    return (uint64_t)(run_tick_hz * 1e-9 * (double)ns);
}

void trace_levels_process_start(void)
{
    lock.taken = 0;
    step_ticks = ticks(STEP_NS);
    span_ticks = ticks(SPAN_NS);
    report_ticks = ticks(REPORT_NS);
    pcomp_trace_budget_start(&budget, config.trace_budget, clock_read(config.clock), (uint64_t)run_tick_hz);
    store_header->trace_budget = config.trace_budget;
}

void trace_levels_thread_start(struct thread_state *h)
{
    if (!h->tracing.stopped && trace_suppressed_begin(h))
        trace_suppressed_interrupt(h);
}

/* --- what was recorded and counted ---------------------------------------------------------------------------------
 */

static uint64_t function_of(const struct pcomp_event *e)
{
    uint32_t kind = pcomp_event_kind(e);
    bool calls = kind == PCOMP_EVENT_ENTER || kind == PCOMP_EVENT_EXIT;
    return calls && !(e->what & PCOMP_EVENT_REGION) ? pcomp_event_value(e) : 0;
}

static uint32_t size_at(uint64_t at)
{
    return pcomp_event_size((const struct pcomp_event *)(uintptr_t)at);
}

/* What `bytes` of records are of: the first ones since the last look stand for the rest. The few of a segment that has
 * just begun stand for themselves alone: what a segment begins with is no load. */
static void scan(struct thread_state *h, uint64_t bytes)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    uint64_t first = (uint64_t)(uintptr_t)(h->tracing.segment + 1), end = h->trace_cursor;
    uint64_t from = t->scanned >= first && t->scanned <= end ? t->scanned : first, to = from;
    uint32_t records = 0;
    for (; records < SCAN_MAX && to < end; records++)
        to += size_at(to);
    uint64_t stands_for = records == SCAN_MAX ? bytes : to - from;
    for (uint64_t at = from; at < to; at += size_at(at))
        pcomp_trace_budget_note(&budget, function_of((const struct pcomp_event *)(uintptr_t)at),
                                size_at(at) * stands_for / (to - from), false);
    t->scanned = end;
}

/* In the file: of a process that is killed, what was counted since is in no number. */
static void show_suppressed(struct thread_state *h)
{
    const struct trace_suppressed *t = h->tracing.suppressed;
    uint64_t calls = 0;
    for (uint32_t i = 0; i < t->count; i++)
        calls += t->nodes[i].calls;
    h->tracing.header->suppressed = calls;
}

/* Adds to the sums of the process. */
static void add(struct thread_state *h, uint64_t now)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    uint64_t bytes = trace_bytes(h);
    pcomp_trace_budget_add(&budget, now, bytes - t->tallied);
    scan(h, bytes - t->tallied);
    t->tallied = bytes;
    for (uint32_t i = 0; i < t->count; i++) {
        uint64_t calls = t->nodes[i].calls - t->seen[i];
        if (calls)
            pcomp_trace_budget_note(&budget, t->nodes[i].function & ~FRAME_SKIP_BIT, calls * CALL_BYTES, true);
        t->seen[i] += calls;
    }
    show_suppressed(h);
}

static void show(void)
{
    struct pcomp_header *p = store_header;
    p->trace_worst = budget.worst;
    p->over_ticks = budget.over.ticks;
    p->over_longest = budget.over.longest;
    p->over_count = budget.over.count;
    p->over_cause = budget.over.longest_cause == PCOMP_TRACE_OVER_BEFORE   ? PCOMP_OVER_TRACE_BEFORE
                    : budget.over.longest_cause == PCOMP_TRACE_OVER_ALWAYS ? PCOMP_OVER_TRACE_ALWAYS
                                                                           : PCOMP_OVER_NONE;
}

/* --- levels --------------------------------------------------------------------------------------------------------
 */

static void apply(struct thread_state *h, uint64_t now)
{
    for (const struct pcomp_traced *f = budget.functions; f < budget.functions + budget.count; f++)
        if (f->suppressed)
            trace_suppressed_add(h, f->function, now);
        else if (f->patience)
            trace_suppressed_remove(h, f->function);
    h->tracing.suppressed->generation = generation;
}

/* Calls that the trace has not told of yet, of some functions. Returns how many. */
static uint32_t collect(struct thread_state *h, uint64_t now, bool last, struct pcomp_event_long *notes)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    uint32_t count = 0;
    for (uint32_t i = t->next_reported; i < t->count && count < REPORTED_MAX; t->next_reported = ++i) {
        uint64_t calls = t->nodes[i].calls + (last ? trace_suppressed_open(h, i) : 0);
        if (calls <= t->functions[i].reported)
            continue;
        uint64_t function = t->nodes[i].function & ~FRAME_SKIP_BIT;
        notes[count++] = (struct pcomp_event_long){now, (uint64_t)PCOMP_EVENT_SUPPRESSED << 56 | function,
                                                   calls - t->functions[i].reported, t->functions[i].since};
        t->functions[i].reported = calls;
        t->functions[i].since = now;
    }
    return count;
}

/* Writes them in a flush that began at tick `begin`, which says that nothing since was the program's, and the levels'
 * change is one. */
static void report_calls(struct thread_state *h, uint64_t begin, bool changed)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    struct pcomp_event_long notes[REPORTED_MAX];
    bool due = begin - t->reported >= report_ticks;
    uint32_t count = due || t->next_reported ? collect(h, begin, false, notes) : 0;
    if (due)
        t->reported = begin;
    if (t->next_reported >= t->count)
        t->next_reported = 0;
    if (count || changed)
        trace_write_notes(h, begin, notes, count);
    else if (t->span.record ? begin - t->span.begin >= span_ticks : t->suppressed > 0) {
        trace_suppressed_span_update(h, begin, h->trace_cursor, true);
        trace_suppressed_span_begin(h, begin, h->trace_cursor);
    }
}

/* Signals blocked. */
static void step(struct thread_state *h, uint64_t now)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    if (!spin_try(&lock))
        return;
    t->polled = now;
    add(h, now);
    if (pcomp_trace_budget_decide(&budget, now))
        __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
    bool changed = t->generation != generation;
    if (changed)
        apply(h, now);
    show();
    spin_unlock(&lock);
    report_calls(h, now, changed);
}

static void step_called(void *any)
{
    struct thread_state *h = any;
    struct slow s;
    slow_begin(&s, h);
    if (!slow_is_too_late(&s) && !h->tracing.stopped) {
        step(h, clock_read(config.clock)); /* a handler may have recorded since s.begin */
        trace_set_limits(h);
    }
    slow_end(&s);
}

static void look(struct thread_state *h)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    uint64_t now = clock_read(config.clock);
    trace_suppressed_poll_after(h, LOOK_EVENTS + (int64_t)(now * 0x9e3779b97f4a7c15u >> 54));
    if (h->tracing.stopped || !h->tracing.segment)
        return;
    trace_suppressed_span_update(h, now, h->trace_cursor, false);
    if (t->count <= SUMMED_MAX)
        show_suppressed(h);
    if (now - t->polled < step_ticks && trace_bytes(h) - t->tallied < config.trace_budget / STEP_PART &&
        t->generation == __atomic_load_n(&generation, __ATOMIC_RELAXED))
        return;
    own_stack_run(step_called, h);
}

bool trace_levels_hook(struct thread_state *h, uint64_t function, uint64_t sp, bool exit)
{
    if (h->budget < 0)
        look(h);
    return exit ? trace_suppressed_exit(h, function, sp) : trace_suppressed_enter(h, function, sp);
}

void trace_levels_thread_end(struct thread_state *h, bool own)
{
    struct trace_suppressed *t = h->tracing.suppressed;
    struct pcomp_event_long notes[REPORTED_MAX];
    if (!t || !h->tracing.segment)
        return;
    uint64_t now = clock_read(config.clock);
    spin_lock(&lock);
    add(h, now);
    show();
    spin_unlock(&lock);
    if (own)
        trace_suppressed_span_update(h, now, h->trace_cursor, true);
    else if (h->trace_cursor + GAP + sizeof(notes) <= h->tracing.end)
        h->trace_cursor += GAP;
    else
        return;            /* it may be making the next segment */
    t->span.record = NULL; /* of hooks that come too late, too */
    t->next_reported = 0;
    for (uint32_t count; (count = collect(h, now, true, notes)) && trace_write_notes(h, now, notes, count) && own;)
        now = clock_read(config.clock);
}
