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

Test(probe_price, is_that_of_other_programs_without_samples)
{
    sources.kernel = 1;
    cr_assert_float_eq(price().factor, PCOMP_PROBE_USUAL, 1e-9);
    cr_assert_float_eq(price().error * price().factor, PCOMP_PROBE_USUAL_ERROR, 1e-9);
    sources = (struct pcomp_probe_price_sources){.samples = 10, .library = 1};
    cr_assert_float_eq(price().factor, PCOMP_PROBE_USUAL, 1e-9, "no kernel");
    sources = (struct pcomp_probe_price_sources){.samples = 10, .library = 1, .slow = 2, .kernel = 1};
    cr_assert_float_eq(price().factor, PCOMP_PROBE_USUAL, 1e-9, "more slow enters than samples of the library");
}

/* Nothing but probes: no shade. */
Test(probe_price, is_that_of_many_samples_that_are_far_from_other_programs)
{
    sources = (struct pcomp_probe_price_sources){.samples = 1e9, .library = 3, .processor = 2.9, .kernel = 1};
    cr_assert_float_eq(price().factor, 3 + PCOMP_PROBE_OUTSIDE, 1e-6);
    cr_assert_float_eq(price().error * price().factor, PCOMP_PROBE_OUTSIDE_ERROR, 1e-6);
    sources.sleds = true;
    cr_assert_float_eq(price().factor, 3, 1e-6);
}

Test(probe_price, lies_between_samples_and_other_programs)
{
    sources = (struct pcomp_probe_price_sources){.samples = 100, .library = 1.3, .processor = 1.3, .kernel = 1};
    struct pcomp_probe_price few = price();
    sources.samples = 10000;
    struct pcomp_probe_price many = price();
    cr_assert(few.factor > PCOMP_PROBE_USUAL && few.factor < many.factor && many.factor < 1.3 + PCOMP_PROBE_OUTSIDE);
    cr_assert(many.error < few.error && few.error < PCOMP_PROBE_USUAL_ERROR);
}

/* 100 samples, and calls for a tenth of one. */
Test(probe_price, is_not_of_samples_that_calls_cannot_explain)
{
    sources = (struct pcomp_probe_price_sources){.samples = 100, .library = 0.4, .processor = 2, .kernel = 0.0004};
    cr_assert_float_eq(price().factor, PCOMP_PROBE_USUAL, 1e-9);
}

/* The library divides by it. */
Test(probe_price, of_any_samples_is_at_least_half)
{
    for (double samples = 1; samples < 1e7; samples *= 10)
        for (double library = 0; library < 20; library = library * 1.1 + 0.001)
            for (double own = 0; own < 100; own = own * 2 + 0.01) {
                sources = (struct pcomp_probe_price_sources){samples, library, library + own, 0.1, 1, false};
                struct pcomp_probe_price p = price();
                cr_assert(p.factor >= PCOMP_PROBE_MIN && p.factor <= PCOMP_PROBE_MAX && p.error > 0 && p.error < 1,
                          "%g samples, %g in the library, %g beside: %g", samples, library, own, p.factor);
            }
}

Test(probe_price, of_slow_enters_is_none)
{
    cr_assert_eq(pcomp_probe_calibrated(3000, 0, 2048), 1500);
    cr_assert_eq(pcomp_probe_calibrated(3000 + 700, 700, 2048), 1500 + 700);
    cr_assert_eq(pcomp_probe_calibrated(700, 700, 2048), 700);
}

/* Far from other programs, so that samples are alone. */
Test(probe_price, leaves_out_slow_enters)
{
    sources = (struct pcomp_probe_price_sources){.samples = 1e9, .library = 3, .processor = 3, .kernel = 1};
    double plain = price().factor;
    sources.slow = 0.3;
    cr_assert_float_eq(price().factor, plain - 0.3, 1e-6);
}

/* f K + (C - f K) = C, of which a share of the second part meets probes. */
Test(probe_price, leaves_out_what_the_program_does_in_the_shade_of_probes)
{
    const double factor = 3, own = 0.4;
    sources = (struct pcomp_probe_price_sources){
        .samples = 1e9,
        .library = factor - PCOMP_PROBE_OUTSIDE + PCOMP_PROBE_SHADE * own,
        .processor = factor + own,
        .kernel = 1,
    };
    cr_assert_float_eq(price().factor, factor, 1e-6);
    sources.processor = 100;
    sources.library = factor - PCOMP_PROBE_OUTSIDE + PCOMP_PROBE_SHADE_MAX;
    cr_assert_float_eq(price().factor, factor, 1e-6, "a waiting probe hides so much and no more");
    sources.processor = 0;
    cr_assert_float_eq(price().factor, factor + PCOMP_PROBE_SHADE_MAX, 1e-6, "not known: none");
}

/* Of n samples in all, each meets the library with the share of time that it takes there. */
Test(probe_price, of_random_samples_holds_the_truth)
{
    uint64_t state = 1, held = 0, runs = 2000;
    for (uint64_t run = 0; run < runs; run++) {
        const double truth = 1 + 0.2 * (double)(run % 11) / 10, seconds = 2, period = 0.004;
        double share = 0.2 + 0.05 * (double)(run % 13), own = 1 - share;
        double kernel = share * seconds / truth;
        double shade = fmin(PCOMP_PROBE_SHADE * own * seconds, PCOMP_PROBE_SHADE_MAX * kernel);
        double met = share + shade / seconds - PCOMP_PROBE_OUTSIDE * kernel / seconds;
        sources = (struct pcomp_probe_price_sources){.kernel = kernel, .processor = seconds};
        for (unsigned i = 0; i < seconds / period; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sources.samples += (double)(state >> 11) / 0x1p53 < met;
        }
        sources.library = sources.samples * period;
        struct pcomp_probe_price p = price();
        held += fabs(p.factor - truth) <= 1.96 * p.error * p.factor;
    }
    cr_assert_gt(held, runs * 95 / 100, "%lu of %lu", held, runs);
}
