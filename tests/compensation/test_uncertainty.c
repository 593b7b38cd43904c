/* Half-widths worked by hand, how they grow, and whether they cover the error that calibration really makes. */
#include "compensation/cost/calibration.h"
#include "tests/compensation/prng.h"
#include "tests/support/path_terms.h"

#include <criterion/criterion.h>
#include <math.h>

#define FIXED(ticks) ((int64_t)((ticks)*1024.0))
#define TOLERANCE    1e-9
#define BATCH        100

static const struct pcomp_delta deltas[PCOMP_VARIANTS] = {
    [PCOMP_VARIANT_REPEAT] = {.own = 25 * 1024,
                              .descendant = 50 * 1024,
                              .direct = 2 * 1024,
                              .own_spread = 512,
                              .descendant_spread = 1024,
                              .direct_spread = 256,
                              .repetitions = 50,
                              .batch = BATCH},
    [PCOMP_VARIANT_LOOKUP] = {.own_spread = 1024, .descendant_spread = 3072, .repetitions = 50, .batch = BATCH},
    [PCOMP_VARIANT_SKIP] = {.own_spread = 9999, .descendant_spread = 128, .repetitions = 50, .batch = BATCH},
};

static const struct path_counts counts = {
    .self = {{10, 5, 0}, 0}, .descendants = {{40, 20, 7}, 900}, .children = {{8, 4, 2}, 300}};

static void assert_near(double value, double expected)
{
    cr_expect(fabs(value - expected) <= TOLERANCE * (1 + fabs(expected)), "%.12g, expected %.12g", value, expected);
}

static struct path_counts calls_of(uint64_t n)
{
    return (struct path_counts){.self = {{n}, 0}};
}

Test(uncertainty, inclusive_under_split)
{
    struct pcomp_error_model errors;

    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, deltas, NULL, 6);
    struct pcomp_uncertainty u = path_uncertainty_inclusive(&errors, &counts);
    assert_near(u.systematic, 10 * 0.5 + 5 * 1.0 + 40 * 1.0 + 20 * 3.0 + 7 * 0.125);
    assert_near(u.variance,
                BATCH * (10 * 0.25 + 5 * 1.0 + 40 * 1.0 + 20 * 9.0 + 7 * 0.015625) + 2 * 15 * 6.0 * 6.0 / 12);
}

Test(uncertainty, exclusive_under_split_has_no_error_of_deeper_descendants)
{
    struct pcomp_error_model errors;

    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, deltas, NULL, 6);
    struct pcomp_uncertainty u = path_uncertainty_exclusive(&errors, &counts);
    assert_near(u.systematic, 10 * 0.5 + 5 * 1.0 + 8 * 1.0 + 4 * 3.0 + 2 * 0.125);
    assert_near(u.variance,
                BATCH * (10 * 0.25 + 5 * 1.0 + 8 * 1.0 + 4 * 9.0 + 2 * 0.015625) + 2 * (15 + 12) * 6.0 * 6.0 / 12);
}

Test(uncertainty, paper_has_the_errors_of_its_two_deltas)
{
    struct pcomp_error_model errors;

    pcomp_error_model_init(&errors, PCOMP_MODEL_PAPER, deltas, NULL, 0);
    assert_near(path_uncertainty_inclusive(&errors, &counts).systematic, 15 * 1.0 + 60 * 1.0 + 12 * 0.25);
    assert_near(path_uncertainty_exclusive(&errors, &counts).systematic, 12 * 0.25);
    assert_near(path_uncertainty_exclusive(&errors, &counts).variance, BATCH * 12 * 0.0625);
}

Test(uncertainty, none_has_the_error_of_the_clock_alone)
{
    struct pcomp_error_model errors;

    pcomp_error_model_init(&errors, PCOMP_MODEL_NONE, deltas, deltas, 1);
    struct pcomp_uncertainty u = path_uncertainty_inclusive(&errors, &counts);
    assert_near(u.systematic, 0);
    assert_near(u.variance, 30.0 / 12);
    pcomp_error_model_init(&errors, (enum pcomp_model)99, deltas, deltas, 1);
    cr_expect_eq(errors.model, PCOMP_MODEL_NONE);
}

Test(uncertainty, a_filtered_call_has_no_error_of_its_own)
{
    struct pcomp_error_model errors;
    const struct path_counts skipped = {.self = pcomp_calls_of_node(1000, 0, 0, true)};

    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, deltas, deltas, 1);
    assert_near(pcomp_uncertainty_half_width(path_uncertainty_inclusive(&errors, &skipped)), 0);
}

Test(uncertainty, a_delta_of_unknown_batch_still_varies_from_call_to_call)
{
    struct pcomp_error_model errors;
    const struct pcomp_delta from_file[PCOMP_VARIANTS] = {{.own = FIXED(25), .own_spread = FIXED(0.5)}};
    const struct path_counts four = calls_of(4);

    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, from_file, NULL, 0);
    assert_near(path_uncertainty_inclusive(&errors, &four).variance, 4 * 0.25);
}

