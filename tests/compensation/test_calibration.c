/* From repetitions to a delta with spread. */
#include "compensation/cost/calibration.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <string.h>

#define FIXED(ticks) ((int64_t)(ticks) * (1 << PCOMP_FIX_SHIFT))
#define SEEDS        200
#define BATCHES_MAX  200

static const struct pcomp_batches no_reference = {NULL, 0};

/* Estimates from copies: the function may reorder its arrays. */
static struct pcomp_estimate estimate(const int64_t *measured, uint32_t n, const int64_t *reference, uint32_t m,
                                      uint64_t calls)
{
    int64_t a[BATCHES_MAX], b[BATCHES_MAX];

    memcpy(a, measured, n * sizeof *a);
    if (m > 0)
        memcpy(b, reference, m * sizeof *b);
    return pcomp_estimate_cost((struct pcomp_batches){a, n}, (struct pcomp_batches){b, m}, calls);
}

static void assert_same(struct pcomp_estimate a, struct pcomp_estimate b, uint64_t seed)
{
    cr_assert(a.value == b.value && a.spread == b.spread && a.repetitions == b.repetitions,
              "seed %llu: value %lld spread %lld, expected %lld %lld", (unsigned long long)seed, (long long)a.value,
              (long long)a.spread, (long long)b.value, (long long)b.spread);
}

static void shuffle(int64_t *values, uint32_t n, uint64_t *random)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = (uint32_t)prng_below(random, i);
        int64_t value = values[i - 1];

        values[i - 1] = values[j];
        values[j] = value;
    }
}

/* Batches of 1000 calls of 50 ticks with noise of one tick a call mean. Returns how many. */
static uint32_t noisy_batches(int64_t *ticks, uint64_t *random)
{
    uint32_t n = 20 + (uint32_t)prng_below(random, BATCHES_MAX - 20);

    for (uint32_t i = 0; i < n; i++)
        ticks[i] = 50000 + (int64_t)(1000 * prng_normal(random));
    return n;
}

Test(calibration, value_is_the_least_mean_less_the_least_reference_mean)
{
    const int64_t measured[] = {5300, 5100, 9000}, reference[] = {220, 200, 200};
    struct pcomp_estimate e = estimate(measured, 3, reference, 3, 100);

    cr_expect_eq(e.value, FIXED(49));
    cr_expect_eq(e.repetitions, 3);
}

/* Faster half of 5 is 3 batches; the other two are 3 and 4 ticks a call above the minimum: sqrt((9 + 16) / 2). */
Test(calibration, spread_is_the_distance_of_the_faster_half_from_the_minimum)
{
    const int64_t measured[] = {70, 14, 1000, 10, 13};
    struct pcomp_estimate e = estimate(measured, 5, NULL, 0, 1);

    cr_expect_eq(e.value, FIXED(10));
    cr_expect_eq(e.spread, (int64_t)(1024 * sqrt(12.5)));
}

Test(calibration, spreads_of_both_loops_add_in_quadrature)
{
    const int64_t measured[] = {13, 10}, reference[] = {1, 5};

    cr_expect_eq(estimate(measured, 2, reference, 2, 1).spread, FIXED(5));
}

Test(calibration, means_keep_fractions_of_a_tick)
{
    const int64_t measured[] = {24600}, one[] = {1}, two[] = {2};

    cr_expect_eq(estimate(measured, 1, NULL, 0, 1000).value, 25190); /* 24.6 * 1024 = 25190.4 */
    cr_expect_eq(estimate(one, 1, NULL, 0, 3).value, 341);
    cr_expect_eq(estimate(two, 1, NULL, 0, 3).value, 683, "rounded to the nearest");
}

Test(calibration, a_difference_below_zero_is_not_clamped)
{
    const int64_t measured[] = {100, 100}, reference[] = {130, 130};

    cr_expect_eq(estimate(measured, 2, reference, 2, 10).value, FIXED(-3));
}

Test(calibration, order_of_the_batches_does_not_matter)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        int64_t measured[BATCHES_MAX], reference[BATCHES_MAX];
        uint32_t n = noisy_batches(measured, &random), m = noisy_batches(reference, &random);
        struct pcomp_estimate before = estimate(measured, n, reference, m, 1000);

        shuffle(measured, n, &random);
        shuffle(reference, m, &random);
        assert_same(estimate(measured, n, reference, m, 1000), before, seed);
    }
}

