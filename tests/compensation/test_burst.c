/* The whole run from bursts of it: laws, and simulated programs whose truth is known. */
#include "compensation/burst.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

static double unit(uint64_t *state)
{
    return (double)(prng_next(state) >> 11) / 9007199254740992.0;
}

static const struct pcomp_burst_slowness as_calibrated = {1, 0};

Test(burst, a_call_stands_for_the_gap_to_the_progress)
{
    struct pcomp_burst_weight weight = pcomp_burst_weigh(1000, 100, 60);
    cr_assert_float_eq(weight.low, 10, 1e-9);
    cr_assert_float_eq(weight.high, 25, 1e-9);
    weight = pcomp_burst_weigh(1000, 100, 1e9); /* more than there was: some progress is left */
    cr_assert(weight.high > weight.low && isfinite(weight.high));
}

/* What is taken off a burst must be its own: a thread that lost its processor in a hook was not measuring meanwhile. */
Test(burst, an_interrupted_hook_takes_what_it_ran)
{
    cr_assert_float_eq(pcomp_burst_hooks_ran(40, 300, 299), 40, 1e-9);
    cr_assert_float_eq(pcomp_burst_hooks_ran(40, 3300, 300), 40, 1e-9, "interrupted elsewhere");
    cr_assert_float_eq(pcomp_burst_hooks_ran(3040, 3300, 300), 40, 1e-9, "interrupted there");
    cr_assert_float_eq(pcomp_burst_hooks_ran(772, 300, 300), 150, 1e-9, "of a burst before");
    cr_assert_eq(pcomp_burst_hooks_ran(40, -1, -1), 0);
}

Test(burst, costs_a_thread_no_more_than_it_ran)
{
    cr_assert_eq(pcomp_burst_cost(60, 20, 300, 300), 80);
    cr_assert_eq(pcomp_burst_cost(60, 40000, 40300, 250), 250, "it lost its processor inside a hook");
    cr_assert_eq(pcomp_burst_cost(400, 0, 300, 350), 300, "calls were dearer than that");
    cr_assert_eq(pcomp_burst_cost(1, 1, -1, -1), 0);
}

Test(burst, without_gaps_all_was_seen)
{
    struct pcomp_burst_calls path = {100, 0, 0, 0};
    cr_assert_eq(pcomp_burst_count_of(&path, 10, 1, &as_calibrated).calls, 0);
    struct pcomp_burst_times times = {.on = 1000, .counting = 400};
    cr_assert_float_eq(pcomp_burst_total_of(&times, &as_calibrated).actual, 600, 1e-9);
}

Test(burst, calls_that_are_off_cost_what_they_do)
{
    struct pcomp_burst_times times = {.on = 1e6, .counting = 4e5, .off = 9e7, .off_calls = 1e6, .off_call = 2};
    cr_assert_float_eq(pcomp_burst_total_of(&times, &as_calibrated).actual, 6e5 + 9e7 - 2e6, 1e-3);
}

/* Bursts that are alike: whatever counting takes, what was counted in the gaps tells. */
Test(burst, held_functions_tell_what_counting_takes)
{
    for (double truth = 0.6; truth < 1.45; truth += 0.2) {
        double length = 100, gap = 5000, calibrated = 50, progress = length - truth * calibrated;
        struct pcomp_burst_weight weight = pcomp_burst_weigh(gap, length, calibrated);
        struct pcomp_burst_held held = {0};
        for (int i = 0; i < 200; i++) {
            double on = 20 * progress, off = 20 * gap;
            held.on += on;
            held.low += on * weight.low;
            held.high += on * weight.high;
            held.off += off;
            held.off_squares += off * off;
            held.products += off * on * weight.high;
            held.high_squares += on * weight.high * on * weight.high;
        }
        struct pcomp_burst_slowness slowness = pcomp_burst_slowness_of(&held);
        cr_assert_float_eq(slowness.factor, truth, 0.01, "%g: %g", truth, slowness.factor);
        cr_assert_lt(slowness.error, 0.02);
        struct pcomp_burst_calls other = {7 * progress, 7 * progress * weight.low, 7 * progress * weight.high, 0};
        cr_assert_float_eq(pcomp_burst_count_of(&other, 200, 1, &slowness).calls, 7 * gap, 7 * gap * 0.02);
    }
    struct pcomp_burst_held few = {.on = 3, .low = 30, .high = 60, .off = 40};
    cr_assert_eq(pcomp_burst_slowness_of(&few).factor, 1);
    cr_assert_geq(pcomp_burst_slowness_of(&few).error, 0.2);
}