Test(uncertainty, a_clock_that_changed_speed_widens_the_systematic_part_only)
{
    struct pcomp_error_model errors;
    struct pcomp_delta later[PCOMP_VARIANTS] = {deltas[0], deltas[1], deltas[2]};
    const struct path_counts one = calls_of(1);

    later[PCOMP_VARIANT_REPEAT].own += FIXED(3);
    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, deltas, later, 0);
    assert_near(path_uncertainty_inclusive(&errors, &one).systematic, sqrt(0.25 + 3));
    assert_near(path_uncertainty_inclusive(&errors, &one).variance, BATCH * 0.25);
    later[PCOMP_VARIANT_REPEAT].repetitions = 0; /* killed: there is no second calibration */
    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, deltas, later, 0);
    assert_near(path_uncertainty_inclusive(&errors, &one).systematic, 0.5);
}

Test(uncertainty, grows_with_the_root_of_few_calls_and_in_proportion_to_many)
{
    struct pcomp_error_model errors;
    struct path_counts few = calls_of(1), fourfold = calls_of(4), many = calls_of(100000000),
                       hundredfold = calls_of(10000000000u);

    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, deltas, NULL, 0);
    double ratio = pcomp_uncertainty_half_width(path_uncertainty_inclusive(&errors, &fourfold)) /
                   pcomp_uncertainty_half_width(path_uncertainty_inclusive(&errors, &few));
    cr_expect(ratio > 2 && ratio < 2.1, "%g", ratio);
    ratio = pcomp_uncertainty_half_width(path_uncertainty_inclusive(&errors, &hundredfold)) /
            pcomp_uncertainty_half_width(path_uncertainty_inclusive(&errors, &many));
    cr_expect(ratio > 99.9 && ratio <= 100, "%g", ratio);
}

Test(uncertainty, of_a_sum_adds_systematic_parts_and_variances)
{
    struct pcomp_uncertainty sum = {1, 5};

    pcomp_uncertainty_add(&sum, (struct pcomp_uncertainty){2, 11});
    assert_near(pcomp_uncertainty_half_width(sum), 1.959964 * 5);
}

/* The counts of two paths added, or their uncertainties added: a reporter may do either. */
Test(uncertainty, of_added_counts_is_the_sum_of_the_uncertainties)
{
    struct pcomp_error_model errors;
    struct path_counts both = counts;

    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, deltas, deltas, 3);
    path_calls_add(&both.self, &counts.self);
    path_calls_add(&both.descendants, &counts.descendants);
    path_calls_add(&both.children, &counts.children);
    struct pcomp_uncertainty sum = path_uncertainty_exclusive(&errors, &counts);
    pcomp_uncertainty_add(&sum, sum);
    assert_near(path_uncertainty_exclusive(&errors, &both).systematic, sum.systematic);
    assert_near(path_uncertainty_exclusive(&errors, &both).variance, sum.variance);
}

/* One experiment: calls cost 50 ticks with a standard deviation of 8. Calibrate, then make n such calls and compare
 * what they cost with what the model takes away. Returns whether the 95 % interval covers the difference. */
static bool interval_covers(uint64_t seed, uint32_t repetitions, uint64_t n)
{
    const double mean = 50, deviation = 8;
    int64_t ticks[100];
    uint64_t random = seed;
    struct pcomp_error_model errors;
    struct pcomp_delta delta[PCOMP_VARIANTS] = {{0}};
    const struct path_counts calls = calls_of(n);

    for (uint32_t i = 0; i < repetitions; i++)
        ticks[i] = (int64_t)(BATCH * mean + sqrt(BATCH) * deviation * prng_normal(&random));
    struct pcomp_estimate own =
        pcomp_estimate_cost((struct pcomp_batches){ticks, repetitions}, (struct pcomp_batches){ticks, 0}, BATCH);
    delta[PCOMP_VARIANT_REPEAT] = pcomp_delta_from_estimates(own, own, (struct pcomp_estimate){0, 0, 0}, BATCH);
    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, delta, NULL, 1);
    double cost = (double)n * mean + sqrt((double)n) * deviation * prng_normal(&random);
    double taken = (double)n * (double)own.value / 1024;
    return fabs(cost - taken) <= pcomp_uncertainty_half_width(path_uncertainty_inclusive(&errors, &calls));
}

Test(uncertainty, covers_the_error_of_a_noisy_calibration)
{
    static const struct {
        uint32_t repetitions;
        int covered;                                /* of 1000, at least */
    } cases[] = {{20, 920}, {50, 950}, {100, 950}}; /* 20 repetitions are too few for a full 95 % */
    const uint64_t calls[] = {1, 100, 10000, 100000000};

    for (size_t r = 0; r < sizeof cases / sizeof cases[0]; r++) {
        for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
            int covered = 0;

            for (uint64_t seed = 1; seed <= 1000; seed++)
                covered += interval_covers(seed, cases[r].repetitions, calls[c]);
            cr_expect_geq(covered, cases[r].covered, "%u repetitions, %llu calls, seeds 1 to 1000: covered %d",
                          cases[r].repetitions, (unsigned long long)calls[c], covered);
        }
    }
}
