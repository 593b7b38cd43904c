/* Distributions of times: percentiles against the sorted times themselves, and merging. */
#include "reporters/tree/build/time_spread.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define UNIT      (1.0 / 1024 / 2.5) /* ns: 2.5 GHz */
#define TIMES_MAX 5000

static uint64_t seed = 1;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / (double)(1ull << 53);
}

/* Log-normal, in two heaps, 20 ns and 100 us, and a few below zero. */
static double any_time(void)
{
    double z = 0;
    for (int i = 0; i < 12; i++)
        z += uniform();
    double middle = uniform() < 0.8 ? 20 : 1e5;
    return uniform() < 0.02 ? -40 * uniform() : middle * exp((z - 6) / 2);
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void fill(struct time_spread **slot, double *times, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        times[i] = any_time();
        cr_assert(time_spread_put(slot, time_spread_place(times[i], UNIT), 1));
    }
}

Test(time_spread, quantiles_are_those_of_the_times_to_a_sixteenth)
{
    static const double shares[] = {0.001, 0.1, 0.5, 0.9, 0.99, 1};
    double times[TIMES_MAX];
    for (int round = 0; round < 200; round++) {
        struct time_spread *spread = NULL;
        size_t n = 1 + (size_t)(uniform() * (TIMES_MAX - 1)) / (round % 2 ? 1 : 1000);
        fill(&spread, times, n);
        qsort(times, n, sizeof *times, ascending);
        double last = -INFINITY;
        for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
            double is = times[(size_t)ceil(shares[i] * (double)n) - 1];
            double said = time_spread_quantile(spread, UNIT, shares[i], times[0], times[n - 1]);
            cr_assert(said >= times[0] && said <= times[n - 1]);
            cr_assert_geq(said, last, "they ascend");
            last = said;
            if (is >= 0)
                cr_assert_leq(fabs(said - is), (is + 16 / 2.5) / 15, "%g: %g for %g of %zu", shares[i], said, is, n);
        }
        cr_assert_eq(time_spread_total(spread), n);
        time_spread_free(&spread);
    }
}

Test(time_spread, of_two_is_that_of_both)
{
    double times[TIMES_MAX];
    for (int round = 0; round < 100; round++) {
        struct time_spread *a = NULL, *b = NULL, *both = NULL;
        size_t n = (size_t)(uniform() * 50), m = (size_t)(uniform() * (round % 3 ? TIMES_MAX - 50 : 2));
        fill(&a, times, n);
        fill(&b, times + n, m);
        for (size_t i = 0; i < n + m; i++)
            cr_assert(time_spread_put(&both, time_spread_place(times[i], UNIT), 1));
        cr_assert(time_spread_add(&a, b));
        uint64_t x, y;
        for (uint32_t at = 0, i = 0;; at++, i++) {
            at = time_spread_next(a, at, &x);
            cr_assert_eq(at, time_spread_next(both, i, &y));
            if (at == UINT32_MAX)
                break;
            cr_assert_eq(x, y);
            i = at;
        }
        time_spread_free(&a);
        time_spread_free(&b);
        time_spread_free(&both);
    }
}

Test(time_spread, of_none_is_not_known)
{
    struct time_spread *none = NULL;
    uint64_t count;
    cr_assert(isnan(time_spread_quantile(none, UNIT, 0.5, 0, 1)));
    cr_assert_eq(time_spread_next(none, 0, &count), UINT32_MAX);
    cr_assert_eq(time_spread_total(none), 0);
    cr_assert(time_spread_add(&none, NULL) && !none);
}

Test(time_spread, of_one_is_its_time)
{
    struct time_spread *one = NULL;
    cr_assert(time_spread_put(&one, time_spread_place(1e9, UNIT), 1));
    cr_assert_eq(time_spread_quantile(one, UNIT, 0.5, 1e9, 1e9), 1e9);
    cr_assert_float_eq(time_spread_quantile(one, UNIT, 0.99, NAN, NAN), 1e9, 1e9 / 15);
    time_spread_free(&one);
    cr_assert_null(one);
}
