/* What overhead in windows was in truth, told by functions that are counted all along: in steady programs, and in
 * phases that call other functions. */
#include "compensation/estimate/window_reference.h"
#include "compensation/numeric/t_quantile.h"
#include "tests/compensation/prng.h"
#include "tests/compensation/simulated_program.h"

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
    struct pcomp_window_cost cost = {0};
    pcomp_window_calls_begin(&r->dense, 0);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < phases[i].windows; k++) {
            const struct phase *p = &phases[i];
            double length = 0.001, own = length / (1 + p->dense * price), scatter = 1 + 0.1 * prng_normal(&seed);
            const struct phase *last = i && !k ? p - 1 : p; /* a phase begins in the middle of a gap */
            struct pcomp_window_progress gap = {0.019, (last->seldom + p->seldom) / 2 * 0.019};
            pcomp_window_reference_add(&r->reference, &before, &window, &cost, &gap);
            before = gap;
            window = (struct pcomp_window_progress){length, p->seldom * own * scatter};
            cost.all = p->dense * own * taken;
            pcomp_window_calls_add(&r->dense, p->dense * own, length, cost.all, gap.seconds, 0.5);
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

static const struct pcomp_window_cost some = {.all = 0.0004, .besides = 0.0001, .counted = 500000}, no_cost = {0};

/* A rate that changes by a third is another phase. */
Test(window_reference, gaps_that_differ_tell_nothing)
{
    struct pcomp_window_reference sums = {0};
    struct pcomp_window_progress few = {0.019, 10000}, many = {0.019, 14000}, window = {0.001, 300}, none = {0, 0},
                                 rare = {0.019, PCOMP_WINDOW_STEPS - 1};
    pcomp_window_reference_add(&sums, &few, &window, &some, &many);
    pcomp_window_reference_add(&sums, &none, &window, &some, &many);
    pcomp_window_reference_add(&sums, &rare, &window, &some, &rare);
    pcomp_window_reference_add(&sums, &few, &none, &some, &few);
    pcomp_window_reference_add(&sums, &few, &window, &no_cost, &few);
    cr_assert_eq(sums.windows, 0);
    cr_assert_eq(pcomp_window_price_of(&sums).error, 0);
    pcomp_window_reference_add(&sums, &few, &window, &some, &few);
    cr_assert_eq(sums.windows, 1);
    double overhead = (0.001 * 10000 / 0.019 - 300) * (0.019 + 0.019 + 0.0006) / 20300;
    cr_assert_float_eq(sums.factor.y, overhead, 1e-12);
    cr_assert_float_eq(sums.factor.x, some.all, 1e-12);
    cr_assert_float_eq(sums.price.y, overhead - some.besides, 1e-12);
    cr_assert_float_eq(sums.price.x, some.counted, 1e-12);
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
        pcomp_window_reference_add(&r.reference, &gap, &window, &(struct pcomp_window_cost){.all = 0.0002}, &gap);
    }
    struct pcomp_window_overhead o = pcomp_window_overhead_of(&r.reference, (struct pcomp_window_overhead){1, 0.25});
    cr_assert(fabs(o.factor - 1) < 0.1 && o.error > 0.2, "%g +- %g", o.factor, o.error);
}

/* --- price -----------------------------------------------------------------------------------------------------------
 */

#define LENGTH  0.004  /* of a window, seconds */
#define BESIDES 0.0002 /* of it, that are not of calls counted in place */
#define DENSE   0      /* sampled */
#define SELDOM  1      /* counted all along */

/* Phases in turns. */
struct priced {
    uint32_t phases;
    double phase;     /* seconds of each */
    double dense[2];  /* calls a second in each, actual */
    double seldom[2]; /* of functions that are counted all along */
    double price;     /* nanoseconds */
    double scatter;   /* of the calls in a millisecond */
};

struct measured {
    struct pcomp_window_reference sums;
    double seconds[2], steps[2]; /* in gaps, in windows */
    double counted;              /* calls in windows */
};

static void prepare(struct simulated_program *p, const struct priced *c, uint64_t seed)
{
    *p = (struct simulated_program){.random = seed, .functions = 2, .phases = c->phases, .length = 1e9};
    for (uint32_t k = 0; k < c->phases; k++) {
        p->phase[k] = c->phase;
        p->rate[k][DENSE] = c->dense[k];
        p->rate[k][SELDOM] = c->seldom[k];
    }
    p->scatter = c->scatter;
    p->left = simulated_uniform(&p->random, 0, c->phase);
}

static struct pcomp_window_progress pass(struct simulated_program *p, double length, double price)
{
    const double prices[] = {[DENSE] = price, [SELDOM] = price};
    double seldom = p->calls[SELDOM];
    return (struct pcomp_window_progress){simulated_program_run(p, length, prices), p->calls[SELDOM] - seldom};
}

