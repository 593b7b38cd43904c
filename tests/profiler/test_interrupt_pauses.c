/* What is measured of an interrupt: not behind the system's first event, for which the thread slept. */
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/control/interrupt_pauses.h"
#include "profiler/control/perf_ring.h"

#include <criterion/criterion.h>

#define LOOKS 100 /* at the ring, from one interrupt to the next */

struct config config = {.clock = PCOMP_CLOCK_TSC};
double run_tick_hz = 3e9;

/* In place of the kernel's. */
static bool allowed;
static int opened, closed, looked_at_first;
static uint64_t looks;

bool perf_ring_open(struct perf_ring *ring, uint64_t period_ns)
{
    *ring = (struct perf_ring){0};
    opened += allowed && period_ns > 0;
    return allowed;
}

void perf_ring_close(struct perf_ring *ring)
{
    (void)ring;
    closed++;
}

uint64_t perf_ring_written(const struct perf_ring *ring)
{
    (void)ring;
    looked_at_first += opened == 1;
    return ++looks / LOOKS;
}

Test(interrupt_pauses, are_measured_behind_the_first_event_of_the_system)
{
    allowed = true;
    cr_assert_gt(interrupt_pauses_measure(), 0);
    cr_assert_gt(looks, 0);
    cr_assert_eq(looked_at_first, 0);
    cr_assert_geq(opened, 2);
    cr_assert_eq(closed, opened);
}

Test(interrupt_pauses, are_none_where_the_system_allows_no_event)
{
    cr_assert_eq(interrupt_pauses_measure(), 0);
    cr_assert_eq(looks, 0);
    cr_assert_eq(closed, 0);
}
