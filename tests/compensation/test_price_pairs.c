/* The price of a probe from windows: programs of known prices, what each step of the estimator is for, and whether its
 * interval holds. */
#include "compensation/estimate/price_pairs.h"
#include "tests/compensation/prng.h"
#include "tests/compensation/simulated_program.h"

#include <criterion/criterion.h>
#include <math.h>

#define LENGTH  0.003 /* of a window, seconds */
#define WINDOWS 6000

/* One function; phases take turns. */
struct priced {
    uint32_t phases;
    double phase;    /* seconds of each, actual */
    double own[2];   /* nanoseconds a call, actual, in each */
    double price[2]; /* nanoseconds */
    double scatter;  /* of the calls in a millisecond */
    double edge;     /* seconds at either end of the middle window in which its sites are in the usual state */
    bool usually;    /* the usual state has the probe */
};

struct estimates {
    struct pcomp_price_pairs sums;
    double pairs, pair_weights; /* one neighbour, weight n n / (n + n) */
    double seconds[2], calls[2];
};

static void prepare(struct simulated_program *p, const struct priced *c, uint64_t seed)
{
    *p = (struct simulated_program){.random = seed, .functions = 1, .phases = c->phases, .length = 1e9};
    for (uint32_t k = 0; k < c->phases; k++) {
        p->phase[k] = c->phase;
        p->rate[k][0] = 1e9 / c->own[k];
    }
    p->scatter = c->scatter;
    p->left = simulated_uniform(&p->random, 0, c->phase);
}

/* The price changes with the phase: steps that end at its end. */
static struct pcomp_window_progress run(struct simulated_program *p, const struct priced *c, double length, bool probe)
{
    double calls = p->calls[0], passed = 0;
    while (length - passed > 1e-6) {
        double price = probe ? 1e-9 * c->price[p->now] : 0;
        double to_end = p->left * (1 + p->rate[p->now][0] * price) + 1e-9;
        passed += simulated_program_run(p, fmin(length - passed, to_end), &price);
    }
    return (struct pcomp_window_progress){passed, p->calls[0] - calls};
}

static double true_price(const struct priced *c)
{
    double overhead = 0, calls = 0;
    for (uint32_t k = 0; k < c->phases; k++) {
        calls += 1 / c->own[k];
        overhead += c->price[k] / c->own[k];
    }
    return 1e-9 * overhead / calls;
}

static void add_pair(struct estimates *e, const struct pcomp_window_progress *a, const struct pcomp_window_progress *b)
{
    double weight = a->calls * b->calls / (a->calls + b->calls);
    e->pairs += weight * (a->seconds / a->calls - b->seconds / b->calls);
    e->pair_weights += weight;
    e->seconds[0] += a->seconds;
    e->calls[0] += a->calls;
    e->seconds[1] += b->seconds;
    e->calls[1] += b->calls;
}

static struct estimates measure(const struct priced *c, uint32_t windows, uint64_t seed)
{
    struct estimates e = {0};
    struct simulated_program p;
    prepare(&p, c, seed);
    for (uint32_t i = 0; i < windows; i++) {
        run(&p, c, simulated_uniform(&p.random, 0.02, 0.08), c->usually);
        struct pcomp_window_progress before = run(&p, c, LENGTH, c->usually);
        struct pcomp_window_progress first = run(&p, c, c->edge, c->usually);
        struct pcomp_window_progress middle = run(&p, c, LENGTH - 2 * c->edge, !c->usually);
        struct pcomp_window_progress last = run(&p, c, c->edge, c->usually);
        struct pcomp_window_progress after = run(&p, c, LENGTH, c->usually);
        middle.seconds += first.seconds + last.seconds;
        middle.calls += first.calls + last.calls;
        pcomp_price_pairs_add(&e.sums, &before, &middle, &after, !c->usually);
        const struct pcomp_window_progress *beside = prng_below(&p.random, 2) ? &before : &after;
        add_pair(&e, c->usually ? beside : &middle, c->usually ? &middle : beside);
    }
    return e;
}

/* Relative errors, %. */
static double off(const struct estimates *e, const struct priced *c)
{
    return 100 * (pcomp_price_of_pairs(&e->sums).price / true_price(c) - 1);
}

static double pairs_off(const struct estimates *e, const struct priced *c)
{
    return 100 * (e->pairs / e->pair_weights / true_price(c) - 1);
}

static double sums_off(const struct estimates *e, const struct priced *c)
{
    return 100 * ((e->seconds[0] / e->calls[0] - e->seconds[1] / e->calls[1]) / true_price(c) - 1);
}

static void assert_within(double value, double low, double high)
{
    cr_assert(value >= low && value <= high, "%+.2f %% is not from %+.2f to %+.2f", value, low, high);
}

