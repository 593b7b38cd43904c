/* What no-op sites cost: bounded by the time that there is, and near the price of seldom calls elsewhere. */
#include "compensation/estimate/site_price.h"

#include <criterion/criterion.h>

static double hooks(double calls, double time)
{
    return calls * pcomp_site_price(false, calls, time).price;
}

Test(site_price, hook_calls_never_cost_more_than_there_is)
{
    for (double calls = 1; calls < 1e15; calls *= 7)
        cr_assert(hooks(calls, 1e9) < 1e9, "%g calls", calls);
}

Test(site_price, seldom_calls_cost_the_price_each)
{
    cr_assert_float_eq(hooks(1000, 1e9), 1000 * PCOMP_SITE_HOOK, 1e-3);
    cr_assert_float_eq(hooks(1000, 0), 1000 * PCOMP_SITE_HOOK, 1e-9);
    cr_assert_float_eq(pcomp_site_price(true, 1e9, 1e9).price, PCOMP_SITE_SLED, 1e-12);
}

Test(site_price, one_call_more_adds_the_slope)
{
    for (double calls = 1e6; calls < 3e9; calls *= 3) {
        double slope = (hooks(calls + 1000, 3e9) - hooks(calls - 1000, 3e9)) / 2000;
        cr_assert_float_eq(slope, pcomp_site_price(false, calls, 3e9).next, 1e-6);
    }
}
