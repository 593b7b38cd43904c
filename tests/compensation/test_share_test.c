/* Shares from samples that are looked at again and again: conclusions are false no more often than stated. */
#include "compensation/search/share_test.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

static double unit(uint64_t *state)
{
    return (double)(prng_next(state) >> 11) / 9007199254740992.0;
}

/* Of `runs` runs of `samples`, looked at after each, the share in which a verdict is `wrong`. next: the value of sample
 * i with mean p. */
static double wrong_verdicts(double p, double threshold, enum pcomp_verdict wrong, int samples, int runs,
                             double (*next)(uint64_t *state, double p, int i))
{
    int count = 0;
    for (int run = 0; run < runs; run++) {
        uint64_t state = 1000003u * (uint64_t)(run + 1);
        double sum = 0;
        for (int i = 1; i <= samples; i++) {
            sum += next(&state, p, i);
            enum pcomp_verdict verdict = pcomp_share_verdict(i, sum, threshold, PCOMP_SHARE_ERROR);
            if (verdict != PCOMP_VERDICT_OPEN) {
                count += verdict == wrong;
                break;
            }
        }
    }
    return (double)count / runs;
}

static double whether(uint64_t *state, double p, int i)
{
    (void)i;
    return unit(state) < p;
}

/* Values between: half of the threads, or none. */
static double part(uint64_t *state, double p, int i)
{
    (void)i;
    return unit(state) < p * 2 ? 0.5 : 0;
}

/* The share swings around p, never above for long: its mean from the start is p or less. */
static double swinging(uint64_t *state, double p, int i)
{
    return unit(state) < (i / 100 % 2 ? 2 * p : 0);
}

Test(share_test, a_share_at_the_threshold_is_rarely_called_above_or_below)
{
    static const double thresholds[] = {0.02, 0.1, 0.2, 0.5};
    for (int i = 0; i < 4; i++) {
        double p = thresholds[i];
        cr_expect_leq(wrong_verdicts(p, p, PCOMP_VERDICT_ABOVE, 1500, 300, whether), 0.05, "above %g", p);
        cr_expect_leq(wrong_verdicts(p, p, PCOMP_VERDICT_BELOW, 1500, 300, whether), 0.05, "below %g", p);
    }
}

Test(share_test, nor_is_one_that_changes_while_its_mean_does_not_pass_the_threshold)
{
    cr_expect_leq(wrong_verdicts(0.1, 0.1, PCOMP_VERDICT_ABOVE, 1500, 300, swinging), 0.05);
    cr_expect_leq(wrong_verdicts(0.1, 0.1, PCOMP_VERDICT_ABOVE, 1500, 300, part), 0.05);
}

Test(share_test, a_share_off_the_threshold_is_told_soon)
{
    cr_expect_eq(wrong_verdicts(0.4, 0.2, PCOMP_VERDICT_ABOVE, 300, 200, whether), 1.0);
    cr_expect_eq(wrong_verdicts(0.02, 0.2, PCOMP_VERDICT_BELOW, 300, 200, whether), 1.0);
}

Test(share_test, the_interval_holds_the_share_whenever_it_is_looked_at)
{
    int left = 0;
    for (int run = 0; run < 200; run++) {
        uint64_t state = 77777u * (uint64_t)(run + 1);
        double sum = 0;
        for (int i = 1, out = 0; i <= 400 && !out; i++) {
            sum += unit(&state) < 0.3;
            if (i % 10)
                continue;
            struct pcomp_share share = pcomp_share_of(i, sum, PCOMP_SHARE_ERROR);
            out = share.low > 0.3 || share.high < 0.3;
            left += out;
        }
    }
    cr_expect_leq(left, 10, "%d of 200", left);
}

Test(share_test, verdict_and_interval_agree)
{
    uint64_t state = 5;
    for (int i = 0; i < 300; i++) {
        double samples = 1 + floor(unit(&state) * 2000), sum = samples * unit(&state);
        double threshold = 0.01 + 0.98 * unit(&state);
        struct pcomp_share share = pcomp_share_of(samples, sum, PCOMP_SHARE_ERROR);
        enum pcomp_verdict verdict = pcomp_share_verdict(samples, sum, threshold, PCOMP_SHARE_ERROR);
        cr_assert(share.low <= share.value && share.value <= share.high);
        if (fabs(threshold - share.low) > 1e-6 && fabs(threshold - share.high) > 1e-6) {
            cr_assert_eq(verdict == PCOMP_VERDICT_ABOVE, threshold < share.low, "%g of %g", sum, samples);
            cr_assert_eq(verdict == PCOMP_VERDICT_BELOW, threshold > share.high, "%g of %g", sum, samples);
        }
    }
}

Test(share_test, more_samples_of_one_share_narrow_the_interval)
{
    double width = 1;
    for (double samples = 10; samples < 1e6; samples *= 4) {
        struct pcomp_share share = pcomp_share_of(samples, samples * 0.25, PCOMP_SHARE_ERROR);
        cr_assert_lt(share.high - share.low, width);
        width = share.high - share.low;
    }
}

Test(share_test, absurd_arguments_say_nothing)
{
    static const double absurd[][2] = {{0, 0}, {-1, 0}, {10, 11}, {10, -1}, {NAN, 1}, {10, NAN}, {INFINITY, 1}};
    for (int i = 0; i < 7; i++) {
        struct pcomp_share share = pcomp_share_of(absurd[i][0], absurd[i][1], PCOMP_SHARE_ERROR);
        cr_expect(share.low == 0 && share.high == 1);
        cr_expect_eq(pcomp_share_verdict(absurd[i][0], absurd[i][1], 0.5, PCOMP_SHARE_ERROR), PCOMP_VERDICT_OPEN);
    }
}