/* Up to half of the batches preempted for any time: only values above the median change, and nothing else does. */
Test(calibration, late_batches_change_nothing)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        int64_t measured[BATCHES_MAX];
        uint32_t n = noisy_batches(measured, &random);
        struct pcomp_batches sorted = {measured, n};
        struct pcomp_estimate before = pcomp_estimate_cost(sorted, no_reference, 1000);
        uint32_t late = (uint32_t)prng_below(&random, (n - 1) / 2 + 1);

        for (uint32_t i = n - late; i < n; i++)
            measured[i] += (int64_t)(prng_next(&random) >> 8);
        shuffle(measured, n, &random);
        assert_same(estimate(measured, n, NULL, 0, 1000), before, seed);
    }
}

Test(calibration, a_cost_common_to_both_loops_cancels)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        int64_t measured[BATCHES_MAX], reference[BATCHES_MAX];
        uint32_t n = noisy_batches(measured, &random), m = noisy_batches(reference, &random);
        struct pcomp_estimate before = estimate(measured, n, reference, m, 1000);
        int64_t common = 1000 * (int64_t)prng_below(&random, 1000);

        for (uint32_t i = 0; i < n; i++)
            measured[i] += common;
        for (uint32_t i = 0; i < m; i++)
            reference[i] += common;
        assert_same(estimate(measured, n, reference, m, 1000), before, seed);
    }
}

/* The noise has a standard deviation of one tick a call. */
Test(calibration, spread_of_normal_noise_is_one_to_two_standard_deviations)
{
    double sum = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        int64_t measured[BATCHES_MAX];
        uint32_t n = noisy_batches(measured, &random);
        double spread = (double)estimate(measured, n, NULL, 0, 1000).spread / 1024;

        cr_assert(spread > 0.5 && spread < 4, "seed %llu: %g", (unsigned long long)seed, spread);
        sum += spread;
    }
    cr_expect(sum / SEEDS > 1 && sum / SEEDS < 2.1, "mean %g", sum / SEEDS);
}

Test(calibration, batches_during_which_the_clock_stepped_back_are_ignored)
{
    const int64_t measured[] = {-4000, 70, 14, 1000, INT64_MIN, 10, 13}, steady[] = {70, 14, 1000, 10, 13};

    assert_same(estimate(measured, 7, NULL, 0, 1), estimate(steady, 5, NULL, 0, 1), 0);
    cr_expect_eq(estimate(measured, 1, NULL, 0, 1).repetitions, 0);
}

Test(calibration, one_repetition_may_be_off_by_its_whole_value)
{
    const int64_t measured[] = {500}, reference[] = {800};

    cr_expect_eq(estimate(measured, 1, NULL, 0, 10).spread, FIXED(50));
    cr_expect_eq(estimate(measured, 1, reference, 1, 10).spread, FIXED(30));
}

Test(calibration, nothing_measured_is_not_calibrated)
{
    const int64_t measured[] = {500, 600};

    assert_same(pcomp_estimate_cost(no_reference, no_reference, 10), (struct pcomp_estimate){0, 0, 0}, 0);
    assert_same(estimate(measured, 2, NULL, 0, 0), (struct pcomp_estimate){0, 0, 0}, 0);
}

Test(calibration, absurd_durations_saturate)
{
    const int64_t measured[] = {INT64_MAX, INT64_MAX, 0, 0}, reference[] = {INT64_MAX, INT64_MAX};
    struct pcomp_estimate e = estimate(measured, 4, NULL, 0, 1);

    cr_expect_eq(e.value, 0);
    cr_expect_gt(e.spread, INT64_MAX / 2);
    cr_expect_eq(estimate(measured, 2, NULL, 0, 1).value, INT64_MAX);
    cr_expect_eq(estimate(measured, 4, reference, 2, 1).value, -INT64_MAX);
}

Test(calibration, a_delta_keeps_the_three_estimates)
{
    struct pcomp_delta d = pcomp_delta_from_estimates(
        (struct pcomp_estimate){1, 2, 30}, (struct pcomp_estimate){3, 4, 20}, (struct pcomp_estimate){-5, 6, 0}, 1000);

    cr_expect(d.own == 1 && d.own_spread == 2 && d.descendant == 3 && d.descendant_spread == 4);
    cr_expect(d.direct == -5 && d.direct_spread == 6 && d.repetitions == 20 && d.batch == 1000);
}

/* It runs inside the user's process. */
Test(calibration, errno_and_floating_point_flags_are_left_alone)
{
    int64_t measured[] = {70, 14, 1000, 10, 13}, reference[] = {7, 3};

    feclearexcept(FE_ALL_EXCEPT);
    errno = 4711;
    struct pcomp_estimate e =
        pcomp_estimate_cost((struct pcomp_batches){measured, 5}, (struct pcomp_batches){reference, 2}, 3);
    cr_expect_eq(fetestexcept(FE_ALL_EXCEPT), 0);
    cr_expect_eq(errno, 4711);
    cr_expect_gt(e.spread, 0);
}