static struct measured measure(const struct priced *c, int windows, uint64_t seed)
{
    struct measured m = {0};
    struct simulated_program p;
    prepare(&p, c, seed);
    struct pcomp_window_progress before = {0, 0}, window = {0, 0};
    struct pcomp_window_cost cost = {0};
    for (int i = 0; i <= windows; i++) {
        struct pcomp_window_progress gap = pass(&p, simulated_uniform(&p.random, 0.02, 0.06), 0);
        pcomp_window_reference_add(&m.sums, &before, &window, &cost, &gap);
        before = gap;
        double calls = p.calls[DENSE] + p.calls[SELDOM];
        window = pass(&p, LENGTH - BESIDES, 1e-9 * c->price);
        window.seconds += BESIDES;
        cost.counted = p.calls[DENSE] + p.calls[SELDOM] - calls;
        cost.besides = BESIDES;
        cost.all = BESIDES + 0.6e-9 * cost.counted;
        m.seconds[0] += gap.seconds;
        m.steps[0] += gap.calls;
        m.seconds[1] += window.seconds - BESIDES;
        m.steps[1] += window.calls;
        m.counted += cost.counted;
    }
    return m;
}

/* Relative error, %. */
static double off(const struct measured *m, const struct priced *c)
{
    return 100 * (1e9 * pcomp_window_price_of(&m->sums).price / c->price - 1);
}

/* Of sums over the run, which know nothing of neighbours. */
static double sums_off(const struct measured *m, const struct priced *c)
{
    double overhead = m->seconds[1] - m->steps[1] * m->seconds[0] / m->steps[0];
    return 100 * (1e9 * overhead / m->counted / c->price - 1);
}

static void assert_within(double value, double low, double high)
{
    cr_assert(value >= low && value <= high, "%+.2f %% is not from %+.2f to %+.2f", value, low, high);
}

Test(window_reference, steady_programs_have_their_price)
{
    static const struct priced cases[] = {
        {.phases = 1, .phase = 1, .dense = {3e8}, .seldom = {5e6}, .price = 1, .scatter = 0.02},
        {.phases = 1, .phase = 1, .dense = {3e8}, .seldom = {2e5}, .price = 1, .scatter = 0.2},
        {.phases = 1, .phase = 1, .dense = {6e8}, .seldom = {1e4}, .price = 0.6, .scatter = 0.05},
        {.phases = 1, .phase = 1, .dense = {3e7}, .seldom = {1e6}, .price = 12, .scatter = 0.05},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct measured m = measure(&cases[i], 4000, i + 1);
        assert_within(off(&m, &cases[i]), -2, 2);
    }
}

/* Regular bursts of 5 ms, of which a window sees all or nothing: gaps whose windows saw many have few. And irregular
 * ones, which both windows and gaps scatter by. */
Test(window_reference, bursts_of_seldom_functions_do_not_shift_the_price)
{
    static const struct priced cases[] = {
        {.phases = 2, .phase = 0.005, .dense = {4e8, 4e8}, .seldom = {1e6, 1e2}, .price = 1, .scatter = 0.02},
        {.phases = 1, .phase = 1, .dense = {4e8}, .seldom = {5e5}, .price = 1, .scatter = 0.3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct measured m = measure(&cases[i], 30000, i + 7);
        assert_within(off(&m, &cases[i]), -2, 2);
    }
}

Test(window_reference, sums_over_a_run_of_phases_mislead_the_price)
{
    static const struct priced c = {
        .phases = 2, .phase = 0.4, .dense = {6e8, 2e7}, .seldom = {3e5, 6e6}, .price = 1, .scatter = 0.05};
    struct measured m = measure(&c, 4000, 2);
    cr_assert(fabs(sums_off(&m, &c)) > 20, "%+.2f %%", sums_off(&m, &c));
    assert_within(off(&m, &c), -3, 3);
}

Test(window_reference, intervals_of_prices_hold)
{
    uint64_t random = 6;
    int rounds = 2000, held = 0, known = 0;
    for (int i = 0; i < rounds; i++) {
        struct priced c = {.phases = 1 + (uint32_t)prng_below(&random, 2)};
        c.phase = simulated_magnitude(&random, 0.3, 3);
        c.scatter = simulated_magnitude(&random, 0.005, 0.3);
        c.price = simulated_magnitude(&random, 0.3, 3);
        for (int k = 0; k < 2; k++) {
            c.dense[k] = simulated_magnitude(&random, 3e7, 5e8);
            c.seldom[k] = simulated_magnitude(&random, 2e4, 2e6);
        }
        struct measured m = measure(&c, 4 + (int)prng_below(&random, 60), prng_next(&random));
        struct pcomp_price p = pcomp_window_price_of(&m.sums);
        known += p.known;
        held += p.known && fabs(p.price - 1e-9 * c.price) <= PCOMP_NORMAL_95 * p.error;
    }
    cr_assert(known > 0.9 * rounds, "%d known", known);
    cr_assert(held > 0.95 * known, "%d of %d", held, known);
}
