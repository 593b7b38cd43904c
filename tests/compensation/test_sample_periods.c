/* How often samples are taken: beats as far as they are cheap, ticks where they are not. */
#include "compensation/control/sample_periods.h"

#include <criterion/criterion.h>
#include <math.h>

static const double wanted = 1 / PCOMP_SAMPLE_PERIOD;

static struct pcomp_sample_periods periods(double beat, double tick_period)
{
    return pcomp_sample_periods(&(struct pcomp_sample_costs){.beat = beat, .tick = 2e-6, .tick_period = tick_period});
}

Test(sample_periods, cheap_beats_need_no_ticks)
{
    struct pcomp_sample_periods p = periods(5e-6, 4e-3);
    cr_assert(!p.ticks);
    cr_assert_float_eq(p.beat, PCOMP_SAMPLE_PERIOD, 1e-12);
    cr_assert_float_eq(p.all, p.beat, 1e-12);
    cr_assert_float_eq(p.cost, PCOMP_SAMPLE_PROGRAM * 5e-6, 1e-12);
}

Test(sample_periods, dear_beats_leave_samples_to_ticks)
{
    struct pcomp_sample_periods p = periods(45e-6, 4e-3);
    cr_assert(p.ticks);
    cr_assert_float_eq(1 / p.all, 1 / p.beat + 250, 1e-6);
}

Test(sample_periods, ticks_each_millisecond_need_no_beats)
{
    struct pcomp_sample_periods p = periods(45e-6, 1e-3);
    cr_assert(p.ticks);
    cr_assert_eq(p.beat, 0);
    cr_assert_float_eq(p.all, 1e-3, 1e-9);
    cr_assert_float_eq(p.cost, 2e-6, 1e-12);
}

/* Where a share of the time is too little for the fewest beats, they cost more. */
Test(sample_periods, beats_keep_within_their_share_and_all_samples_within_what_is_wanted)
{
    for (double beat = 1e-6; beat < 1e-3; beat *= 1.1)
        for (double tick = 0; tick<0.011; tick = tick> 0 ? tick * 1.3 : 1e-3) {
            struct pcomp_sample_periods p = periods(beat, tick);
            double beats = p.beat > 0 ? 1 / p.beat : 0, ticks = p.ticks ? fmin(1 / tick, wanted) : 0;
            double least = 1 / PCOMP_SAMPLE_PERIOD_MAX;
            cr_assert(beats * beat * PCOMP_SAMPLE_PROGRAM <= PCOMP_SAMPLE_SHARE * (1 + 1e-9) ||
                          beats <= least * (1 + 1e-9),
                      "%g %g", beat, tick);
            cr_assert_leq(1 / p.all, fmax(wanted, ticks + least) * (1 + 1e-9), "%g %g", beat, tick);
            cr_assert_float_eq(p.cost / p.all, beats * beat * PCOMP_SAMPLE_PROGRAM + ticks * 2e-6, 1e-9, "%g %g", beat,
                               tick);
        }
}
