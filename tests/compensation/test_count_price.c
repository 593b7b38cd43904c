/* The price of a counted call from a kernel, samples in the code that counts, and windows. */
#include "compensation/estimate/count_price.h"

#include <criterion/criterion.h>
#include <math.h>

#define NS 1e-9

static struct pcomp_count_price_sources sources;

static struct pcomp_count_price price(void)
{
    return pcomp_count_price(&sources);
}

static void init(void)
{
    sources = (struct pcomp_count_price_sources){0};
}

static struct pcomp_price windows(double price, double error)
{
    return (struct pcomp_price){.price = price, .error = error, .known = true};
}

TestSuite(count_price, .init = init);

Test(count_price, is_not_known_without_a_source)
{
    cr_assert_eq(price().price, 0);
}

Test(count_price, is_the_kernels_where_nothing_else_tells)
{
    sources.kernel = 1.3 * NS;
    cr_assert_float_eq(price().price, 1.3 * NS, 1e-6 * NS);
    cr_assert_float_eq(price().error, PCOMP_COUNT_PRICE_KERNEL, 1e-9);
}

Test(count_price, lies_between_its_sources_and_is_better_known)
{
    sources = (struct pcomp_count_price_sources){.kernel = 1 * NS,
                                                 .slot_seconds = 0.2,
                                                 .slot_samples = 200,
                                                 .calls = 1e8,
                                                 .windows = windows(1.5 * NS, 0.3 * NS)};
    struct pcomp_count_price p = price();
    cr_assert(p.price > 1 * NS && p.price < 2 * NS, "%g", p.price);
    cr_assert_lt(p.error, 0.2);
}

Test(count_price, leans_to_the_source_that_is_known_best)
{
    sources.kernel = 1 * NS;
    sources.windows = windows(2 * NS, 1 * NS);
    double doubtful = price().price;
    sources.windows = windows(2 * NS, 0.1 * NS);
    cr_assert_gt(price().price, doubtful);
    cr_assert_gt(price().price, 1.5 * NS);
}

/* A run of lua: phases of 3 ms between windows of 3 ms. */
Test(count_price, leaves_out_windows_that_contradict_the_others)
{
    sources = (struct pcomp_count_price_sources){.kernel = 1.3 * NS,
                                                 .slot_seconds = 0.07,
                                                 .slot_samples = 70,
                                                 .calls = 7.3e7,
                                                 .windows = windows(21 * NS, 4.5 * NS)};
    cr_assert_lt(price().price, 1.4 * NS);
    sources.windows = windows(-1 * NS, 0.1 * NS);
    cr_assert_gt(price().price, 0.9 * NS);
}

/* A rank that stores to lines which the other one has: run times allow 3 ns, a kernel says 1.1. */
Test(count_price, believes_windows_that_say_three_times_the_kernel)
{
    sources.kernel = 1.1 * NS;
    sources.windows = windows(3 * NS, 0.3 * NS);
    cr_assert_gt(price().price, 2.6 * NS);
    sources.windows = windows(5.5 * NS, 0.3 * NS);
    cr_assert_float_eq(price().price, 1.1 * NS, 1e-6 * NS);
}

Test(count_price, takes_nothing_from_few_samples_or_calls)
{
    sources =
        (struct pcomp_count_price_sources){.kernel = 1 * NS, .slot_seconds = 0.004, .slot_samples = 4, .calls = 50};
    cr_assert_float_eq(price().price, 1 * NS, 1e-6 * NS);
    sources.calls = 1e6;
    cr_assert_lt(price().price, 3 * NS); /* 4 ns of four samples */
}
