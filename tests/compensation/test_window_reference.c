/* What overhead in windows was in truth, told by functions that are counted all along: in steady programs, and in
 * phases that call other functions. */
#include "compensation/estimate/window_reference.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

/* Phases of gaps of 19 ms and windows of 1 ms: calls a second of dense functions, in windows alone, and of seldom ones,
 * everywhere. Windows take a dense call for `taken` seconds; it costs `price`. */
struct phase {
    int windows;
    double dense, seldom;
};

struct run {
    struct pcomp_window_calls dense;
    struct pcomp_window_reference reference;
    double truth; /* dense calls in gaps */
};

static const struct pcomp_window_overhead blind = {1, 0.45};

static void run_phases(struct run *r, const struct phase *phases, int count, double price, double taken, uint64_t seed)
{
    struct pcomp_window_progress before = {0, 0}, window = {0, 0};
    double cost = 0;
    pcomp_window_calls_begin(&r->dense, 0);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < phases[i].windows; k++) {
            const struct phase *p = &phases[i];
            double length = 0.001, own = length / (1 + p->dense * price), scatter = 1 + 0.1 * prng_normal(&seed);
            const struct phase *last = i && !k ? p - 1 : p; /* a phase begins in the middle of a gap */
            struct pcomp_window_progress gap = {0.019, (last->seldom + p->seldom) / 2 * 0.019};
            pcomp_window_reference_add(&r->reference, &before, &window, cost, &gap);
            before = gap;
            window = (struct pcomp_window_progress){length, p->seldom * own * scatter};
            cost = p->dense * own * taken;
            pcomp_window_calls_add(&r->dense, p->dense * own, length, cost, gap.seconds, 0.5);
            r->truth += (last->dense + p->dense) / 2 * gap.seconds;
        }
}

/* Calls in gaps by the estimate over the true ones. */
static double ratio(const struct run *r, struct pcomp_window_overhead overhead)
{
    return (pcomp_window_calls_estimate(&r->dense, 0, overhead).calls - r->dense.seen) / r->truth;
}

Test(window_reference, corrects_the_price_of_dense_calls)
{
    const struct phase steady = {.windows = 60, .dense = 8e8, .seldom = 1e7};
    struct run r = {0};
    run_phases(&r, &steady, 1, 1e-9, 1.3e-9, 1);
    cr_assert(ratio(&r, blind) > 1.25, "%g", ratio(&r, blind));
    struct pcomp_window_overhead o = pcomp_window_overhead_of(&r.reference, blind);
    cr_assert_float_eq(o.factor, 1 / 1.3, 0.05);
    cr_assert(o.error < 0.06, "%g", o.error);
    cr_assert_float_eq(ratio(&r, o), 1, 0.05);
}

/* As docs/examples/logscan: a dense phase; a sort without a window, of many calls of another function; and phases that
 * hardly call. N was 1.8 of the truth, where calls of the sort counted as progress of the scan. */
Test(window_reference, calls_of_other_phases_are_no_progress)
{
    const struct phase logscan[] = {{.windows = 8, .dense = 7e8, .seldom = 3e7},
                                    {.windows = 1, .dense = 0, .seldom = 1.5e8},
                                    {.windows = 20, .dense = 0, .seldom = 1e4},
                                    {.windows = 20, .dense = 0, .seldom = 1.5e6}};
    int held = 0;
    double sum = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct run r = {0};
        run_phases(&r, logscan, 4, 0.65e-9, 0.85e-9, seed);
        struct pcomp_window_overhead o = pcomp_window_overhead_of(&r.reference, blind);
        sum += ratio(&r, o);
        held += fabs(o.factor - 0.65 / 0.85) < 1.96 * o.error;
    }
    cr_assert_float_eq(sum / 200, 1, 0.04, "%g", sum / 200);
    cr_assert(held > 0.9 * 200, "%d", held);
}

/* A rate that changes by a third is another phase. */
Test(window_reference, gaps_that_differ_tell_nothing)
{
    struct pcomp_window_reference sums = {0};
    struct pcomp_window_progress few = {0.019, 10000}, many = {0.019, 14000}, window = {0.001, 300}, none = {0, 0};
    pcomp_window_reference_add(&sums, &few, &window, 0.0004, &many);
    pcomp_window_reference_add(&sums, &none, &window, 0.0004, &many);
    pcomp_window_reference_add(&sums, &few, &none, 0.0004, &few);
    pcomp_window_reference_add(&sums, &few, &window, 0, &few);
    cr_assert_eq(sums.windows, 0);
    pcomp_window_reference_add(&sums, &few, &window, 0.0004, &few);
    cr_assert_eq(sums.windows, 1);
    cr_assert_float_eq(sums.overhead, 0.001 - 300 * 0.0000019, 1e-12);
}

Test(window_reference, without_windows_all_is_as_before)
{
    struct pcomp_window_reference sums = {0};
    struct pcomp_window_overhead o = pcomp_window_overhead_of(&sums, (struct pcomp_window_overhead){0.7, 0.2});
    cr_assert(o.factor == 0.7 && o.error == 0.2);
}

Test(window_reference, one_that_scatters_much_hardly_corrects)
{
    struct run r = {0};
    uint64_t seed = 3;
    struct pcomp_window_progress gap = {0.02, 2800};
    for (int k = 0; k < 8; k++) {
        struct pcomp_window_progress window = {0.001, 140 * (1 + 4 * prng_normal(&seed) * prng_normal(&seed))};
        window.calls = window.calls < 100 ? 100 : window.calls;
        pcomp_window_reference_add(&r.reference, &gap, &window, 0.0002, &gap);
    }
    struct pcomp_window_overhead o = pcomp_window_overhead_of(&r.reference, (struct pcomp_window_overhead){1, 0.25});
    cr_assert(fabs(o.factor - 1) < 0.1 && o.error > 0.2, "%g +- %g", o.factor, o.error);
}
