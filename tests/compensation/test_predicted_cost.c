/* Predicted cost: laws, and where it is the same as what is observed. */
#include "compensation/cost/observed_cost.h"
#include "compensation/cost/predicted_cost.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct pcomp_call_prices prices = {
    .timed = 30, .counted = 1, .recorded = 36, .filtered = 6, .allowance = 200, .rate = 1000, .limit = 0.1};

static const enum pcomp_predicted_mode modes[] = {PCOMP_PREDICT_AUTO, PCOMP_PREDICT_FULL, PCOMP_PREDICT_TRACE};

static double share_of(enum pcomp_predicted_mode mode, double calls, double own)
{
    return pcomp_predicted_share(&prices, mode, pcomp_predicted_calls(&prices, mode, calls, own), own);
}

Test(predicted_cost, no_calls_cost_nothing)
{
    for (int m = 0; m < 3; m++)
        cr_assert_eq(share_of(modes[m], 0, 1e9), 0);
}

Test(predicted_cost, more_calls_cost_more)
{
    for (int m = 0; m < 3; m++)
        for (int power = 0; power < 7; power++)
            cr_assert_gt(share_of(modes[m], 2 * pow(10, power), 1e9), share_of(modes[m], pow(10, power), 1e9));
}

Test(predicted_cost, a_rate_is_a_rate)
{
    cr_assert_float_eq(share_of(PCOMP_PREDICT_FULL, 1e6, 1e9), share_of(PCOMP_PREDICT_FULL, 7e6, 7e9), 1e-12);
}

Test(predicted_cost, a_thousand_calls_a_second_of_each_function)
{
    double calls = PCOMP_STATIC_USER_CALLS; /* the paper's Ear has 93 functions */
    for (int m = 0; m < 2; m++)
        cr_assert_float_eq(93 * share_of(modes[m], calls, 1e9), 93e3 * 30 / 1e9, 1e-12);
}

Test(predicted_cost, rare_functions_are_timed_and_hot_ones_counted)
{
    cr_assert_eq(pcomp_predicted_calls(&prices, PCOMP_PREDICT_AUTO, 1200, 1e9), 1200 * 30);
    cr_assert_eq(pcomp_predicted_calls(&prices, PCOMP_PREDICT_AUTO, 1e6, 1e9), 1200 * 30 + (1e6 - 1200));
    cr_assert_eq(pcomp_predicted_calls(&prices, PCOMP_PREDICT_AUTO, 200, 0), 200 * 30);
}

Test(predicted_cost, a_trace_records_the_first_calls_and_counts_the_others)
{
    cr_assert_eq(pcomp_predicted_calls(&prices, PCOMP_PREDICT_TRACE, 1200, 1e9), 1200 * 36);
    cr_assert_eq(pcomp_predicted_calls(&prices, PCOMP_PREDICT_TRACE, 1e6, 1e9), 1200 * 36 + (1e6 - 1200));
    cr_assert_eq(pcomp_predicted_not_counted(&prices, PCOMP_PREDICT_TRACE, 1e6, 2e9), 2200);
    cr_assert_eq(pcomp_predicted_not_counted(&prices, PCOMP_PREDICT_FULL, 1e6, 2e9), 1e6);
}

Test(predicted_cost, what_a_trace_records_keeps_to_a_part_of_the_time)
{
    const struct pcomp_call_prices limited = {.recorded = 36, .start = 5e5, .share = 0.01};
    cr_assert_float_eq(pcomp_predicted_recorded_max(&limited, 1e9) * limited.recorded, 10.5e6, 1e-3);
    cr_assert_float_eq(pcomp_predicted_recorded_max(&limited, -1) * limited.recorded, 5e5, 1e-3);
    cr_assert_eq(pcomp_predicted_recorded_max(&prices, 1e9), INFINITY);
    cr_assert_eq(pcomp_predicted_recorded_max(&(struct pcomp_call_prices){.start = 1}, 1e9), INFINITY);
}

Test(predicted_cost, the_default_and_traces_keep_their_limit)
{
    for (int m = PCOMP_PREDICT_AUTO; m <= PCOMP_PREDICT_TRACE; m += PCOMP_PREDICT_TRACE - PCOMP_PREDICT_AUTO) {
        cr_assert_lt(share_of((enum pcomp_predicted_mode)m, 5e7, 1e9), prices.limit);
        cr_assert_eq(share_of((enum pcomp_predicted_mode)m, 5e8, 1e9), prices.limit);
    }
    cr_assert_gt(share_of(PCOMP_PREDICT_FULL, 5e8, 1e9), prices.limit);
}

Test(predicted_cost, what_was_observed_is_predicted)
{
    struct pcomp_cost cost = pcomp_cost_of_timed(0, 12, 1e6, prices.timed, 0);
    cr_assert_float_eq(share_of(PCOMP_PREDICT_FULL, 1e6, 5e7), pcomp_cost_share(pcomp_cost_total(&cost), 5e7), 1e-9);
}

Test(predicted_cost, absurd_numbers_stay_finite)
{
    const double absurd[] = {0, -1e18, 1e18, 1};
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 16; i++) {
            double own = absurd[i & 3], share = share_of(modes[m], absurd[i >> 2], own);
            cr_assert(own > 0 ? isfinite(share) : isnan(share));
        }
}
