/* The total times of 1991 §3.1. */
#include "compensation/numeric/delta.h"
#include "compensation/replay/time_totals.h"

#include <criterion/criterion.h>

#define FIXED(ticks) ((int64_t)(ticks) * (1 << PCOMP_FIX_SHIFT))

Test(time_totals, the_sequential_total_loses_alpha_for_each_event)
{
    cr_expect_eq(time_total_sequential((struct time_part){1000, 30}, FIXED(10)), FIXED(700));
    cr_expect_eq(time_total_sequential((struct time_part){1000, 30}, FIXED(1) / 4), FIXED(1000) - FIXED(30) / 4);
    cr_expect_eq(time_total_sequential((struct time_part){1000, 30}, 0), FIXED(1000));
}

/* The thread that takes longest as measured (the second) is not the one that does without its overhead. */
Test(time_totals, of_a_concurrent_phase_the_longest_thread_counts_after_its_overhead_is_gone)
{
    const struct time_part before[] = {{100, 2}}, threads[] = {{300, 5}, {400, 20}, {280, 1}}, after[] = {{50, 1}};
    const struct time_phase phases[] = {{before, 1}, {threads, 3}, {after, 1}};
    cr_expect_eq(time_total_concurrent(phases, 3, FIXED(10)), FIXED(80 + 270 + 40));
    cr_expect_eq(time_total_concurrent(phases, 3, 0), FIXED(100 + 400 + 50));
    cr_expect_eq(time_total_concurrent(phases, 0, FIXED(10)), 0);
}