/* Bursts of which counting seems to take all, so that the weight is at its limit: if it takes a tenth less, half as
 * many calls. */
Test(burst, where_counting_takes_all_a_little_less_is_a_lot)
{
    double low = 100, high = 800, bursts = 100, calls = 50;
    struct pcomp_burst_slowness sure = {1, 0.02};
    struct pcomp_burst_calls path = {calls * bursts, calls * bursts * low, calls * bursts * high,
                                     bursts * calls * high * calls * high};
    struct pcomp_burst_count count = pcomp_burst_count_of(&path, bursts, 1, &sure);
    double truth = calls * bursts / (0.1 / low + 0.9 / high);
    cr_assert_float_eq(count.calls, calls * bursts * high, 1);
    cr_assert_leq(count.calls - 1.96 * sqrt(count.variance), truth);
}

Test(burst, a_weight_lies_between_those_of_no_counting_and_of_the_calibrated)
{
    struct pcomp_burst_weight weight = pcomp_burst_weigh(1000, 100, 60);
    cr_assert_float_eq(pcomp_burst_weight_at(&weight, 0), 10, 1e-9);
    cr_assert_float_eq(pcomp_burst_weight_at(&weight, 1), 25, 1e-9);
    cr_assert_float_eq(pcomp_burst_weight_at(&weight, 0.5), 1000 / 70.0, 1e-9);
}

/* Two phases that last equally long; in the one half of the time is what calls cost whose hooks are off. */
Test(burst, what_calls_cost_that_are_off_is_their_phases)
{
    double dense = pcomp_burst_stands_for(5000, 20, 2500), sparse = pcomp_burst_stands_for(5000, 20, 0);
    cr_assert_float_eq(dense, 2520, 1e-9);
    cr_assert_float_eq(sparse, 5020, 1e-9);
    cr_assert_geq(pcomp_burst_stands_for(5000, 20, 1e9), 1000, "it took most of the gap, if that");
    cr_assert_float_eq(pcomp_burst_stands_for(5000, 20, -1), 5020, 1e-9);
}

Test(burst, absurd_numbers_stay_finite)
{
    const double absurd[] = {0, -1e18, 1e18, 1};
    for (unsigned i = 0; i < 16384; i++) {
        double a[7];
        for (unsigned k = 0; k < 7; k++)
            a[k] = absurd[i >> 2 * k & 3];
        struct pcomp_burst_weight weight = pcomp_burst_weigh(a[0], a[1], a[2]);
        cr_assert(isfinite(weight.low) && isfinite(weight.high));
        struct pcomp_burst_held held = {a[0], a[1], a[2], a[3], a[4], a[5], a[6]};
        struct pcomp_burst_slowness slowness = pcomp_burst_slowness_of(&held);
        cr_assert(isfinite(slowness.factor) && isfinite(slowness.error) && slowness.error >= 0);
        struct pcomp_burst_times times = {a[0], a[1], a[2], a[3], a[4], a[5]};
        struct pcomp_burst_total total = pcomp_burst_total_of(&times, &slowness);
        cr_assert(isfinite(total.actual) && isfinite(total.error));
        struct pcomp_burst_count count =
            pcomp_burst_count_of(&(struct pcomp_burst_calls){a[0], a[1], a[2], a[3]}, a[4], a[5], &slowness);
        cr_assert(isfinite(count.calls) && isfinite(count.variance) && count.variance >= 0);
        struct pcomp_burst_share share =
            pcomp_burst_share_of(&(struct pcomp_burst_seen){a[0], a[1], a[2], a[3], a[4]}, a[5]);
        cr_assert(isfinite(share.weight) && share.weight >= 0 && isfinite(share.brief));
        cr_assert(isfinite(pcomp_burst_weight_at(&weight, a[3])));
        cr_assert(isfinite(pcomp_burst_stands_for(a[0], a[1], a[2])));
        double variance = pcomp_burst_part_variance(a[0], a[1], a[2]);
        cr_assert(isfinite(variance) && variance >= 0);
    }
}

