/* Errors of totals from pairs of runs: what must hold whatever the times are. */
#include "reporters/verify/verify_total.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

enum { PAIRS = 12 };

static void make_pairs(struct verify_pair *pairs, double plain, double raw, double compensated)
{
    for (size_t i = 0; i < PAIRS; i++) {
        double noise = 1 + 0.001 * (double)(i * 7 % PAIRS);
        pairs[i] = (struct verify_pair){plain * noise, raw * noise, compensated * noise, 0.05 * plain, 1000};
    }
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (1 + fabs(b));
}

Test(verify_total, noise_that_a_pair_shares_is_not_in_its_errors)
{
    struct verify_pair pairs[PAIRS];
    struct verify_total total;
    make_pairs(pairs, 1e9, 5e9, 1.1e9);
    verify_total_make(&total, pairs, PAIRS);
    cr_expect(near(total.dilation.low, 5) && near(total.dilation.value, 5) && near(total.dilation.high, 5));
    cr_expect(near(total.raw_error.value, 4));
    cr_expect(near(total.compensated_error.low, 0.1) && near(total.compensated_error.high, 0.1));
    cr_expect(gt(dbl, total.plain.spread, 0));
}

Test(verify_total, perfect_compensation_has_no_error_and_is_covered)
{
    struct verify_pair pairs[PAIRS];
    struct verify_total total;
    make_pairs(pairs, 1e9, 5e9, 1e9);
    verify_total_make(&total, pairs, PAIRS);
    cr_expect(near(total.compensated_error.value, 0) && near(total.error_ns_per_call, 0));
    cr_expect(eq(sz, total.inside, PAIRS));
    cr_expect(lt(dbl, fabs(total.half_width - 0.05), 0.001));
}

Test(verify_total, an_error_is_told_a_call_too_and_leaves_the_interval)
{
    struct verify_pair pairs[PAIRS];
    struct verify_total total;
    make_pairs(pairs, 1e9, 5e9, 0.8e9);
    verify_total_make(&total, pairs, PAIRS);
    cr_expect(near(total.compensated_error.value, -0.2));
    cr_expect(lt(dbl, fabs(total.error_ns_per_call + 0.2e9 / 1000), 0.01 * 0.2e9 / 1000));
    cr_expect(eq(sz, total.inside, 0));
}

Test(verify_total, coverage_counts_runs)
{
    struct verify_pair pairs[PAIRS];
    struct verify_total total;
    for (size_t i = 0; i < PAIRS; i++)
        pairs[i] = (struct verify_pair){100, 300, i % 3 ? 100 : 120, 10, 1};
    verify_total_make(&total, pairs, PAIRS);
    cr_expect(eq(sz, total.inside, PAIRS - PAIRS / 3));
    cr_expect(eq(sz, total.runs, PAIRS));
}
