#include "compensation/estimate/slot_price.h"

#include <criterion/criterion.h>
#include <math.h>

#define NEAR(a, b) (fabs((a) - (b)) <= 1e-9 * fabs(b))

Test(slot_price, without_samples_the_kernel_is_the_price)
{
    struct pcomp_slot_price p = pcomp_slot_price(&(struct pcomp_slot_price_sources){.kernel = 1.2, .calls = 1e9});
    cr_expect(NEAR(p.price, 1.2));
    cr_expect(NEAR(p.error, 1 / sqrt(PCOMP_SLOT_PRICE_SHAPE)));
}

Test(slot_price, what_gcc_lost_around_hook_calls_is_in_the_error)
{
    struct pcomp_slot_price_sources from = {.kernel = 1e-9, .hits = 100, .seconds = 1e-3, .calls = 1e8};
    double sleds = pcomp_slot_price(&from).error;
    from.hooks = true;
    struct pcomp_slot_price p = pcomp_slot_price(&from);
    cr_expect_float_eq(p.error, hypot(sleds, PCOMP_SLOT_PRICE_LOST / p.price), 1e-6);
}

Test(slot_price, many_samples_are_the_price)
{
    /* 10,000 hits of 1 ms in 10^10 calls: 1 ns */
    struct pcomp_slot_price p = pcomp_slot_price(
        &(struct pcomp_slot_price_sources){.kernel = 3e-9, .hits = 10000, .seconds = 1e-3, .calls = 1e10});
    cr_expect_float_eq(p.price, 1e-9, 1e-12);
    cr_expect_float_eq(p.error, PCOMP_SLOT_PRICE_ERROR, 0.01);
}

Test(slot_price, samples_that_meet_nothing_lower_the_price)
{
    struct pcomp_slot_price_sources from = {.kernel = 1e-9, .seconds = 1e-3, .calls = 1e7};
    double before = pcomp_slot_price(&from).price;
    cr_expect_lt(before, 1e-9);
    from.calls *= 2;
    cr_expect_lt(pcomp_slot_price(&from).price, before);
    cr_expect_gt(pcomp_slot_price(&from).price, 0);
}