/* A program of random phases. In each a path, and all calls, come at another rate, so that bursts see little of the
 * phases in which calls are many. The 95 % interval of the path's calls must hold their true number 95 times in 100, or
 * nearly; and in the mean over all runs the estimate must not be off. */
Test(burst, intervals_hold_the_calls)
{
    const unsigned runs = 400, windows = 80;
    unsigned held = 0;
    const uint64_t seed = 20240607;
    uint64_t state = seed;
    double estimated = 0, true_calls = 0;
    for (unsigned run = 0; run < runs; run++) {
        struct pcomp_burst_calls path = {0, 0, 0, 0};
        double truth = 0, off = 0, gaps = 0, rate = 0, slow = 0;
        for (unsigned w = 0; w < windows; w++) {
            if (w == 0 || unit(&state) < 0.3) { /* another phase */
                slow = 5 * unit(&state);        /* cost of counting in it, to the program's own time */
                rate = 500 * (slow + 0.2) * unit(&state);
            }
            double gap = 0.5 + unit(&state), length = 0.01 + 0.02 * unit(&state), progress = length / (1 + slow);
            double calls = floor(rate * progress + unit(&state));
            struct pcomp_burst_weight weight = pcomp_burst_weigh(gap, length, length - progress);
            truth += rate * gap;
            off += gap;
            gaps += gap;
            path.seen += calls;
            path.low += calls * weight.low;
            path.high += calls * weight.high;
            path.squares += calls * weight.high * calls * weight.high;
        }
        struct pcomp_burst_count count = pcomp_burst_count_of(&path, windows, off / gaps, &as_calibrated);
        held += fabs(count.calls - truth) <= 1.96 * sqrt(count.variance);
        estimated += count.calls;
        true_calls += truth;
    }
    cr_assert_geq(held, runs * 93 / 100, "seed %lu: %u of %u", (unsigned long)seed, held, runs);
    cr_assert_float_eq(estimated / true_calls, 1, 0.02);
}

/* A path that runs for moments far shorter than a gap, one to eight of which bursts meet: where they met any. */
Test(burst, intervals_hold_the_calls_of_what_few_bursts_met)
{
    const uint64_t seed = 20261123;
    const unsigned bursts = 200;
    uint64_t state = seed;
    unsigned held = 0, met = 0;
    for (unsigned run = 0; run < 4000; run++) {
        double moments = 1 + 7 * unit(&state); /* that bursts meet in the mean, of a thousand calls each */
        struct pcomp_burst_calls path = {0, 0, 0, 0};
        for (unsigned b = 0; b < bursts; b++)
            if (unit(&state) < moments / bursts) {
                path.seen += 1000;
                path.low += 30000;
                path.high += 50000;
                path.squares += 50000.0 * 50000.0;
            }
        if (!(path.seen > 0))
            continue;
        met++;
        struct pcomp_burst_count count = pcomp_burst_count_of(&path, bursts, 1, &as_calibrated);
        held += fabs(count.calls - moments * 50000) <= 1.96 * sqrt(count.variance);
    }
    cr_assert_geq(held, met * 95 / 100, "seed %lu: %u of %u", (unsigned long)seed, held, met);
}

Test(burst, time_that_a_burst_stands_for_is_shared_out_and_no_more)
{
    struct pcomp_burst_seen seen = {.sure = 300, .brief = 50, .rest = 100, .ticks = 400, .counting = 200};
    struct pcomp_burst_share share = pcomp_burst_share_of(&seen, 9e6);
    cr_assert_float_eq(share.brief, 2, 1e-9, "100 of the 200 that were not counting is left for what seemed 50");
    cr_assert_float_eq(share.weight * (seen.sure + seen.rest + share.brief * seen.brief), 9e6, 1e-3);
    seen.ticks = 1e9; /* it was preempted in one of the intervals */
    share = pcomp_burst_share_of(&seen, 9e6);
    cr_assert_leq(share.brief, 4, "which is not all the brief's time");
    cr_assert_float_eq(share.weight * (seen.sure + seen.rest + share.brief * seen.brief), 9e6, 1e-3);
    seen = (struct pcomp_burst_seen){.ticks = 1e5, .counting = 1e5};
    cr_assert_eq(pcomp_burst_share_of(&seen, 9e6).weight, 0, "nothing was seen");
}

