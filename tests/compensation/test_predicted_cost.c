/* Predicted cost: laws, and where it is the same as what is observed. */
#include "compensation/observed_cost.h"
#include "compensation/predicted_cost.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct pcomp_call_prices prices = {.counted = 8,
                                                .stamped = 300,
                                                .sampled = 0.002,
                                                .timed = 30,
                                                .recorded = 36,
                                                .filtered = 6,
                                                .off = 0.7,
                                                .burst = 5e5,
                                                .gap = 25e6};

static const enum pcomp_predicted_mode modes[] = {PCOMP_PREDICT_EXACT, PCOMP_PREDICT_FULL, PCOMP_PREDICT_BURST,
                                                  PCOMP_PREDICT_TRACE};

static double share_of(enum pcomp_predicted_mode mode, double calls, double own)
{
    struct pcomp_demand demand = {own, calls, calls * pcomp_predicted_call(&prices, mode, NAN, NAN)};
    return pcomp_predicted_share(&prices, mode, &demand);
}

Test(predicted_cost, no_calls_cost_nothing)
{
    for (int m = 0; m < 4; m++)
        cr_assert_eq(share_of(modes[m], 0, 1e9), 0);
}

Test(predicted_cost, more_calls_cost_more)
{
    for (int m = 0; m < 4; m++)
        for (int power = 0; power < 10; power++)
            cr_assert_gt(share_of(modes[m], 2 * pow(10, power), 1e9), share_of(modes[m], pow(10, power), 1e9));
}

Test(predicted_cost, a_rate_is_a_rate)
{
    for (int m = 0; m < 4; m++)
        cr_assert_float_eq(share_of(modes[m], 1e6, 1e9), share_of(modes[m], 7e6, 7e9), 1e-12);
}

Test(predicted_cost, a_thousand_calls_a_second_of_each_function)
{
    double calls = 93 * PCOMP_STATIC_USER_CALLS; /* the paper's Ear has 93 functions */
    cr_assert_float_eq(share_of(PCOMP_PREDICT_FULL, calls, 1e9), 93e3 * 30 / 1e9, 1e-12);
}

Test(predicted_cost, long_segments_are_stamped)
{
    double brief = pcomp_predicted_call(&prices, PCOMP_PREDICT_EXACT, 10, NAN);
    cr_assert_float_eq(brief, 8 * 0.998 + 300 * 0.002, 1e-9);
    cr_assert_eq(pcomp_predicted_call(&prices, PCOMP_PREDICT_EXACT, NAN, NAN), brief);
    cr_assert_eq(pcomp_predicted_call(&prices, PCOMP_PREDICT_EXACT, 5000, NAN), prices.stamped);
    /* what is known counts for more */
    cr_assert_eq(pcomp_predicted_call(&prices, PCOMP_PREDICT_EXACT, 5000, 0), prices.counted);
    cr_assert_eq(pcomp_predicted_call(&prices, PCOMP_PREDICT_EXACT, 10, 7), prices.stamped);
}

Test(predicted_cost, bursts_cost_less_than_being_on_and_more_than_being_off)
{
    for (int power = 3; power < 10; power++) {
        double calls = pow(10, power);
        double burst = share_of(PCOMP_PREDICT_BURST, calls, 1e9);
        cr_assert_lt(burst, share_of(PCOMP_PREDICT_EXACT, calls, 1e9));
        cr_assert_gt(burst, calls * prices.off / 1e9);
    }
}

Test(predicted_cost, bursts_agree_with_a_simulated_run)
{
    /* 3e8 calls a second of own time: bursts and gaps by the wall clock, the program gets on between its calls */
    double rate = 0.3, on = pcomp_predicted_call(&prices, PCOMP_PREDICT_BURST, NAN, NAN), own = 0, wall = 0;
    for (int i = 0; i < 1000; i++) {
        own += prices.burst / (1 + rate * on) + prices.gap / (1 + rate * prices.off);
        wall += prices.burst + prices.gap;
    }
    cr_assert_float_eq(share_of(PCOMP_PREDICT_BURST, 3e8, 1e9), wall / own - 1, 1e-9);
}

Test(predicted_cost, what_was_observed_is_predicted)
{
    struct pcomp_cost_events events = {.counted = 1.996e6, .stamped = 4000, .hook = 4000 * 110};
    struct pcomp_cost cost = pcomp_cost_of_events(&events, prices.counted, 40);
    double calls = 1e6, stamped = events.stamped / (2 * calls), own = 5e7;
    struct pcomp_demand demand = {own, calls, calls * pcomp_predicted_call(&prices, PCOMP_PREDICT_EXACT, NAN, stamped)};
    cr_assert_float_eq(pcomp_predicted_share(&prices, PCOMP_PREDICT_EXACT, &demand),
                       pcomp_cost_share(pcomp_cost_total(&cost), own), 1e-9);
}

Test(predicted_cost, absurd_numbers_stay_finite)
{
    const double absurd[] = {0, -1e18, 1e18, 1};
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 64; i++) {
            struct pcomp_demand demand = {absurd[i & 3], absurd[i >> 2 & 3], absurd[i >> 4]};
            double share = pcomp_predicted_share(&prices, modes[m], &demand);
            cr_assert(demand.own > 0 ? isfinite(share) : isnan(share));
        }
}
