/* Calls of a sampled function from windows: without bias in steady programs and in phases, and whether the interval
 * holds. Windows are those of the plan. */
#include "compensation/control/window_plan.h"
#include "compensation/estimate/window_calls.h"
#include "compensation/numeric/t_quantile.h"
#include "tests/compensation/prng.h"
#include "tests/compensation/simulated_program.h"

#include <criterion/criterion.h>
#include <math.h>

struct sampled {
    double seconds, rate, scatter;
    double duty, period; /* share of the time that the phase with calls has; seconds of both phases; 0: steady */
    double price;        /* seconds a call */
    double price_error;  /* relative, of what is known of it */
};

struct outcome {
    double runs, known, error, squares, held; /* error: relative */
};

static struct simulated_program program_of(const struct sampled *c, uint64_t seed)
{
    struct simulated_program p = {.random = seed, .functions = 1, .phases = 1, .length = c->seconds};
    p.scatter = c->scatter;
    p.phase[0] = p.left = 1e9;
    p.rate[0][0] = c->rate;
    if (c->period > 0) {
        p.phases = 2;
        p.phase[0] = c->duty * c->period;
        p.phase[1] = (1 - c->duty) * c->period;
        p.now = simulated_uniform(&p.random, 0, 1) < c->duty ? 0 : 1;
        p.left = simulated_uniform(&p.random, 0, p.phase[p.now]);
    }
    return p;
}

static void sample(const struct sampled *c, uint64_t seed, struct outcome *o)
{
    static const double none = 0;
    struct simulated_program p = program_of(c, seed);
    struct pcomp_window_plan plan;
    struct pcomp_window_costs costs = {1e-4, 0.3, 0.03};
    struct pcomp_window_calls sums = {0};
    double known = c->price * (1 + c->price_error * prng_normal(&p.random)), gap = 0;
    pcomp_window_plan_init(&plan, prng_next(&p.random));
    pcomp_window_calls_begin(&sums, c->rate);
    for (;;) {
        gap = simulated_program_run(&p, pcomp_window_next_gap(&plan, &costs), &none);
        if (simulated_program_ended(&p))
            break;
        double calls = p.calls[0], seconds = simulated_program_run(&p, pcomp_window_next_length(&plan), &c->price);
        calls = p.calls[0] - calls;
        pcomp_window_calls_add(&sums, calls, seconds, known * calls, gap, pcomp_window_gap_share(&plan));
        gap = 0;
        costs.counting += (known * calls / seconds - costs.counting) / (sums.windows + 1);
    }
    struct pcomp_window_estimate e =
        pcomp_window_calls_estimate(&sums, gap, (struct pcomp_window_overhead){1, c->price_error});
    double error = e.calls - p.calls[0];
    o->runs++;
    o->error += error / (c->rate * c->seconds * (c->period > 0 ? c->duty : 1));
    o->squares += pow(error / (c->rate * c->seconds * (c->period > 0 ? c->duty : 1)), 2);
    o->known += e.known;
    o->held += e.known && fabs(error) <= e.half;
}

static struct outcome outcome_of(const struct sampled *c, int runs)
{
    struct outcome o = {0};
    for (int i = 0; i < runs; i++)
        sample(c, (uint64_t)i * 31 + 7, &o);
    return o;
}

static void assert_unbiased(const struct sampled *c, double beside)
{
    struct outcome o = outcome_of(c, 3000);
    double error = o.error / o.runs, chance = sqrt(o.squares) / o.runs;
    cr_assert(fabs(error) < 3.5 * chance + beside, "%g s, period %g, duty %g: %+.3f %% +- %.3f %%", c->seconds,
              c->period, c->duty, 100 * error, 100 * chance);
}

Test(window_calls, steady_programs_are_unbiased)
{
    static const double seconds[] = {0.1, 0.3, 1, 3}, prices[] = {0, 1e-9};
    for (int i = 0; i < 8; i++) {
        struct sampled c = {.seconds = seconds[i % 4], .rate = 5e8, .scatter = 0.1, .price = prices[i / 4]};
        assert_unbiased(&c, 0.004); /* windows with more calls get less far: window_calls.h */
    }
}

Test(window_calls, phases_are_unbiased)
{
    static const double seconds[] = {0.3, 1, 3}, periods[] = {0.01, 0.05, 0.2}, duties[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 27; i++) {
        struct sampled c = {.seconds = seconds[i % 3],
                            .rate = 5e8,
                            .scatter = 0.02,
                            .price = 0.5e-9,
                            .period = periods[i / 3 % 3],
                            .duty = duties[i / 9]};
        assert_unbiased(&c, c.period < 0.02 ? 0.05 * (1 - c.duty) : 0.003); /* bursts below the length of a window */
    }
}

/* The sums of a window's progress: a price that is known +- makes a rate that is known +-. */
Test(window_calls, intervals_hold)
{
    uint64_t random = 1;
    struct outcome o = {0};
    for (int i = 0; i < 8000; i++) {
        struct sampled c = {.seconds = simulated_magnitude(&random, 0.05, 5),
                            .rate = simulated_magnitude(&random, 1e6, 1e9),
                            .scatter = simulated_magnitude(&random, 0.01, 0.3),
                            .price = simulated_magnitude(&random, 0.3e-9, 2e-9),
                            .price_error = simulated_magnitude(&random, 0.003, 0.1)};
        if (prng_below(&random, 2)) {
            c.period = simulated_magnitude(&random, 0.02, 0.4);
            c.duty = simulated_uniform(&random, 0.2, 0.9);
        }
        sample(&c, prng_next(&random), &o);
    }
    cr_assert(o.held / o.known > 0.94 && o.held / o.known < 0.97, "%.4f hold", o.held / o.known);
    cr_assert(o.known > 0.9 * o.runs);
}

