/* How often samples are taken: by ticks, which cost little, and by perf between them as far as that is cheap. */
#include "compensation/control/sample_periods.h"

#include <criterion/criterion.h>
#include <math.h>

static const double wanted = 1 / PCOMP_SAMPLE_PERIOD;

static struct pcomp_sample_periods periods(double perf, double tick_period)
{
    return pcomp_sample_periods(&(struct pcomp_sample_costs){.perf = perf, .tick = 2e-6, .tick_period = tick_period});
}

Test(sample_periods, perf_takes_the_samples_that_ticks_do_not)
{
    struct pcomp_sample_periods p = periods(5e-6, 4e-3);
    cr_assert_float_eq(p.all, PCOMP_SAMPLE_PERIOD, 1e-12);
    cr_assert_float_eq(1 / p.perf, wanted - 250, 1e-6);
}

Test(sample_periods, perf_takes_all_where_ticks_do_not_sample)
{
    struct pcomp_sample_periods p = periods(5e-6, 0);
    cr_assert_float_eq(p.all, PCOMP_SAMPLE_PERIOD, 1e-12);
    cr_assert_float_eq(p.perf, p.all, 1e-12);
    cr_assert_float_eq(p.cost, PCOMP_SAMPLE_PROGRAM * 5e-6, 1e-12);
}

Test(sample_periods, dear_interrupts_are_few)
{
    struct pcomp_sample_periods p = periods(45e-6, 4e-3);
    cr_assert_float_eq(1 / p.perf, PCOMP_SAMPLE_SHARE / (PCOMP_SAMPLE_PROGRAM * 45e-6), 1e-6);
    cr_assert_float_eq(1 / p.all, 1 / p.perf + 250, 1e-6);
}

Test(sample_periods, ticks_each_millisecond_are_enough)
{
    struct pcomp_sample_periods p = periods(45e-6, 1e-3);
    cr_assert_eq(p.perf, 0);
    cr_assert_float_eq(p.all, 1e-3, 1e-9);
    cr_assert_float_eq(p.cost, 2e-6, 1e-12);
}

/* Where a share of the time is too little for the fewest samples of perf, they cost more. */
Test(sample_periods, perf_keeps_within_its_share_and_all_samples_within_what_is_wanted)
{
    for (double perf = 1e-6; perf < 1e-3; perf *= 1.1)
        for (double tick = 0; tick<0.011; tick = tick> 0 ? tick * 1.3 : 1e-3) {
            struct pcomp_sample_periods p = periods(perf, tick);
            double of_perf = p.perf > 0 ? 1 / p.perf : 0, ticks = tick > 0 ? fmin(1 / tick, wanted) : 0;
            double fewest = 1 / PCOMP_SAMPLE_PERIOD_MAX;
            cr_assert(of_perf * perf * PCOMP_SAMPLE_PROGRAM <= PCOMP_SAMPLE_SHARE * (1 + 1e-9) ||
                          of_perf <= fewest * (1 + 1e-9),
                      "%g %g", perf, tick);
            cr_assert_leq(1 / p.all, fmax(wanted, ticks + fewest) * (1 + 1e-9), "%g %g", perf, tick);
            cr_assert_float_eq(p.cost / p.all, of_perf * perf * PCOMP_SAMPLE_PROGRAM + ticks * 2e-6, 1e-9, "%g %g",
                               perf, tick);
        }
}

/* Each tick of 4 ms a thread may spend 80 us of 5 a switch. */
static int ticks_until_given_up(double switches, int ticks)
{
    struct pcomp_sample_switches s = {PCOMP_SWITCH_FIRST};
    int i = 0;
    while (i < ticks && pcomp_sample_switches_add(&s, switches, 4e-3, 5e-6))
        i++;
    return i;
}

Test(sample_periods, threads_that_switch_often_give_perf_up)
{
    cr_assert_eq(ticks_until_given_up(140, 1000), 0, "35,000 a second at once");
    cr_assert_eq(ticks_until_given_up(20, 1000), (int)(PCOMP_SWITCH_FIRST / 20e-6));
    cr_assert_eq(ticks_until_given_up(16, 100000), 100000, "their share");
}

Test(sample_periods, a_burst_of_switches_is_no_reason)
{
    struct pcomp_sample_switches s = {PCOMP_SWITCH_FIRST};
    for (int i = 0; i < 100; i++)
        cr_assert(pcomp_sample_switches_add(&s, 0, 4e-3, 5e-6));
    cr_assert(pcomp_sample_switches_add(&s, PCOMP_SWITCH_SAVED / 5e-6, 4e-3, 5e-6));
    cr_assert_not(pcomp_sample_switches_add(&s, 20, 4e-3, 5e-6));
}
