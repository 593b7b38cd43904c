/* A share of all the time is not the mean of the shares of its parts. */
#include "reporters/consult/consult_cost.h"

#include <criterion/criterion.h>

Test(consult_cost, windows_weigh_as_much_as_they_are_long)
{
    struct consult_cost cost = {0};
    consult_cost_add(&cost, 0.5, 0.1);
    consult_cost_add(&cost, 0.1, 0.9);
    cr_expect_float_eq(consult_cost_mean(&cost), 0.14, 1e-12);
    cr_expect_float_eq(consult_cost_variance(&cost), 0.0144, 1e-12);
    cr_expect_float_eq(consult_cost_max(&cost), 0.5, 1e-12);
}

Test(consult_cost, nothing_is_known_of_no_window)
{
    struct consult_cost cost = {0};
    cr_expect(isnan(consult_cost_mean(&cost)));
    cr_expect(isnan(consult_cost_variance(&cost)));
    cr_expect(isnan(consult_cost_max(&cost)));
}
