/* Windows: their cost, their distances, their first ones. */
#include "compensation/control/window_plan.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

static struct pcomp_window_costs draw(uint64_t *random)
{
    return (struct pcomp_window_costs){.switching = 1e-6 * (double)(1 + prng_below(random, 300)),
                                       .counting = (double)prng_below(random, 600) / 1000,
                                       .share = 0.001 * (double)(1 + prng_below(random, 60))};
}

Test(window_plan, windows_cost_their_share)
{
    uint64_t random = 1;
    for (int round = 0; round < 500; round++) {
        struct pcomp_window_costs costs = draw(&random);
        struct pcomp_window_plan plan;
        pcomp_window_plan_init(&plan, prng_next(&random));
        double time = 0, spent = 0, windows = 0, highest = 0;
        while (windows < 400) {
            double gap = pcomp_window_next_gap(&plan, &costs), length = pcomp_window_next_length(&plan);
            cr_assert(gap >= 0 && length >= PCOMP_WINDOW_MIN && length <= PCOMP_WINDOW_MAX, "%g %g", gap, length);
            time += gap + length;
            spent += costs.switching + costs.counting * length;
            double max = costs.switching + costs.counting * PCOMP_WINDOW_MAX;
            highest = fmax(highest, spent - costs.share * time - 3 * max);
            windows++;
        }
        cr_assert(highest <= PCOMP_WINDOW_START, "%g", highest);
        cr_assert(spent / time < 1.1 * costs.share + PCOMP_WINDOW_START / time, "%g %g", spent / time, costs.share);
        double affordable = costs.share / (spent / windows); /* windows a second */
        cr_assert(windows / time > 0.8 * fmin(affordable, 1 / PCOMP_STRATUM_MIN), "%g", windows / time);
    }
}

Test(window_plan, short_runs_have_some)
{
    uint64_t random = 2;
    double windows = 0;
    for (int round = 0; round < 1000; round++) {
        struct pcomp_window_costs costs = {.switching = 1e-4, .counting = 0.3, .share = 0.03};
        struct pcomp_window_plan plan;
        pcomp_window_plan_init(&plan, prng_next(&random));
        double time = 0;
        int in_time = 0;
        while ((time += pcomp_window_next_gap(&plan, &costs) + pcomp_window_next_length(&plan)) < 0.1)
            in_time++;
        cr_assert(in_time >= 3, "%d", in_time);
        windows += in_time;
    }
    cr_assert(windows / 1000 > 4, "%g", windows / 1000);
}

/* Whatever the phase of the program, windows meet it as often. */
Test(window_plan, no_period_keeps_step)
{
    static const double periods[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.3};
    for (int k = 0; k < 6; k++) {
        struct pcomp_window_costs costs = {.switching = 1e-4, .counting = 0.3, .share = 0.03};
        struct pcomp_window_plan plan;
        pcomp_window_plan_init(&plan, (uint64_t)k);
        double time = 0, met[10] = {0}, windows = 20000;
        for (int i = 0; i < (int)windows; i++) {
            time += pcomp_window_next_gap(&plan, &costs);
            met[(int)(fmod(time, periods[k]) / periods[k] * 10)]++;
            time += pcomp_window_next_length(&plan);
        }
        for (int i = 0; i < 10; i++)
            cr_assert(fabs(met[i] - windows / 10) < 5 * sqrt(windows / 10), "%g s: %g", periods[k], met[i]);
    }
}

Test(window_plan, what_a_window_saw_does_not_move_the_next_one)
{
    struct pcomp_window_costs cheap = {1e-3, 0.1, 0.03}, dear = {1e-3, 0.9, 0.03};
    struct pcomp_window_plan a, b;
    pcomp_window_plan_init(&a, 3);
    pcomp_window_plan_init(&b, 3);
    for (int i = 0; i < 10; i++)
        cr_assert_eq(pcomp_window_next_gap(&a, &cheap), pcomp_window_next_gap(&b, &cheap));
    cr_assert_eq(pcomp_window_next_gap(&a, &cheap), pcomp_window_next_gap(&b, &dear));
    cr_assert_neq(pcomp_window_next_gap(&a, &cheap), pcomp_window_next_gap(&b, &dear));
}

Test(window_plan, what_is_not_affordable_is_rare)
{
    struct pcomp_window_costs costs = {1, 1, 0};
    struct pcomp_window_plan plan;
    pcomp_window_plan_init(&plan, 4);
    double time = 0;
    for (int i = 0; i < 10; i++)
        time += pcomp_window_next_gap(&plan, &costs);
    cr_assert(time > 6 * PCOMP_STRATUM_MAX && time < 12 * PCOMP_STRATUM_MAX);
}
