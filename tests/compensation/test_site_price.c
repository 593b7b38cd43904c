/* What no-op sites cost: bounded by the time that there is, and near the price of seldom calls elsewhere. */
#include "compensation/estimate/site_price.h"

#include <criterion/criterion.h>

#define COUNTED 1.3 /* ns */

static double hooks(double calls, double time)
{
    return calls * pcomp_site_price(false, calls, time, COUNTED).price;
}

Test(site_price, hook_calls_never_cost_more_than_there_is)
{
    for (double calls = 1; calls < 1e15; calls *= 7)
        cr_assert(hooks(calls, 1e9) < 1e9, "%g calls", calls);
}

Test(site_price, seldom_calls_cost_a_part_of_a_counted_one_each)
{
    cr_assert_float_eq(hooks(1000, 1e9), 1000 * PCOMP_SITE_HOOK * COUNTED, 3e-3);
    cr_assert_float_eq(hooks(1000, 0), 1000 * PCOMP_SITE_HOOK * COUNTED, 1e-9);
    cr_assert_float_eq(pcomp_site_price(true, 1e9, 1e9, COUNTED).price, PCOMP_SITE_SLED * COUNTED, 1e-12);
}

Test(site_price, one_call_more_adds_the_slope)
{
    for (double calls = 1e6; calls < 3e9; calls *= 3) {
        double slope = (hooks(calls + 1000, 3e9) - hooks(calls - 1000, 3e9)) / 2000;
        cr_assert_float_eq(slope, pcomp_site_price(false, calls, 3e9, COUNTED).next, 1e-6);
    }
}

/* Time and prices of a machine are all multiples of one: what sites cost is the same share everywhere. */
Test(site_price, share_of_the_time_is_the_same_on_slower_machines)
{
    for (double slower = 1; slower < 20; slower *= 1.7) {
        double price = pcomp_site_price(false, 1e9, 3e9 * slower, COUNTED * slower).price;
        cr_assert_float_eq(price / slower, hooks(1e9, 3e9) / 1e9, 1e-9);
    }
}

Test(site_price, unknown_price_of_counting_is_the_usual_one)
{
    cr_assert_float_eq(pcomp_site_price(false, 1000, 0, 0).price, PCOMP_SITE_HOOK * PCOMP_SITE_COUNTED, 1e-9);
}

/* Counters of a rank that fills buffers for another cost 2.6 ns a call, 1.1 in the kernel; its sleds 0.1. */
Test(site_price, has_no_part_in_what_counters_wait_for)
{
    cr_assert_float_eq(pcomp_site_unit(2.6, 1.1), PCOMP_SITE_KERNEL_MAX * 1.1, 1e-12);
    cr_assert_eq(pcomp_site_unit(1.3, 1.1), 1.3);
    cr_assert_eq(pcomp_site_unit(0.4, 1.1), 0.4);
    cr_assert_eq(pcomp_site_unit(1.3, 0), 1.3, "the kernel's is not known");
}