Test(window_calls, worked_by_hand)
{
    struct pcomp_window_calls sums = {0};
    pcomp_window_calls_begin(&sums, 50);
    struct pcomp_window_estimate e = pcomp_window_calls_estimate(&sums, 2, (struct pcomp_window_overhead){1, 0});
    cr_assert(!e.known && e.calls == 100 && e.half >= 100, "no window: the rate before");
    pcomp_window_calls_add(&sums, 100, 1.5, 0.5, 2, 0.5); /* 100 a second, in 2 s, and half of ... */
    pcomp_window_calls_add(&sums, 200, 1.5, 0.5, 4, 0.5); /* ... these 4 s */
    pcomp_window_calls_add(&sums, 300, 1, 0, 4, 0.5);
    e = pcomp_window_calls_estimate(&sums, 1, (struct pcomp_window_overhead){1, 0});
    cr_assert(e.known);
    cr_assert_float_eq(e.calls, 600 + 100 * (2 + 2) + 200 * (2 + 2) + 300 * (2 + 1), 1e-9);
    struct pcomp_window_estimate dear = pcomp_window_calls_estimate(&sums, 1, (struct pcomp_window_overhead){1, 0.1});
    cr_assert_float_eq(dear.error * dear.error - e.error * e.error, pow(0.1 * (50 * 4 + 100 * 4), 2), 1e-6);
    pcomp_window_calls_end(&sums, 1); /* and falls again, later */
    pcomp_window_calls_begin(&sums, 300);
    pcomp_window_calls_add(&sums, 10, 1, 0, 5, 0.5);
    e = pcomp_window_calls_estimate(&sums, 0, (struct pcomp_window_overhead){1, 0});
    cr_assert_float_eq(e.calls, 600 + 400 + 800 + 900 + 10 + 50, 1e-9);
}

/* A window without a call says little of the gap in front of it, when the function was hot as it fell. */
Test(window_calls, one_quiet_window_leaves_the_rate_before_in_the_interval)
{
    struct pcomp_window_calls sums = {0};
    pcomp_window_calls_begin(&sums, 1000);
    pcomp_window_calls_add(&sums, 0, 1, 0, 2, 0.5);
    struct pcomp_window_estimate e = pcomp_window_calls_estimate(&sums, 1, (struct pcomp_window_overhead){1, 0});
    cr_assert(!e.known && e.calls == 0, "%g", e.calls);
    cr_assert_float_eq(e.half, 2000, 1e-6);
    pcomp_window_calls_add(&sums, 500, 1, 0, 3, 0.5);
    e = pcomp_window_calls_estimate(&sums, 0, (struct pcomp_window_overhead){1, 0});
    cr_assert_float_eq(e.half, 500 * 1.5 + hypot(1000 * 2, 500 * 3), 1e-6);
}

Test(window_calls, what_makes_no_sense_is_left_out)
{
    struct pcomp_window_calls sums = {0};
    pcomp_window_calls_add(&sums, 10, 0, 0, 1, 0.5);
    pcomp_window_calls_add(&sums, -1, 1, 0, 1, 0.5);
    pcomp_window_calls_add(&sums, 1, 1, 0, -1, 0.5);
    pcomp_window_calls_add(&sums, NAN, 1, 0, 1, 0.5);
    cr_assert_eq(sums.windows, 0);
    pcomp_window_calls_add(&sums, 10, 1, 5, 1, 0.5);
    cr_assert_float_eq(pcomp_window_calls_estimate(&sums, 0, (struct pcomp_window_overhead){1, 0}).calls,
                       10 + 10 / PCOMP_WINDOW_PROGRESS, 1e-6);
}

/* Counters of threads that ended come in at once, so that a window may have more calls than its time has room for. */
Test(window_calls, a_call_takes_a_while)
{
    struct pcomp_window_calls sums = {0};
    for (int i = 0; i < 3; i++)
        pcomp_window_calls_add(&sums, 4e6, 5e-4, 4e-3, 0.03, 0.5);
    struct pcomp_window_estimate e = pcomp_window_calls_estimate(&sums, 0, (struct pcomp_window_overhead){1.2, 0.1});
    cr_assert_leq(e.calls, 1.0001 * (1.2e7 + 0.09 / PCOMP_WINDOW_CALL), "%g", e.calls);
}

/* By numeric integration of the density. */
Test(window_calls, quantiles)
{
    static const double known[][2] = {{1, 12.7062},  {2, 4.30265},  {1.5, 6.0167}, {2.5, 3.5747},
                                      {3, 3.18245},  {4, 2.77645},  {5, 2.57058},  {6, 2.44691},
                                      {10, 2.22814}, {30, 2.04227}, {1e9, 1.95996}};
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        cr_assert_float_eq(pcomp_t_quantile(known[i][0]), known[i][1], 0.005 * known[i][1], "%g: %g", known[i][0],
                           pcomp_t_quantile(known[i][0]));
    for (double d = 1; d < 100; d += 0.01)
        cr_assert(pcomp_t_quantile(d + 0.01) <= pcomp_t_quantile(d) + 1e-4, "%g", d);
    cr_assert_eq(pcomp_t_quantile(NAN), pcomp_t_quantile(1));
}
