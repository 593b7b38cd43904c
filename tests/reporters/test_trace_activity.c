/* What a location does, followed through events whose meaning is known, and through random ones. */
#include "reporters/trace/trace_activity.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>

static struct trace_activity activity;
static struct trace_change change;

static void event(uint32_t kind, uint64_t value, uint64_t b)
{
    struct pcomp_event_long e = {0, (uint64_t)kind << 56 | value, 0, b};
    cr_assert(trace_activity_follow(&activity, &e, &change));
}

static uint64_t top(void)
{
    return activity.stack.depth ? activity.stack.functions[activity.stack.depth - 1] : 0;
}

#define OPERATION(operation) (TRACE_IS_OPERATION | (operation))

Test(trace_activity, an_operation_lies_on_its_function)
{
    event(PCOMP_EVENT_ENTER, 5, 0);
    cr_assert(change.entered && top() == 5);
    event(PCOMP_EVENT_BARRIER_ENTER, 64, 0);
    cr_assert(change.entered && top() == OPERATION(TRACE_BARRIER));
    event(PCOMP_EVENT_BARRIER_EXIT, 64, 0);
    cr_assert(change.left == 1 && !change.entered && top() == 5);
    event(PCOMP_EVENT_EXIT, 5, 0);
    cr_assert(change.left == 1 && top() == 0);
    trace_activity_free(&activity);
}

Test(trace_activity, what_does_not_wait_is_no_operation)
{
    event(PCOMP_EVENT_SEM_REQUEST, 64, 0);
    event(PCOMP_EVENT_SEM_PASSED, 64, 0);
    event(PCOMP_EVENT_SEM_TAKEN, 64, 0);
    event(PCOMP_EVENT_LOCK_REQUEST, 64, 0);
    event(PCOMP_EVENT_LOCK_ACQUIRED, 64, 0);
    event(PCOMP_EVENT_SEND_POST, 8, 3 << 24); /* nonblocking */
    event(PCOMP_EVENT_SEND_DONE, 8, 3 << 24);
    cr_assert(!change.left && !change.entered && activity.stack.depth == 0);
}

Test(trace_activity, a_sendrecv_lasts_until_both_are_done)
{
    event(PCOMP_EVENT_SEND_POST, 8, 0);
    event(PCOMP_EVENT_RECV_POST, 8, 0);
    cr_assert(!change.entered && activity.stack.depth == 1);
    event(PCOMP_EVENT_RECV_DONE, 8, 0);
    cr_assert(!change.left);
    event(PCOMP_EVENT_SEND_DONE, 8, 0);
    cr_assert(change.left == 1 && activity.stack.depth == 0);
    trace_activity_free(&activity);
}

Test(trace_activity, a_failed_send_is_over)
{
    event(PCOMP_EVENT_SEND_POST, 8, 0);
    event(PCOMP_EVENT_REQUEST_GONE, PCOMP_EVENT_SEND_POST, 0);
    cr_assert(change.left == 1 && activity.stack.depth == 0 && activity.open == 0);
    trace_activity_free(&activity);
}

Test(trace_activity, a_jump_out_of_an_operation_ends_it)
{
    event(PCOMP_EVENT_ENTER, 5, 0);
    event(PCOMP_EVENT_ENTER, 6, 0);
    event(PCOMP_EVENT_SEM_WAIT, 64, 0);
    event(PCOMP_EVENT_EXIT, 5, 0); /* cancelled, say */
    cr_assert(change.left == 3 && activity.open == 0);
    event(PCOMP_EVENT_SEM_WAIT, 64, 0);
    cr_assert(change.entered);
    trace_activity_free(&activity);
}

Test(trace_activity, a_function_inside_an_operation_ends_with_it)
{
    event(PCOMP_EVENT_COND_WAIT, 64, 0);
    event(PCOMP_EVENT_ENTER, 5, 0);
    cr_assert_eq(top(), 5);
    event(PCOMP_EVENT_COND_WOKEN, 64, 0);
    cr_assert(change.left == 2 && activity.stack.depth == 0);
    trace_activity_free(&activity);
}

Test(trace_activity, an_ended_thread_does_nothing)
{
    event(PCOMP_EVENT_ENTER, 5, 0);
    event(PCOMP_EVENT_END, 1, 0);
    cr_assert(change.left == 1 && activity.ended);
    event(PCOMP_EVENT_START, 2, 0);
    cr_assert(!activity.ended);
    trace_activity_free(&activity);
}

/* The changes are the whole story: depth follows from them, and at most one operation is on the stack. */
Test(trace_activity, changes_add_up)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed;
        uint32_t depth = 0;
        for (unsigned i = 0; i < 2000; i++) {
            event((uint32_t)prng_below(&random, PCOMP_EVENT_KINDS), prng_below(&random, 4),
                  prng_below(&random, 4) == 0 ? 1 << 24 : 0);
            cr_assert(change.left <= depth, "seed %llu", (unsigned long long)seed);
            depth = depth - change.left + change.entered;
            cr_assert_eq(depth, activity.stack.depth, "seed %llu", (unsigned long long)seed);
            unsigned operations = 0;
            for (uint32_t k = 0; k < depth; k++)
                operations += (activity.stack.functions[k] & TRACE_IS_OPERATION) != 0;
            cr_assert_eq(operations, activity.open != 0, "seed %llu: %u operations", (unsigned long long)seed,
                         operations);
        }
        trace_activity_free(&activity);
        activity = (struct trace_activity){0};
    }
}