Test(price_pairs, steady_programs_have_their_price)
{
    static const struct priced cases[] = {
        {.phases = 1, .phase = 1, .own = {2}, .price = {16}, .scatter = 0.02},
        {.phases = 1, .phase = 1, .own = {2}, .price = {16}, .scatter = 0.02, .usually = true},
        {.phases = 1, .phase = 1, .own = {2}, .price = {16}, .scatter = 0.2},
        {.phases = 1, .phase = 1, .own = {2}, .price = {0.8}, .scatter = 0.05},
        {.phases = 1, .phase = 1, .own = {2}, .price = {0.8}, .scatter = 0.05, .usually = true},
        {.phases = 1, .phase = 1, .own = {40}, .price = {16}, .scatter = 0.05},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct estimates e = measure(&cases[i], WINDOWS, i + 1);
        assert_within(off(&e, &cases[i]), -1, 1);
    }
}

Test(price_pairs, sums_over_a_run_of_phases_mislead)
{
    static const struct priced c = {.phases = 2, .phase = 0.05, .own = {2, 200}, .price = {16, 16}, .scatter = 0.05};
    struct estimates e = measure(&c, WINDOWS, 1);
    assert_within(sums_off(&e, &c), 60, 90);
    assert_within(off(&e, &c), -1, 1);
}

Test(price_pairs, a_phase_that_ends_in_a_pair_misleads_it)
{
    static const struct priced c = {.phases = 2, .phase = 0.025, .own = {2, 200}, .price = {16, 16}, .scatter = 0.05};
    struct estimates e = measure(&c, WINDOWS, 2);
    assert_within(pairs_off(&e, &c), 3, 15);
    assert_within(off(&e, &c), -1, 1);
}

Test(price_pairs, dense_phases_count_by_their_calls)
{
    static const struct priced c = {.phases = 2, .phase = 0.1, .own = {2, 20}, .price = {16, 12}, .scatter = 0.05};
    struct priced usually = c;
    usually.usually = true;
    struct estimates e = measure(&c, WINDOWS, 3), u = measure(&usually, WINDOWS, 3);
    assert_within(pairs_off(&e, &c), -8, -2);
    assert_within(off(&e, &c), -1, 1);
    assert_within(off(&u, &c), -1, 1);
}

Test(price_pairs, edges_dilute)
{
    static const struct priced c = {
        .phases = 1, .phase = 1, .own = {2}, .price = {16}, .scatter = 0.02, .edge = 0.00005};
    struct estimates e = measure(&c, WINDOWS, 4);
    assert_within(off(&e, &c), -26, -20); /* 0.1 ms of 3 ms, nine times as dense: -30 % to the first order */
}

Test(price_pairs, short_phases_are_not_known)
{
    static const struct priced c = {.phases = 2, .phase = 0.005, .own = {2, 200}, .price = {16, 16}, .scatter = 0.02};
    struct estimates e = measure(&c, 200, 5);
    cr_assert_not(pcomp_price_of_pairs(&e.sums).known);
}

Test(price_pairs, intervals_hold)
{
    uint64_t random = 6;
    uint32_t rounds = 3000, held = 0, known = 0;
    for (uint32_t i = 0; i < rounds; i++) {
        struct priced c = {.phases = 1 + (uint32_t)prng_below(&random, 2)};
        c.phase = simulated_magnitude(&random, 0.05, 0.5);
        c.scatter = simulated_magnitude(&random, 0.005, 0.1);
        c.usually = prng_below(&random, 2);
        double own = simulated_magnitude(&random, 1, 100), price = simulated_magnitude(&random, 0.5, 30);
        for (int k = 0; k < 2; k++) {
            c.own[k] = own * simulated_uniform(&random, 0.7, 1.3);
            c.price[k] = price;
        }
        struct estimates e = measure(&c, 4 + (uint32_t)prng_below(&random, 30), prng_next(&random));
        struct pcomp_price p = pcomp_price_of_pairs(&e.sums);
        known += p.known;
        held += p.known && fabs(p.price - true_price(&c)) <= p.half;
    }
    double share = 100.0 * held / known;
    cr_assert(known > 0.9 * rounds, "%u known", known);
    assert_within(share, 94, 96.5);
}

Test(price_pairs, without_windows_nothing_is_known)
{
    struct pcomp_price_pairs sums = {0};
    struct pcomp_window_progress none = {0, 1000}, few = {1, 10}, w = {1, 1000}, slow = {1, 700};
    pcomp_price_pairs_add(&sums, &none, &w, &w, true);
    pcomp_price_pairs_add(&sums, &w, &few, &w, true);
    pcomp_price_pairs_add(&sums, &w, &w, &few, true);
    struct pcomp_price p = pcomp_price_of_pairs(&sums);
    cr_assert(!p.known && p.price == 0 && p.error == 0 && p.half == 0);
    pcomp_price_pairs_add(&sums, &slow, &w, &w, true);
    cr_assert_eq(sums.apart, 1);
    cr_assert_eq(sums.pairs, 0);
}
