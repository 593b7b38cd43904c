/* What measuring cost, from counts: laws of the sums. */
#include "compensation/cost/observed_cost.h"

#include <criterion/criterion.h>
#include <math.h>

Test(observed_cost, every_kind_has_a_name_of_its_own)
{
    for (int i = 0; i < PCOMP_COST_KINDS; i++) {
        cr_assert_not_null(pcomp_cost_kind_name(i));
        for (int k = 0; k < i; k++)
            cr_assert_str_neq(pcomp_cost_kind_name(i), pcomp_cost_kind_name(k));
    }
    cr_assert_null(pcomp_cost_kind_name(-1));
    cr_assert_null(pcomp_cost_kind_name(PCOMP_COST_KINDS));
}

Test(observed_cost, nothing_costs_nothing)
{
    struct pcomp_cost none = pcomp_cost_of_timed(0, 25, 0, 30, 0);
    cr_assert_eq(pcomp_cost_total(&none), 0);
}

Test(observed_cost, parts_add_up)
{
    struct pcomp_cost whole = pcomp_cost_of_timed(100, 25, 50, 31, 400), sum = pcomp_cost_of_timed(60, 25, 50, 31, 0),
                      part = pcomp_cost_of_timed(40, 25, 0, 31, 400);
    pcomp_cost_add(&sum, &part);
    for (int k = 0; k < PCOMP_COST_KINDS; k++)
        cr_assert_eq(sum.of[k], whole.of[k]);
    cr_assert_eq(pcomp_cost_total(&whole), 100 * 25 + 50 * 31 + 400);
}

Test(observed_cost, timed_calls_cost_what_their_variant_does)
{
    struct pcomp_cost cost = pcomp_cost_of_timed(100, 25, 50, 31, 400);
    cr_assert_eq(cost.of[PCOMP_COST_TIMING], 100 * 25 + 50 * 31);
    cr_assert_eq(cost.of[PCOMP_COST_NEW_PATHS], 400);
}

Test(observed_cost, the_share_of_no_time_is_unknown)
{
    cr_assert_eq(pcomp_cost_share(5, 100), 0.05);
    cr_assert(isnan(pcomp_cost_share(5, 0)));
    cr_assert(isnan(pcomp_cost_share(5, -1)));
}

Test(observed_cost, absurd_numbers_stay_finite)
{
    const double absurd[] = {0, -1e18, 1e18, 1};
    for (int i = 0; i < 256; i++) {
        struct pcomp_cost cost =
            pcomp_cost_of_timed(absurd[i & 3], absurd[i >> 2 & 3], absurd[i >> 4 & 3], absurd[i >> 6], absurd[i & 3]);
        cr_assert(isfinite(pcomp_cost_total(&cost)));
    }
}
