/* Spans of hooks that a trace does not record, and handlers that come at any instruction. */
#include "profiler/trace/trace_suppressed.h"

#include "profiler/base/own_stack.h"
#include "profiler/stack/shadow.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

uint64_t shadow_stride = sizeof(struct timed_frame);

uint64_t own_stack_program(void)
{
    return 0;
}

void shadow_find_stack(uint64_t address, bool grows, uint64_t *low, uint64_t *high)
{
    (void)address;
    (void)grows;
    *low = 0;
    *high = UINT64_MAX;
}

static struct thread_state h;
static struct pcomp_event_long records[16];
static uint64_t now;
static int steps, handled_at;

static void begin(void)
{
    h = (struct thread_state){.trace_cursor = (uint64_t)(uintptr_t)records,
                              .tracing.end = (uint64_t)(uintptr_t)(records + 16)};
    memset(records, 0, sizeof(records));
    cr_assert(trace_suppressed_begin(&h));
    h.tracing.suppressed->suppressed = 1;
    steps = 0;
}

/* As at a flush. */
static void next_span(void)
{
    trace_suppressed_span_update(&h, ++now, h.trace_cursor, true);
    trace_suppressed_span_begin(&h, now, h.trace_cursor);
}

static void poll(void)
{
    trace_suppressed_poll_after(&h, 600);
}

static void (*handles)(void);

static void handler(int signal)
{
    (void)signal;
    if (++steps == handled_at)
        handles();
}

static void step_through(void (*work)(void))
{
    signal(SIGTRAP, handler);
    __asm__ volatile("pushfq\norq $0x100, (%%rsp)\npopfq" ::: "memory", "cc");
    work();
    __asm__ volatile("pushfq\nandq $~0x100, (%%rsp)\npopfq" ::: "memory", "cc");
}

/* `hooks`: more or fewer than those until the next poll. */
static void expect_sum(uint64_t hooks, void (*work)(void), void (*in_handler)(void))
{
    handles = in_handler;
    for (handled_at = 1; handled_at == 1 || steps >= handled_at - 1; handled_at++) {
        begin();
        trace_suppressed_poll_after(&h, (int64_t)hooks - 3);
        next_span();
        h.budget -= (int64_t)hooks;
        step_through(work);
        h.budget -= 50;
        next_span();
        uint64_t sum = 0;
        for (int i = 0; i < 16; i++)
            sum += records[i].a;
        cr_expect_eq(sum, hooks + 50, "%lu behind instruction %d", (unsigned long)sum, handled_at);
        trace_suppressed_end(&h);
    }
    cr_expect_gt(handled_at, 10);
}

Test(trace_suppressed, a_span_that_ends_at_any_instruction_of_a_poll_leaves_the_sum_right)
{
    expect_sum(103, poll, next_span);
    expect_sum(703, poll, next_span);
}

Test(trace_suppressed, a_poll_at_any_instruction_of_a_spans_end_leaves_the_sum_right)
{
    expect_sum(103, next_span, poll);
    expect_sum(703, next_span, poll);
}
