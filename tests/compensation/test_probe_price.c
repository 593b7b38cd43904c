/* What timed probes cost in a program: from samples of its program counter and the calibrated deltas. */
#include "compensation/estimate/probe_price.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>

static struct pcomp_probe_price_sources sources;

static struct pcomp_probe_price price(void)
{
    return pcomp_probe_price(&sources);
}

static void init(void)
{
    sources = (struct pcomp_probe_price_sources){0};
}

TestSuite(probe_price, .init = init);

Test(probe_price, is_the_kernels_without_samples)
{
    sources.kernel = 1;
    cr_assert_float_eq(price().factor, 1, 1e-9);
    cr_assert_float_eq(price().error, PCOMP_PROBE_KERNEL_ERROR, 1e-9);
}

Test(probe_price, is_that_of_many_samples_and_of_what_they_do_not_see)
{
    sources = (struct pcomp_probe_price_sources){.samples = 1e9, .library = 1.5, .kernel = 1};
    cr_assert_float_eq(price().factor, 1.5 + PCOMP_PROBE_OUTSIDE, 0.02);
    cr_assert_lt(price().error, 1.1 * PCOMP_PROBE_OUTSIDE_ERROR);
}

Test(probe_price, lies_between_few_samples_and_the_kernel)
{
    sources = (struct pcomp_probe_price_sources){.samples = 20, .library = 2, .kernel = 1};
    struct pcomp_probe_price few = price();
    sources.samples = 2000;
    struct pcomp_probe_price many = price();
    cr_assert(few.factor > 1 && few.factor < many.factor && many.factor < 2 + PCOMP_PROBE_OUTSIDE);
    cr_assert(many.error < few.error && few.error < PCOMP_PROBE_KERNEL_ERROR);
}

Test(probe_price, leaves_out_slow_enters_and_holds_what_samples_took)
{
    sources = (struct pcomp_probe_price_sources){.samples = 1e9, .library = 1.5, .kernel = 1};
    double plain = price().factor;
    sources.slow = 0.3;
    sources.sampling = 0.1;
    cr_assert_float_eq(price().factor, plain - 0.2, 0.01);
}

Test(probe_price, is_the_kernels_where_samples_contradict_themselves)
{
    sources = (struct pcomp_probe_price_sources){.samples = 10, .library = 1, .slow = 2, .kernel = 1};
    cr_assert_float_eq(price().factor, 1, 1e-9);
    sources = (struct pcomp_probe_price_sources){.samples = 10, .library = 1};
    cr_assert_float_eq(price().factor, 1, 1e-9);
}

/* Of n samples in all, each meets the library with the share of time that it takes there. */
Test(probe_price, of_random_samples_holds_the_truth)
{
    uint64_t state = 1, held = 0, runs = 2000;
    for (uint64_t run = 0; run < runs; run++) {
        const double truth = 1 + 0.2 * (double)(run % 11) / 10, seconds = 2, period = 0.004;
        double share = 0.2 + 0.05 * (double)(run % 13);
        sources = (struct pcomp_probe_price_sources){.kernel = share * seconds / (truth - PCOMP_PROBE_OUTSIDE)};
        for (unsigned i = 0; i < seconds / period; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sources.samples += (double)(state >> 11) / 0x1p53 < share;
        }
        sources.library = sources.samples * period;
        struct pcomp_probe_price p = price();
        held += fabs(p.factor - truth) <= 1.96 * p.error * p.factor;
    }
    cr_assert_gt(held, runs * 95 / 100, "%lu of %lu", held, runs);
}
