/* By how much runs differ, from times of the same work in one run. */
#include "compensation/estimate/steadiness.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define VALUES 3000

/* A run on a machine whose speed is a random walk of steps `wander` that forgets itself after `memory` values, and
 * values that scatter by `noise`. Returns the mean. */
static double run(struct pcomp_steadiness *s, uint64_t *random, double noise, double wander, double memory)
{
    double speed = wander * sqrt(memory / 2) * prng_normal(random), sum = 0;
    memset(s, 0, sizeof *s);
    for (int i = 0; i < VALUES; i++) {
        speed += wander * prng_normal(random) - speed / memory;
        double value = 1000 * (1 + speed + noise * prng_normal(random));
        sum += value / VALUES;
        pcomp_steadiness_add(s, value);
    }
    return sum;
}

Test(steadiness, of_few_values_is_not_known)
{
    struct pcomp_steadiness s = {0};
    for (int i = 0; i < 2 * PCOMP_STEADY_PAIRS - 1; i++)
        pcomp_steadiness_add(&s, 1 + i);
    cr_assert_eq(pcomp_steadiness_scatter(&s), 0);
    pcomp_steadiness_add(&s, 0);
    cr_assert_eq(pcomp_steadiness_scatter(&s), 0, "values that are none are left out");
    pcomp_steadiness_add(&s, 3);
    cr_assert_gt(pcomp_steadiness_scatter(&s), 0);
}

Test(steadiness, of_a_machine_that_runs_alike_is_nothing)
{
    struct pcomp_steadiness s = {0};
    for (int i = 0; i < VALUES; i++)
        pcomp_steadiness_add(&s, 5);
    cr_assert_eq(pcomp_steadiness_scatter(&s), 0);
}

Test(steadiness, noise_of_single_values_averages_out)
{
    struct pcomp_steadiness s;
    uint64_t random = 1;
    double sum = 0;
    for (int i = 0; i < 200; i++) {
        run(&s, &random, 0.05, 0, 1000);
        sum += pcomp_steadiness_scatter(&s) / 200;
    }
    cr_assert_lt(sum, 0.01, "%g", sum);
}

Test(steadiness, holds_the_difference_of_runs_on_a_machine_that_wanders)
{
    struct pcomp_steadiness s;
    uint64_t random = 2;
    int held = 0, runs = 2000;
    for (int i = 0; i < runs; i++) {
        double memory = 300, wander = 0.05 / sqrt(memory / 2);
        held += fabs(run(&s, &random, 0.02, wander, memory) / 1000 - 1) < 1.96 * pcomp_steadiness_scatter(&s);
    }
    cr_assert(held > 0.9 * runs, "%d of %d", held, runs);
}

Test(steadiness, what_is_lost_is_what_the_best_speed_would_save)
{
    struct pcomp_steadiness s = {0};
    for (int i = 0; i < 2 * PCOMP_STEADY_PAIRS - 1; i++)
        pcomp_steadiness_add(&s, 6);
    cr_assert_eq(pcomp_steadiness_lost(&s), 0, "of few values it is not known");
    pcomp_steadiness_add(&s, 6);
    cr_assert_eq(pcomp_steadiness_lost(&s), 0, "alike, none");
    for (int i = 0; i < 24; i++)
        pcomp_steadiness_add(&s, i % 4 ? 6 : 4);
    cr_assert_float_eq(pcomp_steadiness_lost(&s), 1 - 32 * 4 / (26 * 6 + 6 * 4.0), 1e-12);
}

/* A machine that is half as fast in a part of the run, however long that lasts at a time. */
Test(steadiness, what_is_lost_does_not_depend_on_how_speeds_alternate)
{
    static const int lengths[] = {1, 10, 100, VALUES / 2};
    for (int k = 0; k < 4; k++) {
        struct pcomp_steadiness s = {0};
        for (int i = 0; i < VALUES; i++)
            pcomp_steadiness_add(&s, i / lengths[k] % 2 ? 2 : 1);
        cr_assert_float_eq(pcomp_steadiness_lost(&s), 1 - 1 / 1.5, 1e-9, "%d", lengths[k]);
    }
}
