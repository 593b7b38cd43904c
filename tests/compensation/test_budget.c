/* The budget of measuring: what the last second cost, what bursts may cost, when it was too much. */
#include "compensation/budget.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

#define SECOND 1e9

static uint64_t at(double seconds)
{
    return (uint64_t)(seconds * SECOND) + 12345;
}

static struct pcomp_budget started(double share)
{
    struct pcomp_budget b;
    pcomp_budget_start(&b, share, at(0), SECOND);
    return b;
}

Test(budget, the_first_second_has_the_budget_of_one)
{
    struct pcomp_budget b = started(0.05);
    cr_assert_float_eq(pcomp_budget_left(&b, at(0)), 0.05 * SECOND, 1);
    pcomp_budget_add(&b, at(0.1), 0.03 * SECOND, 1);
    cr_assert_float_eq(pcomp_budget_left(&b, at(0.5)), 0.05 * 0.97 * SECOND - 0.03 * SECOND, 1);
    cr_assert_float_eq(pcomp_budget_left(&b, at(1.2)), 0.05 * SECOND, 1, "what is older than a second is forgotten");
    cr_assert_eq(b.over.count, 0);
}

Test(budget, too_much_is_noted_with_its_length_and_cause)
{
    struct pcomp_budget b = started(0.05);
    pcomp_budget_add(&b, at(0.50), 0.02 * SECOND, 1);
    pcomp_budget_add(&b, at(0.51), 0.06 * SECOND, 3);
    cr_assert_eq(b.over.count, 1);
    for (double t = 0.52; t < 3; t += 0.01)
        pcomp_budget_add(&b, at(t), 0, 2);
    cr_assert_eq(b.over.count, 1);
    cr_assert_eq(b.over.longest_cause, 3);
    cr_assert_float_eq((double)b.over.longest, SECOND, 0.05 * SECOND);
    cr_assert_float_eq((double)b.over.ticks, SECOND, 0.05 * SECOND);
    cr_assert_float_eq(b.worst, 0.08 / 0.92, 1e-6);
}

Test(budget, a_point_above_is_tolerated)
{
    struct pcomp_budget b = started(0.05);
    pcomp_budget_add(&b, at(0.5), 0.055 * SECOND, 2);
    cr_assert_eq(b.over.count, 0);
}

/* Bursts as planned, of random length and cost, stay within the budget over every second. */
Test(budget, bursts_as_planned_keep_the_budget)
{
    uint64_t state = 4711;
    for (int run = 0; run < 200; run++) {
        double share = 0.01 + 0.2 * (double)(prng_next(&state) % 1000) / 1000;
        double rate = 0.05 + 0.9 * (double)(prng_next(&state) % 1000) / 1000, each = 1e5, now = 0;
        struct pcomp_budget b = started(share);
        struct pcomp_burst_plan plan = pcomp_budget_plan(share, SECOND, each, rate);
        bool rare = plan.gap >= 0.16 * SECOND; /* as seldom as may be */
        cr_assert(plan.length >= 0.0002 * SECOND && plan.gap <= 0.17 * SECOND);
        for (int i = 0; i < 2000; i++) {
            double half = 0.5 + (double)(prng_next(&state) % 1000) / 1000, need = each + rate * plan.length * 1.5;
            now += plan.gap * half / SECOND;
            while (pcomp_budget_left(&b, at(now)) < need && !rare) /* as profiler/bursts.c waits */
                now += 0.01;
            half = 0.5 + (double)(prng_next(&state) % 1000) / 1000;
            now += plan.length * half / SECOND;
            pcomp_budget_add(&b, at(now), each + rate * plan.length * half, 2);
        }
        cr_assert(rare || b.over.count == 0, "share %g, rate %g: worst %g", share, rate, b.worst);
    }
}

Test(budget, each_return_to_exact_takes_longer)
{
    struct pcomp_budget b = started(0.05);
    struct pcomp_budget_return r = {0};
    double now = 0, last = 0, waited = 0;
    for (int returns = 0; returns < 4;) {
        now += 0.025;
        if (!pcomp_budget_returns(&r, &b, at(now), 0.01 * 0.001 * SECOND, 0.001 * SECOND))
            continue;
        cr_assert_gt(now - last, waited * 1.9);
        waited = now - last;
        last = now;
        returns++;
    }
    for (int i = 0; i < 4000; i++) /* half of the budget is too much to return */
        cr_assert_not(pcomp_budget_returns(&r, &b, at(now += 0.025), 0.03 * 0.001 * SECOND, 0.001 * SECOND));
}

Test(budget, absurd_numbers_stay_finite)
{
    const double absurd[] = {0, -1e18, 1e18, 1};
    for (unsigned i = 0; i < 256; i++) {
        struct pcomp_budget b = started(1e-5);
        pcomp_budget_add(&b, at(absurd[i & 3] > 0 ? 1 : 0), absurd[i >> 2 & 3], i);
        cr_assert(isfinite(pcomp_budget_left(&b, at(2))));
        struct pcomp_burst_plan plan = pcomp_budget_plan(1e-5, SECOND, absurd[i & 3], absurd[i >> 2 & 3]);
        cr_assert(isfinite(plan.length) && isfinite(plan.gap) && plan.length > 0 && plan.gap > 0);
    }
}