/* --- means --- */

static struct pcomp_estimate mean(const int64_t *measured, uint32_t n, const int64_t *reference, uint32_t m,
                                  uint64_t calls)
{
    int64_t a[BATCHES_MAX], b[BATCHES_MAX];

    memcpy(a, measured, n * sizeof *a);
    if (m > 0)
        memcpy(b, reference, m * sizeof *b);
    return pcomp_estimate_mean((struct pcomp_batches){a, n}, (struct pcomp_batches){b, m}, calls);
}

Test(calibration, mean_of_the_batches_less_that_of_the_reference)
{
    const int64_t measured[] = {5000, 5200, 5400}, reference[] = {150, 250};
    struct pcomp_estimate e = mean(measured, 3, reference, 2, 100);

    cr_assert_eq(e.value, FIXED(50));
    /* deviations of 2, 0, 2 ticks a call and of 0.5, 0.5 */
    cr_assert_float_eq((double)e.spread / FIXED(1), sqrt(8.0 / 3 + 0.25), 0.01);
    cr_assert_eq(e.repetitions, 3);
}

Test(calibration, mean_leaves_out_what_is_twice_the_median_or_negative)
{
    const int64_t measured[] = {1000, 2001, 1000, -5, 900, 1100, 1000000}, none[] = {-1, -2};

    cr_assert_eq(mean(measured, 7, NULL, 0, 10).value, FIXED(100), "median 1000, so 2001 is left out");
    cr_assert_eq(mean(none, 2, NULL, 0, 10).repetitions, 0);
    cr_assert_eq(mean(measured, 7, NULL, 0, 0).value, 0);
}

Test(calibration, mean_lies_between_the_least_and_the_greatest_in_any_order)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t random = seed;
        int64_t ticks[BATCHES_MAX], min = INT64_MAX, greatest = 0;
        uint32_t n = noisy_batches(ticks, &random);
        struct pcomp_estimate first = mean(ticks, n, NULL, 0, 1000);

        for (uint32_t i = 0; i < n; i++) {
            min = ticks[i] < min ? ticks[i] : min;
            greatest = ticks[i] > greatest ? ticks[i] : greatest;
        }
        cr_assert(first.value >= FIXED(min) / 1000 - 1 && first.value <= FIXED(greatest) / 1000 + 1, "seed %llu",
                  (unsigned long long)seed);
        cr_assert(first.spread > 0 && first.spread < FIXED(3), "seed %llu", (unsigned long long)seed);
        shuffle(ticks, n, &random);
        assert_same(mean(ticks, n, NULL, 0, 1000), first, seed);
    }
}

/* One batch of 10 was interrupted for 40 ticks, one for longer than counts as a delay. */
Test(calibration, the_median_does_not_see_interruptions_and_the_loss_has_them)
{
    int64_t ticks[] = {100, 140, 100, 100, 100, 99, 5000, 100, 100, 101};
    struct pcomp_loss loss = {.lost = 10, .kept = 2000};

    cr_expect_eq(pcomp_batches_median((struct pcomp_batches){ticks, 10}, 60, &loss), 100);
    cr_expect_eq(loss.lost, 10 + 40 + 60 + 1 - 1);
    cr_expect_eq(loss.kept, 2000 + 10 * 100);
    cr_expect_eq(pcomp_batches_median((struct pcomp_batches){ticks, 0}, 60, &loss), 0);
    cr_expect_eq(loss.kept, 3000);
    cr_expect_eq(pcomp_batches_median((struct pcomp_batches){ticks, 10}, 60, NULL), 100);
}

Test(calibration, a_cost_has_its_share_of_what_is_lost)
{
    cr_expect_eq(pcomp_loss_added(1000, &(struct pcomp_loss){.lost = 26, .kept = 1000}), 1026);
    cr_expect_eq(pcomp_loss_added(1000, &(struct pcomp_loss){0, 0}), 1000, "nothing is known");
    cr_expect_eq(pcomp_loss_added(1000, &(struct pcomp_loss){.lost = -5, .kept = 1000}), 1000, "rounding");
    cr_expect_eq(pcomp_loss_added(1000, &(struct pcomp_loss){.lost = 5000, .kept = 1000}), 2000, "at most doubled");
    cr_expect_eq(pcomp_loss_added(-1000, &(struct pcomp_loss){.lost = 26, .kept = 1000}), -1000);
    cr_expect_eq(pcomp_loss_added(INT64_MAX / 4, &(struct pcomp_loss){.lost = INT64_MAX / 2, .kept = INT64_MAX}),
                 INT64_MAX / 4 + INT64_MAX / 8);
}
