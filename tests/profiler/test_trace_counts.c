/* What a trace tells the levels of functions: how much it has recorded. */
#include "profiler/trace/trace_counts.h"

#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/run.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/thread_list.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/sites.h"
#include "profiler/control/count_samples.h"
#include "profiler/control/levels.h"
#include "profiler/stack/shadow.h"
#include "profiler/trace/trace_counted.h"
#include "profiler/trace/trace_segments.h"

#include <criterion/criterion.h>

struct config config = {.clock = PCOMP_CLOCK_TSC};
double run_tick_hz = 1e9;
uint64_t shadow_stride = sizeof(struct timed_frame);
bool levels_sampled;
__thread bool sanitizer_is_late;

static const struct levels_recorder *recorder;
static double asked_of; /* events, last */

bool levels_start(bool may_sample, const struct levels_recorder *of)
{
    recorder = of;
    return !may_sample;
}

struct pcomp_event_price count_samples_event(double loop, double events)
{
    asked_of = events;
    return (struct pcomp_event_price){events > 0 ? 3 * loop : 0, 0};
}

/* --- what nothing here depends on --- */

uint64_t levels_next_look(void)
{
    return UINT64_MAX;
}

bool levels_look(uint64_t now, bool at_sample, bool at_once, bool may_fall)
{
    return now && at_sample && at_once && may_fall;
}

void own_stack_run(void (*work)(void *argument), void *argument)
{
    work(argument);
}

uint64_t own_stack_entered(void)
{
    return 0;
}

void shadow_adopt(struct thread_state *h)
{
    (void)h;
}

const struct counts_owner *counts_own(void)
{
    static const char owner;
    return (const struct counts_owner *)&owner;
}

void counts_sum(uint64_t *sums, uint32_t count)
{
    (void)sums;
    (void)count;
}

uint64_t function_address(uint32_t id)
{
    return id;
}

struct function_info function_find(uint64_t address)
{
    (void)address;
    return (struct function_info){0};
}

bool function_is_known(uint64_t address)
{
    return !address;
}

uint32_t functions_count(void)
{
    return 0;
}

uint32_t sites_keeping(uint32_t function)
{
    return function;
}

enum site_level sites_level(uint32_t function)
{
    (void)function;
    return SITE_TIMED;
}

static struct thread_state running[3];
static unsigned running_count;

void thread_list_each(void (*visit)(struct thread_state *h, void *context), void *context)
{
    for (unsigned i = 0; i < running_count; i++)
        visit(&running[i], context);
}

bool trace_counted_start(void)
{
    return true;
}

uint64_t trace_counted_fell(void)
{
    return 0;
}

uint32_t trace_counted_function(uint64_t which)
{
    return (uint32_t)which;
}

void trace_counted_put(uint64_t which, uint32_t function)
{
    (void)which;
    (void)function;
}

void trace_counted_publish(uint64_t count)
{
    (void)count;
}

int64_t trace_counted_calls(const struct counts_owner *own, uint64_t first, uint64_t end)
{
    (void)own;
    return (int64_t)(end - first);
}

bool trace_counted_is_behind(const struct thread_state *h)
{
    return !h;
}

void trace_counted_span_begin(struct thread_state *h, uint64_t now, uint64_t cursor)
{
    (void)h;
    (void)now;
    (void)cursor;
}

void trace_set_limits(struct thread_state *h)
{
    (void)h;
}

bool trace_write_marks(struct thread_state *h, uint64_t begin, const struct pcomp_event marks[], uint32_t count)
{
    (void)h;
    (void)begin;
    (void)marks;
    return count;
}

/* --- */

static struct pcomp_trace_segment segments[4];

/* A thread that has recorded so many events, in this segment and in those before. */
static struct thread_state recorded(unsigned here, unsigned before)
{
    struct thread_state h = {.trace_cursor = (uint64_t)(uintptr_t)(segments + 1) + here * sizeof(struct pcomp_event)};
    h.tracing.segment = segments;
    h.tracing.written = before * sizeof(struct pcomp_event);
    trace_counts_thread_start(&h);
    return h;
}

static double price_after(struct thread_state *h)
{
    trace_counts_hook(h, 0);
    return recorder->in_context(80e-9);
}

TestSuite(trace_counts, .init = trace_counts_process_start);

Test(trace_counts, a_recorded_call_is_two_events_among_all_that_the_threads_have_recorded)
{
    struct thread_state one = recorded(1000, 0), other = recorded(100, 5000);
    cr_expect_float_eq(recorder->in_context(80e-9), 80e-9, 1e-12, "no events yet: that of the loop");
    cr_expect_float_eq(price_after(&one), 80e-9 + 2 * 3 * 40e-9, 1e-12);
    cr_expect_eq(asked_of, 1000);
    price_after(&other);
    cr_expect_eq(asked_of, 6100);
}

Test(trace_counts, what_was_seen_of_a_thread_counts_once)
{
    struct thread_state h = recorded(1000, 0);
    price_after(&h);
    h.tracing.written += 1000 * sizeof(struct pcomp_event);
    h.trace_cursor -= 500 * sizeof(struct pcomp_event);
    price_after(&h);
    cr_expect_eq(asked_of, 1500);
    trace_counts_process_start(); /* the child of a fork */
    recorder->in_context(80e-9);
    cr_expect_eq(asked_of, 0);
}

Test(trace_counts, operations_are_those_of_all_threads_also_of_ended_ones)
{
    cr_assert_not_null(recorder->operations);
    cr_expect_eq(recorder->operations(), 0);
    running_count = 2;
    running[0].tracing.operations = 10;
    running[1].tracing.operations = 5;
    cr_expect_eq(recorder->operations(), 15);
    trace_counts_thread_end(&running[1]);
    cr_expect_eq(recorder->operations(), 15, "once, while the thread is in the list");
    running_count = 1;
    running[0].tracing.operations += 2;
    cr_expect_eq(recorder->operations(), 17);
}

Test(trace_counts, operations_never_become_less_but_in_the_child_of_a_fork)
{
    running_count = 2;
    running[0].tracing.operations = 10;
    running[1].tracing.operations = 5;
    cr_expect_eq(recorder->operations(), 15);
    running_count = 1; /* it ends just now: out of the list, and not among the ended ones */
    cr_expect_eq(recorder->operations(), 15);
    trace_counts_process_start();
    running_count = 0;
    cr_expect_eq(recorder->operations(), 0);
}
