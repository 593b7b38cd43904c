/* Mutexes of the only thread of a process: what of them is recorded, and when. */
#include "instrument/sync/lone_locks.h"

#include "profiler/control/count_samples.h"
#include "profiler/trace/trace.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

static struct {
    enum pcomp_event_kind kind;
    uint64_t object;
} recorded[4 * LONE_LOCKS_MAX];
static unsigned events;

bool trace_event(enum pcomp_event_kind kind, uint64_t object)
{
    recorded[events].kind = kind;
    recorded[events++].object = object;
    return true;
}

bool (*count_samples_records_nothing)(uint64_t pc);

LONE_LOCKS_CODE static uint64_t wrapper(void)
{
    return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static void init(void)
{
    memset(&lone_locks, 0, sizeof lone_locks);
    events = 0;
}

TestSuite(lone_locks, .init = init);

static void was_taken(unsigned event, uint64_t object)
{
    cr_expect_eq(recorded[event].kind, PCOMP_EVENT_LOCK_REQUEST);
    cr_expect_eq(recorded[event + 1].kind, PCOMP_EVENT_LOCK_ACQUIRED);
    cr_expect_eq(recorded[event].object, object);
    cr_expect_eq(recorded[event + 1].object, object);
}

Test(lone_locks, nothing_is_recorded_of_those_that_are_released_in_any_order)
{
    for (uint64_t object = 1; object <= 3; object++)
        lone_locks_taken(object);
    const uint64_t order[] = {2, 1, 3};
    for (unsigned i = 0; i < 3; i++)
        cr_expect(lone_locks_released(order[i]));
    cr_expect_not(lone_locks_released(3), "it is held no more");
    lone_locks_end();
    cr_expect_eq(events, 0);
}

Test(lone_locks, what_is_held_at_the_end_is_recorded_and_its_release_is_left_to_the_caller)
{
    for (uint64_t object = 1; object <= 3; object++)
        lone_locks_taken(object);
    lone_locks_released(2);
    lone_locks_end();
    lone_locks_end();
    cr_assert_eq(events, 4);
    was_taken(0, 1);
    was_taken(2, 3);
    cr_expect_not(lone_locks_released(1));
    lone_locks_taken(4);
    cr_assert_eq(events, 6);
    was_taken(4, 4);
    cr_expect_not(lone_locks_alone());
}

Test(lone_locks, of_too_many_all_are_recorded)
{
    for (uint64_t object = 1; object <= LONE_LOCKS_MAX; object++)
        lone_locks_taken(object);
    cr_assert_eq(events, 2 * LONE_LOCKS_MAX);
    for (uint64_t object = 1; object <= LONE_LOCKS_MAX; object++)
        was_taken(2 * (unsigned)object - 2, object);
}

Test(lone_locks, its_code_records_nothing_until_the_end)
{
    uint64_t in = (uint64_t)(uintptr_t)wrapper;
    cr_expect(count_samples_records_nothing(in));
    cr_expect_not(count_samples_records_nothing(wrapper()), "of the caller");
    lone_locks_end();
    cr_expect_not(count_samples_records_nothing(in));
}

static volatile unsigned long handled, lost;

static void handler(int number)
{
    uint64_t object = 100 + (uint64_t)number;
    lone_locks_taken(object);
    handled++;
    lost += !lone_locks_released(object);
}

Test(lone_locks, a_handler_may_take_some_at_any_moment, .timeout = 60)
{
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    unsigned long released = 0, rounds = 0;
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    for (; handled < 8000; rounds++) {
        lone_locks_taken(1);
        lone_locks_taken(2);
        released += lone_locks_released(1);
        released += lone_locks_released(2);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    cr_expect_eq(lost, 0);
    cr_expect_eq(released, 2 * rounds);
    cr_expect_eq(lone_locks.count, 0);
    cr_expect_eq(events, 0);
}
