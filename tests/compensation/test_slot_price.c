#include "compensation/estimate/slot_price.h"

#include "compensation/estimate/count_price.h"
#include "compensation/numeric/t_quantile.h"

#include <criterion/criterion.h>
#include <math.h>

#define NEAR(a, b) (fabs((a) - (b)) <= 1e-9 * fabs(b))

Test(slot_price, without_samples_the_kernel_is_the_guess)
{
    struct pcomp_slot_price_sources from = {.kernel = 1.2, .calls = 1e9};
    struct pcomp_slot_price p = pcomp_slot_price(&from);
    cr_expect(NEAR(p.price, 1.2));
    cr_expect(NEAR(p.error, PCOMP_COUNT_PRICE_KERNEL));
}

Test(slot_price, what_is_in_no_sample_is_in_the_error)
{
    struct pcomp_slot_price_sources from = {.kernel = 1e-9, .hits = 100, .seconds = 1e-3, .calls = 1e8};
    struct pcomp_slot_price sleds = pcomp_slot_price(&from);
    from.hooks = true;
    struct pcomp_slot_price hooks = pcomp_slot_price(&from);
    double more = hooks.error * hooks.error - sleds.error * sleds.error;
    double lost = PCOMP_SLOT_PRICE_LOST * PCOMP_SLOT_PRICE_LOST;
    lost -= PCOMP_SLOT_PRICE_LOST_SLED * PCOMP_SLOT_PRICE_LOST_SLED;
    cr_expect_float_eq(more * hooks.price * hooks.price, lost, 1e-22);
    cr_expect_eq(hooks.price, sleds.price);
}

Test(slot_price, part_of_what_registers_are_kept_for_is_in_the_price)
{
    struct pcomp_slot_price_sources from = {.kernel = 1e-9, .hits = 100, .seconds = 1e-3, .calls = 1e8, .hooks = true};
    struct pcomp_slot_price without = pcomp_slot_price(&from);
    from.kept = 2;
    from.trip = 2.5e-9;
    struct pcomp_slot_price p = pcomp_slot_price(&from);
    cr_expect_float_eq(p.price, without.price + PCOMP_SLOT_PRICE_KEPT * 5e-9, 1e-15);
    cr_expect_float_eq(p.error * p.price, hypot(without.error * without.price, PCOMP_SLOT_PRICE_KEPT_ERROR * 5e-9),
                       1e-15);
    cr_expect_gt(p.price + PCOMP_NORMAL_95 * p.error * p.price, without.price + 5e-9, "all of it is in the interval");
}

Test(slot_price, many_samples_draw_the_price_away_from_the_kernel)
{
    /* 10,000 hits of 1 ms in 10^10 calls: 1 ns, and what is outside of slots */
    struct pcomp_slot_price p = pcomp_slot_price(
        &(struct pcomp_slot_price_sources){.kernel = 3e-9, .hits = 10000, .seconds = 1e-3, .calls = 1e10});
    cr_expect_lt(p.price - PCOMP_COUNT_PRICE_OUTSIDE * 1e-9, 3e-9 - p.price);
    cr_expect_lt(p.error, PCOMP_COUNT_PRICE_SLOTS);
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

Test(slot_price, windows_narrow_the_price)
{
    struct pcomp_slot_price_sources from = {.kernel = 1e-9, .hits = 20, .seconds = 4e-3, .calls = 1e8};
    struct pcomp_slot_price samples = pcomp_slot_price(&from);
    from.windows = (struct pcomp_price){.price = 1.2e-9, .error = 1e-10, .known = true};
    struct pcomp_slot_price both = pcomp_slot_price(&from);
    cr_expect_lt(fabs(both.price - 1.2e-9), fabs(samples.price - 1.2e-9));
    cr_expect_lt(both.error * both.price, samples.error * samples.price);
}

Test(slot_price, windows_that_contradict_samples_are_left_out)
{
    struct pcomp_slot_price_sources from = {.kernel = 1e-9, .hits = 20, .seconds = 4e-3, .calls = 1e8};
    struct pcomp_slot_price samples = pcomp_slot_price(&from);
    from.windows = (struct pcomp_price){.price = 50e-9, .error = 1e-10, .known = true};
    cr_expect(NEAR(pcomp_slot_price(&from).price, samples.price));
}