/* Half of the run in each of two phases: bursts are short and see little where calls are many, and long where they are
 * few. */
Test(burst, phases_have_the_time_that_they_last_whatever_bursts_see_of_them)
{
    double dear = 0, cheap = 0;
    for (int i = 0; i < 50; i++) {
        double length = 100, counting = 80; /* calibrated too small: nearly all of it is */
        struct pcomp_burst_seen seen = {.sure = 1, .brief = 9, .ticks = 95, .counting = counting};
        struct pcomp_burst_share share = pcomp_burst_share_of(&seen, 5000 + pcomp_burst_progress(length, counting));
        dear += share.weight * (seen.sure + share.brief * seen.brief);
        seen = (struct pcomp_burst_seen){.sure = 2000};
        cheap += pcomp_burst_share_of(&seen, 3020 + pcomp_burst_progress(2000, 0)).weight * seen.sure;
    }
    cr_assert_float_eq(dear / (dear + cheap), 0.5, 0.001, "%g", dear / (dear + cheap));
}

Test(burst, time_of_a_path_that_always_runs_is_known)
{
    cr_assert_eq(pcomp_burst_part_variance(5e6, 5e6, 1e12), 0);
    cr_assert_gt(pcomp_burst_part_variance(1e6, 5e6, 1e12), 0);
    cr_assert_gt(pcomp_burst_part_variance(0, 5e6, 1e12), 0, "what no burst saw may have been between two");
    cr_assert_eq(pcomp_burst_sum_variance(0), 0);
}

/* A path of programs whose phases last longer or shorter than the gaps; time as seen from bursts. Returns how many of
 * the intervals hold its time; *bias: of the mean of all estimates. */
static unsigned hold_the_time(double again, uint64_t *state, unsigned runs, double *bias)
{
    unsigned held = 0;
    double estimated = 0, truths = 0;
    for (unsigned run = 0; run < runs; run++) {
        double truth = 0, time = 0, changes = 0, last = 0, stands = 0, squares = 0, now = 0, burst = 0, share = 0;
        while (now < 60) { /* in steps that are far shorter than a gap, which is 1 in the mean */
            if (now == 0 || unit(state) < 0.01 * again)
                share = unit(state) < 0.5 ? 0 : unit(state);
            truth += 0.01 * share;
            now += 0.01;
            if (now < burst)
                continue;
            double gap = 0.5 + unit(state), x = (now - stands) * share * (0.8 + 0.4 * unit(state));
            changes += (x - last) * (x - last);
            squares += (now - stands) * (now - stands);
            stands = now;
            time += x;
            last = x;
            burst = now + gap;
        }
        double variance =
            fmin(pcomp_burst_sum_variance(changes + last * last), pcomp_burst_part_variance(time, stands, squares));
        held += fabs(time * now / stands - truth) <= 1.96 * sqrt(variance);
        estimated += time * now / stands;
        truths += truth;
    }
    *bias = estimated / truths - 1;
    return held;
}

Test(burst, intervals_hold_the_time)
{
    const uint64_t seed = 20261122;
    uint64_t state = seed;
    const double again[] = {0.05, 0.3, 1, 5}; /* other phases in the time of a gap */
    for (unsigned i = 0; i < sizeof again / sizeof *again; i++) {
        double bias;
        unsigned held = hold_the_time(again[i], &state, 1000, &bias);
        cr_assert_geq(held, 930, "seed %lu, %g phases: %u of 1000", (unsigned long)seed, again[i], held);
        cr_assert_float_eq(bias, 0, 0.03, "%g phases: %g", again[i], bias);
    }
}
