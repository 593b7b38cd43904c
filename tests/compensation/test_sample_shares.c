/* Shares of functions from samples and bursts: sums are kept, samples correct what bursts distort, bursts fill in what
 * samples cannot see, and the variance is that of what comes out. */
#include "compensation/sample_shares.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define PARTS 40
#define TIME  1e10

static uint64_t state;
static double truth[PARTS], cumulated[PARTS];

static double unit(void)
{
    return (double)(prng_next(&state) >> 11) / 9007199254740992.0;
}

/* Shares of all sizes, that add up to 1. */
static void make_truth(uint64_t seed)
{
    double sum = 0;
    state = seed;
    for (int i = 0; i < PARTS; i++)
        sum += truth[i] = pow(unit(), 4) + 1e-6;
    for (int i = 0; i < PARTS; i++) {
        truth[i] /= sum;
        cumulated[i] = truth[i] + (i ? cumulated[i - 1] : 0);
    }
}

static void draw(struct pcomp_sampled_part *parts, int samples)
{
    for (int k = 0; k < samples; k++) {
        double where = unit();
        int i = 0;
        while (i < PARTS - 1 && where > cumulated[i])
            i++;
        parts[i].samples++;
    }
}

/* What bursts say: the truth with each time off by up to so many times. */
static void distort(struct pcomp_sampled_part *parts, double times)
{
    double sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += parts[i].bursts = truth[i] * pow(times, 2 * unit() - 1);
    for (int i = 0; i < PARTS; i++)
        parts[i].bursts *= TIME / sum;
}

/* Total variation distance from the truth. */
static double distance(const struct pcomp_sampled_part *parts, bool bursts)
{
    double sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += fabs((bursts ? parts[i].bursts : parts[i].time) / TIME - truth[i]);
    return sum / 2;
}

static double distance_of_samples(const struct pcomp_sampled_part *parts, int samples)
{
    double sum = 0;
    for (int i = 0; i < PARTS; i++)
        sum += fabs(parts[i].samples / samples - truth[i]);
    return sum / 2;
}

Test(sample_shares, the_times_add_up_to_what_bursts_had)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct pcomp_sampled_part parts[PARTS] = {0};
        make_truth(seed);
        draw(parts, 50 + (int)(seed * 20));
        distort(parts, 1 + (double)(seed % 7));
        cr_assert(pcomp_sample_shares(parts, PARTS, unit() * 1.2));
        double sum = 0;
        for (int i = 0; i < PARTS; i++) {
            cr_expect_geq(parts[i].time, 0);
            sum += parts[i].time;
        }
        cr_expect_float_eq(sum / TIME, 1, 1e-9, "seed %llu: %g", (unsigned long long)seed, sum / TIME);
    }
}

Test(sample_shares, what_bursts_distort_is_put_right)
{
    double before = 0, after = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct pcomp_sampled_part parts[PARTS] = {0};
        make_truth(seed);
        draw(parts, 10000);
        distort(parts, 4);
        cr_assert(pcomp_sample_shares(parts, PARTS, 1));
        before += distance(parts, true);
        after += distance(parts, false);
    }
    cr_expect_lt(after, before / 10, "%g of %g", after, before);
}

Test(sample_shares, what_bursts_know_makes_few_samples_better_and_never_worse_by_much)
{
    for (double times = 1; times <= 4; times *= 2) {
        double alone = 0, together = 0;
        for (uint64_t seed = 1; seed <= 200; seed++) {
            struct pcomp_sampled_part parts[PARTS] = {0};
            make_truth(seed);
            draw(parts, 300);
            distort(parts, times);
            cr_assert(pcomp_sample_shares(parts, PARTS, 1));
            alone += distance_of_samples(parts, 300);
            together += distance(parts, false);
        }
        cr_expect_lt(together, (times > 1 ? 1.05 : 0.7) * alone, "off by %g times: %g, samples alone %g", times,
                     together, alone);
    }
}

Test(sample_shares, the_interval_holds_the_truth)
{
    int held = 0, all = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct pcomp_sampled_part parts[PARTS] = {0};
        make_truth(seed);
        draw(parts, 3000);
        distort(parts, 3);
        cr_assert(pcomp_sample_shares(parts, PARTS, 1));
        for (int i = 0; i < PARTS; i++, all++)
            held += fabs(parts[i].time - truth[i] * TIME) <= 1.96 * sqrt(parts[i].variance);
    }
    cr_expect_geq((double)held / all, 0.93, "%d of %d", held, all);
}

/* A thread that waits in function 0 for a third of its time, and computes in 1 and 2. */
Test(sample_shares, waiting_is_where_bursts_saw_it)
{
    struct pcomp_sampled_part parts[] = {
        {.bursts = 4e9}, {.samples = 4000, .bursts = 7e9}, {.samples = 2000, .bursts = 1e9}};
    cr_assert(pcomp_sample_shares(parts, 3, 2.0 / 3));
    cr_expect_float_eq(parts[0].time / 12e9, 1.0 / 3, 0.05, "%g", parts[0].time);
    cr_expect_float_eq(parts[1].time / 12e9, 4.0 / 9, 0.05, "%g", parts[1].time);
    cr_expect_float_eq(parts[2].time / 12e9, 2.0 / 9, 0.05, "%g", parts[2].time);
}

Test(sample_shares, too_few_samples_change_nothing)
{
    struct pcomp_sampled_part parts[] = {{.samples = PCOMP_SAMPLES_LEAST - 1, .bursts = 1, .time = 7, .variance = 8},
                                         {.bursts = 1, .time = 9}};
    cr_expect_not(pcomp_sample_shares(parts, 2, 1));
    cr_expect_eq(parts[0].time, 7);
    cr_expect_eq(parts[0].variance, 8);
    cr_expect_eq(parts[1].time, 9);
    cr_expect_not(pcomp_sample_shares(parts, 0, 1));
}

Test(sample_shares, sites_take_a_part_of_a_function_and_leave_one)
{
    cr_expect_eq(pcomp_samples_without_sites(100, 0), 100);
    for (double at = 0; at <= 100; at++) {
        double left = pcomp_samples_without_sites(100, at);
        cr_expect_geq(left, 25);
        cr_expect_leq(left, 100 - fmin(at, 75));
    }
    cr_expect_eq(pcomp_samples_without_sites(0, 5), 0);
}

Test(sample_shares, absurd_arguments_give_finite_results)
{
    static const double values[] = {0, -1, 1e-300, 1, 1e18, 1e300, INFINITY, -INFINITY, NAN};
    enum { COUNT = sizeof values / sizeof *values };
    for (int a = 0; a < COUNT; a++)
        for (int b = 0; b < COUNT; b++)
            for (int c = 0; c < COUNT; c++) {
                struct pcomp_sampled_part parts[] = {{.samples = values[a], .bursts = values[b]},
                                                     {.samples = values[c], .bursts = values[a]},
                                                     {.samples = 50, .bursts = values[c]}};
                pcomp_sample_shares(parts, 3, values[b]);
                for (int i = 0; i < 3; i++)
                    cr_expect(isfinite(parts[i].time) && parts[i].time >= 0 && isfinite(parts[i].variance),
                              "%g %g %g: %g ± %g", values[a], values[b], values[c], parts[i].time, parts[i].variance);
            }
}
