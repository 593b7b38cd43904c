/* Medians, their intervals and distances of distributions: laws, and the probabilities by counting. */
#include "reporters/verify/sample_statistics.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdlib.h>

static unsigned long long state;

static double chance(void) /* from 0 to 1 */
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(state >> 11) / 9007199254740992.0;
}

static void fill(double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = chance();
}

Test(sample_statistics, median_has_as_many_below_as_above)
{
    for (size_t count = 1; count < 60; count++) {
        double values[60];
        fill(values, count);
        double median = sample_median(values, count);
        size_t below = 0, above = 0;
        for (size_t i = 0; i < count; i++) {
            below += values[i] < median;
            above += values[i] > median;
        }
        cr_expect(eq(sz, below, above));
    }
    cr_expect(isnan(sample_median(NULL, 0)));
}

Test(sample_statistics, interval_contains_the_median_and_scales_with_the_values)
{
    for (size_t count = 1; count < 200; count++) {
        double values[200], scaled[200];
        fill(values, count);
        for (size_t i = 0; i < count; i++)
            scaled[i] = 3 * values[i] + 1;
        struct sample_interval a = sample_median_interval(values, count), b = sample_median_interval(scaled, count);
        cr_expect(all(le(dbl, a.low, a.value), le(dbl, a.value, a.high)));
        cr_expect(lt(dbl, fabs(b.low - (3 * a.low + 1)) + fabs(b.high - (3 * a.high + 1)), 1e-12));
    }
}

/* Of 2^count equally likely patterns of "below the true median", those that the interval holds. */
Test(sample_statistics, interval_is_the_narrowest_with_95_percent)
{
    for (size_t count = 1; count <= 16; count++) {
        double values[16];
        for (size_t i = 0; i < count; i++)
            values[i] = (double)i;
        struct sample_interval interval = sample_median_interval(values, count);
        size_t low = (size_t)interval.low, high = (size_t)interval.high, held = 0, narrower = 0;
        for (unsigned pattern = 0; pattern < 1u << count; pattern++) {
            size_t below = (size_t)__builtin_popcount(pattern); /* the true median lies above so many values */
            held += below > low && below <= high;
            narrower += below > low + 1 && below <= high - 1;
        }
        double patterns = ldexp(1, (int)count);
        cr_expect(eq(sz, low + high, count - 1));
        if (count >= 6) {
            cr_expect(ge(dbl, (double)held / patterns, 0.95));
            cr_expect(lt(dbl, (double)narrower / patterns, 0.95));
        } else
            cr_expect(eq(sz, low, 0));
    }
}

Test(sample_statistics, interval_of_many_values_is_near_the_normal_one)
{
    static double values[1000];
    for (size_t i = 0; i < 1000; i++)
        values[i] = (double)i;
    struct sample_interval interval = sample_median_interval(values, 1000);
    cr_expect(lt(dbl, fabs(interval.high - interval.low - 2 * 1.96 * sqrt(250)), 2.5));
}

Test(sample_statistics, interval_covers_the_true_median_of_skewed_values)
{
    int covered = 0;
    for (int trial = 0; trial < 2000; trial++) {
        double values[15];
        fill(values, 15);
        for (size_t i = 0; i < 15; i++)
            values[i] = exp(5 * values[i]); /* the median of what they are drawn from: exp(2.5) */
        struct sample_interval interval = sample_median_interval(values, 15);
        covered += interval.low <= exp(2.5) && exp(2.5) <= interval.high;
    }
    cr_expect(ge(int, covered, 1890)); /* 96.5 % are expected, 94.5 % is five deviations less */
}

Test(sample_statistics, spread_and_deviation_of_known_values)
{
    double values[] = {40, 10, 30, 20, 50};
    cr_expect(lt(dbl, fabs(sample_deviation(values, 5) - sqrt(250)), 1e-12));
    cr_expect(lt(dbl, fabs(sample_spread(values, 5) - 20.0 / 30), 1e-12));
    cr_expect(eq(dbl, sample_deviation(values, 1), 0));
    cr_expect(isnan(sample_spread(values, 0)));
}

Test(sample_statistics, total_variation_is_a_distance_of_shares)
{
    for (int trial = 0; trial < 200; trial++) {
        double a[20], b[20], c[20], scaled[20];
        fill(a, 20), fill(b, 20), fill(c, 20);
        for (int i = 0; i < 20; i++)
            scaled[i] = 7 * b[i];
        double ab = total_variation(a, b, 20), ac = total_variation(a, c, 20), cb = total_variation(c, b, 20);
        cr_expect(all(ge(dbl, ab, 0), le(dbl, ab, 1)));
        cr_expect(lt(dbl, fabs(ab - total_variation(b, a, 20)), 1e-12));
        cr_expect(lt(dbl, fabs(ab - total_variation(a, scaled, 20)), 1e-12));
        cr_expect(lt(dbl, total_variation(b, scaled, 20), 1e-12));
        cr_expect(le(dbl, ab, ac + cb + 1e-12));
    }
    const double left[] = {1, 3, 0, 0}, right[] = {0, 0, 2, 5}, moved[] = {2, 2, 0, 0}, none[] = {0, 0, 0, 0};
    cr_expect(lt(dbl, fabs(total_variation(left, right, 4) - 1), 1e-12));
    cr_expect(lt(dbl, fabs(total_variation(left, moved, 4) - 0.25), 1e-12));
    cr_expect(isnan(total_variation(left, none, 4)));
}
