/* The kernel's samples of a thread, and what they make its switches cost. */
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/control/perf_ring.h"

#include <criterion/criterion.h>
#include <time.h>

#define COST 10e-6 /* seconds a switch */

struct config config = {.clock = PCOMP_CLOCK_TSC};
double run_tick_hz = 1e9;

static struct perf_ring ring;

static void init(void)
{
    if (!perf_ring_open(&ring, 1000000))
        cr_skip_test("the system allows no perf events");
}

static void fini(void)
{
    perf_ring_close(&ring);
}

TestSuite(perf_ring, .init = init, .fini = fini);

static void switch_to_another(int times)
{
    const struct timespec moment = {0, 1};
    while (times--)
        nanosleep(&moment, NULL);
}

/* What is added, in seconds since the last look. */
static double look(double seconds)
{
    return perf_ring_note_switches(&ring, ring.switched_ns + (uint64_t)(seconds * 1e9), COST);
}

Test(perf_ring, says_what_the_switches_since_the_last_look_cost)
{
    look(0);
    switch_to_another(10);
    double cost = look(1);
    cr_assert_geq(cost, 10 * COST * 0.999, "%g", cost);
    cr_assert_lt(cost, 1000 * COST, "%g", cost);
    cr_assert_not_null(ring.page, "ten switches in a second are few");
}

Test(perf_ring, closes_itself_where_a_thread_switches_too_often)
{
    switch_to_another((int)(PCOMP_SWITCH_FIRST / COST) + 1);
    cr_assert_gt(look(0), PCOMP_SWITCH_FIRST);
    cr_assert_null(ring.page);
}
