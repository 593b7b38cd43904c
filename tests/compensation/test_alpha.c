/* Alpha that was measured again, and how well it is known. */
#include "compensation/trace_event/alpha.h"
#include "compensation/trace_event/event.h"

#include <criterion/criterion.h>
#include <math.h>

Test(alpha, absurd_measurements_change_nothing)
{
    int64_t alpha[PCOMP_EVENT_KINDS] = {[PCOMP_EVENT_ENTER] = 100, [PCOMP_EVENT_EXIT] = 140};
    int64_t none[PCOMP_EVENT_KINDS] = {0};

    cr_expect_eq(alpha_factor(alpha, 180), 1.5);
    cr_expect_eq(alpha_factor(alpha, 0), 1);
    cr_expect_eq(alpha_factor(alpha, -180), 1);
    cr_expect_eq(alpha_factor(alpha, INT64_MAX), 1);
    cr_expect_eq(alpha_factor(none, 180), 1);
}

Test(alpha, context_is_added_to_what_costs_something)
{
    const struct alpha_context context = {.more = 50, .error = 10};
    cr_expect_eq(alpha_in_context(100, 1.5, &context), 200);
    cr_expect_eq(alpha_in_context(0, 1.5, &context), 0);
}

Test(alpha, without_spread_it_is_as_sure_as_its_context)
{
    cr_expect_eq(alpha_deviation(200, 0), 20);
}

Test(alpha, deviates_by_no_less_than_either_of_spread_and_context)
{
    for (double spread = 0; spread < 100; spread += 7) {
        cr_expect_geq(alpha_deviation(200, spread), 20);
        cr_expect_geq(alpha_deviation(200, spread), spread);
        cr_expect_leq(alpha_deviation(200, spread), 20 + spread);
    }
}

Test(alpha, the_interval_grows_with_the_overhead)
{
    cr_expect_eq(alpha_uncertainty(0), 0);
    cr_expect(fabs(alpha_uncertainty(1000) - 195.9964) < 1e-9);
    cr_expect_eq(alpha_uncertainty(-1000), alpha_uncertainty(1000));
}
