/* A known time shared out by samples: laws, and whether the interval holds. */
#include "compensation/estimate/sample_split.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

#define PLACES 12

static double uniform(uint64_t *random)
{
    return (double)(prng_next(random) >> 11) / 9007199254740992.0;
}

static struct pcomp_sample_sums samples(double count)
{
    return (struct pcomp_sample_sums){count, count};
}

Test(sample_split, shares_add_up_and_lie_in_their_intervals)
{
    uint64_t random = 1;
    for (int round = 0; round < 5000; round++) {
        struct pcomp_sample_sums all = {0}, place[PLACES];
        for (int k = 0; k < PLACES; k++) {
            double weight = floor(uniform(&random) * 20), mean = 1 + 3 * uniform(&random);
            place[k] = (struct pcomp_sample_sums){weight, weight * mean};
            all.weight += weight;
            all.squares += weight * mean;
        }
        double time = 10 * uniform(&random), error = uniform(&random), sum = 0;
        for (int k = 0; k < PLACES; k++) {
            struct pcomp_sampled_time t = pcomp_sample_split(place[k], all, time, error);
            sum += t.value;
            cr_assert(0 <= t.low && t.low <= t.value && t.value <= t.high && t.error > 0);
        }
        cr_assert_float_eq(sum, all.weight > 0 ? time : 0, 1e-9);
    }
}

Test(sample_split, without_samples_nothing_is_known)
{
    struct pcomp_sampled_time t = pcomp_sample_split(samples(0), samples(0), 5, 0);
    cr_assert(t.value == 0 && t.low == 0 && t.high == 5);
    t = pcomp_sample_split(samples(0), samples(100), 5, 0);
    cr_assert(t.value == 0 && t.low == 0 && t.high > 0.15 && t.high < 0.25, "3.7 of 100 at most, %g", t.high / 5);
    t = pcomp_sample_split(samples(100), samples(100), 5, 0);
    cr_assert(t.value == 5 && t.low > 4.75 && t.low < 4.85 && t.high < 5.001);
}

Test(sample_split, the_error_of_the_time_is_in_it)
{
    struct pcomp_sampled_time t = pcomp_sample_split(samples(1e6), samples(1e6), 5, 0.5);
    cr_assert_float_eq(t.error, 0.5, 1e-3);
    cr_assert_float_eq(t.high - t.low, 2 * 1.96 * 0.5, 1e-3);
}

Test(sample_split, absurd_values_stay_in_range)
{
    static const double values[] = {-1e30, -1, 0, 1e-30, 1, 1e30};
    for (int i = 0; i < 6 * 6 * 6 * 6; i++) {
        struct pcomp_sample_sums place = {values[i % 6], values[i / 6 % 6]},
                                 all = {values[i / 36 % 6], values[i / 216]};
        struct pcomp_sampled_time t = pcomp_sample_split(place, all, 3, 1);
        cr_assert(t.value >= 0 && t.value <= 3 && t.low <= t.value && t.low >= 0, "%g %g", t.low, t.value);
        cr_assert(t.high >= t.value && isfinite(t.high));
    }
}

/* Places of all sizes, few and many samples. A sample in three stands for up to five periods, more often so in some
 * places than in others. */
Test(sample_split, intervals_hold)
{
    uint64_t random = 2;
    double held = 0, intervals = 0, error = 0;
    for (int round = 0; round < 4000; round++) {
        double part[PLACES], late[PLACES], sum = 0;
        for (int k = 0; k < PLACES; k++) {
            part[k] = pow(10, -3 * uniform(&random));
            late[k] = uniform(&random) * 0.3;
            sum += part[k];
        }
        double time = 1, spread = 0.1 * uniform(&random), clocked = time + spread * prng_normal(&random);
        struct pcomp_sample_sums all = {0}, place[PLACES] = {{0}};
        double share[PLACES], weights = 0;
        for (int k = 0; k < PLACES; k++) /* a late sample has a mean weight of 3.5 */
            weights += part[k] / sum * (1 + 2.5 * late[k]);
        for (int k = 0; k < PLACES; k++)
            share[k] = part[k] / sum * (1 + 2.5 * late[k]) / weights;
        int count = (int)(10 * pow(300, uniform(&random)));
        for (int i = 0; i < count; i++) {
            double at = uniform(&random) * sum;
            int k = 0;
            while (k < PLACES - 1 && at >= part[k])
                at -= part[k++];
            double weight = uniform(&random) < late[k] ? 2 + (double)prng_below(&random, 4) : 1;
            place[k].weight += weight;
            place[k].squares += weight * weight;
            all.weight += weight;
            all.squares += weight * weight;
        }
        for (int k = 0; k < PLACES; k++) {
            struct pcomp_sampled_time t = pcomp_sample_split(place[k], all, clocked, spread);
            held += t.low <= time * share[k] && time * share[k] <= t.high;
            error += t.value - time * share[k];
            intervals++;
        }
    }
    cr_assert(held / intervals > 0.94 && held / intervals < 0.96, "%.4f hold", held / intervals);
    cr_assert(fabs(error / intervals) < 0.001);
}
