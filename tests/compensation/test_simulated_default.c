/* The default engine on a simulated machine: levels, windows and the estimate of calls drive programs at random. What
 * the machine is told of prices is wrong by up to a half. */
#include "compensation/control/level_machine.h"
#include "compensation/control/window_plan.h"
#include "compensation/estimate/window_calls.h"
#include "tests/compensation/prng.h"
#include "tests/compensation/simulated_program.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define PROGRAMS 10000

struct run {
    struct simulated_program program;
    uint64_t random;
    uint32_t count;
    struct pcomp_level_machine machine;
    struct pcomp_level_function functions[SIMULATED_FUNCTIONS];
    uint8_t levels[SIMULATED_FUNCTIONS];
    uint64_t calls[SIMULATED_FUNCTIONS];
    double exact[SIMULATED_FUNCTIONS]; /* calls counted until `base` */
    double base[SIMULATED_FUNCTIONS];  /* calls when the function began to be counted, or the window began */
    double since[SIMULATED_FUNCTIONS]; /* known own seconds when the function fell, or its last window ended */
    struct pcomp_window_calls sums[SIMULATED_FUNCTIONS];
    struct pcomp_window_plan plan;
    double limit, switching;                         /* share; seconds a window */
    double timed, counted;                           /* true prices */
    double timed_given, counted_given;               /* as levels and plan have them */
    double counted_measured, price_error;            /* as the estimator has it; relative standard error */
    double known_own;                                /* own seconds, as far as prices tell */
    double spent, window_spent;                      /* true seconds of overhead: all; of windows */
    double window_counting, window_seconds, windows; /* as measured */
    double late;                                     /* looks are up to so many times later than advised */
    double look_at, window_at;                       /* wall */
    double second, second_spent, worst_second;       /* own; overhead until then; greatest overhead in any second */
    bool any_sampled;
};

/* Runs for so long; `on`: in a window. */
static void advance(struct run *r, double wall, bool on)
{
    double price[SIMULATED_FUNCTIONS], calls[SIMULATED_FUNCTIONS], own = r->program.own, known = 0;
    for (uint32_t i = 0; i < r->count; i++)
        price[i] = r->levels[i] == PCOMP_LEVEL_TIMED           ? r->timed
                   : r->levels[i] == PCOMP_LEVEL_COUNTED || on ? r->counted
                                                               : 0;
    memcpy(calls, r->program.calls, sizeof(calls));
    double passed = simulated_program_run(&r->program, wall, price);
    for (uint32_t i = 0; i < r->count; i++) {
        double more = r->program.calls[i] - calls[i];
        known += more * (r->levels[i] == PCOMP_LEVEL_TIMED ? r->timed_given : price[i] > 0 ? r->counted_measured : 0);
        if (r->levels[i] == PCOMP_LEVEL_SAMPLED)
            r->window_spent += more * price[i];
    }
    r->known_own += fmax(passed - known, 0.02 * passed);
    r->spent += passed - (r->program.own - own);
    if (r->program.own > r->second + 1) {
        r->worst_second = fmax(r->worst_second, r->spent - r->second_spent);
        r->second = r->program.own;
        r->second_spent = r->spent;
    }
}

static void switch_sites(struct run *r)
{
    r->program.wall += r->switching / 2;
    r->spent += r->switching / 2;
    r->window_spent += r->switching / 2;
}

static void plan_window(struct run *r)
{
    struct pcomp_window_costs costs = {.switching = r->switching,
                                       .counting = r->window_seconds > 0 ? r->window_counting / r->window_seconds : 0.3,
                                       .share = PCOMP_WINDOW_SHARE * r->limit};
    double gap = pcomp_window_next_gap(&r->plan, &costs);
    r->window_at = r->program.wall + gap + simulated_uniform(&r->random, 0, 0.0002);
}

static void window(struct run *r)
{
    double calls[SIMULATED_FUNCTIONS], counting = 0;
    switch_sites(r);
    memcpy(calls, r->program.calls, sizeof(calls));
    double wall = r->program.wall, known = r->known_own;
    advance(r, pcomp_window_next_length(&r->plan), true);
    double seconds = r->program.wall - wall, overhead = seconds - (r->known_own - known);
    for (uint32_t i = 0; i < r->count; i++)
        if (r->levels[i] == PCOMP_LEVEL_SAMPLED) {
            double seen = r->program.calls[i] - calls[i];
            pcomp_window_calls_add(&r->sums[i], seen, seconds, overhead, known - r->since[i],
                                   pcomp_window_gap_share(&r->plan));
            r->since[i] = r->known_own;
            counting += seen * r->counted_given;
        }
    r->windows++;
    r->window_counting += counting;
    r->window_seconds += seconds;
    switch_sites(r);
    plan_window(r);
}

static double estimate_of(const struct run *r, uint32_t i)
{
    bool sampled = r->levels[i] == PCOMP_LEVEL_SAMPLED;
    double gap = sampled ? r->known_own - r->since[i] : 0, more = sampled ? 0 : r->program.calls[i] - r->base[i];
    return r->exact[i] + more +
           pcomp_window_calls_estimate(&r->sums[i], gap, (struct pcomp_window_overhead){1, 0}).calls;
}

static void change(struct run *r, uint32_t i, uint8_t before)
{
    if (r->levels[i] == PCOMP_LEVEL_SAMPLED) {
        r->exact[i] += r->program.calls[i] - r->base[i];
        r->since[i] = r->known_own;
        pcomp_window_calls_begin(&r->sums[i], (double)r->functions[i].rate);
    } else if (before == PCOMP_LEVEL_SAMPLED) {
        pcomp_window_calls_end(&r->sums[i], r->known_own - r->since[i]);
        r->base[i] = r->program.calls[i];
    }
}

static void look(struct run *r)
{
    double cost = r->window_counting + r->windows * r->switching - PCOMP_WINDOW_START;
    double windows = r->any_sampled ? fmax(PCOMP_WINDOW_SHARE * r->limit, cost / r->known_own) : 0;
    struct pcomp_level_poll look = {.seconds = r->known_own,
                                    .timed_price = r->timed_given,
                                    .counted_price = r->counted_given,
                                    .sampling = 0,
                                    .windows = windows,
                                    .limit = r->limit,
                                    .burst = PCOMP_LEVEL_BURST,
                                    .rate = PCOMP_LEVEL_RATE};
    uint8_t before[SIMULATED_FUNCTIONS];
    memcpy(before, r->levels, sizeof(before));
    double timed_cost = 0;
    for (uint32_t i = 0; i < r->count; i++)
        r->calls[i] = (uint64_t)estimate_of(r, i);
    for (uint32_t i = 0; i < r->count; i++)
        timed_cost += r->levels[i] == PCOMP_LEVEL_TIMED ? (double)r->calls[i] * r->timed_given : 0;
    bool affordable = timed_cost <= PCOMP_LEVEL_START + PCOMP_LEVEL_SHARE * look.seconds;
    double rare = PCOMP_LEVEL_BURST + PCOMP_LEVEL_RATE * look.seconds;
    pcomp_levels_poll(&r->machine, r->functions, r->levels, r->calls, r->count, &look);
    bool any = false;
    for (uint32_t i = 0; i < r->count; i++) {
        if (affordable && before[i] == PCOMP_LEVEL_TIMED && (double)r->calls[i] <= rare)
            cr_assert_eq(r->levels[i], PCOMP_LEVEL_TIMED, "rare, and not timed");
        if (r->levels[i] != before[i])
            change(r, i, before[i]);
        any = any || r->levels[i] == PCOMP_LEVEL_SAMPLED;
    }
    if (any && !r->any_sampled) {
        pcomp_window_plan_init(&r->plan, prng_next(&r->random));
        plan_window(r);
    }
    r->any_sampled = any;
    r->look_at = r->program.wall + r->machine.next * simulated_uniform(&r->random, 1, r->late);
}

static void run_program(struct run *r, uint64_t seed)
{
    memset(r, 0, sizeof(*r));
    r->random = seed;
    simulated_program_draw(&r->program, prng_next(&r->random));
    r->count = r->program.functions;
    r->limit = prng_below(&r->random, 2) ? PCOMP_LEVEL_LIMIT : simulated_magnitude(&r->random, 0.02, 0.3);
    r->timed = simulated_magnitude(&r->random, 15e-9, 60e-9);
    r->counted = simulated_magnitude(&r->random, 0.3e-9, 2e-9);
    r->switching = simulated_magnitude(&r->random, 10e-6, 200e-6);
    r->timed_given = r->timed * simulated_uniform(&r->random, 0.5, 1.5);
    r->counted_given = r->counted * simulated_uniform(&r->random, 0.5, 1.5);
    r->price_error = simulated_magnitude(&r->random, 0.002, 0.1);
    r->counted_measured = r->counted * (1 + r->price_error * prng_normal(&r->random));
    r->late = prng_below(&r->random, 4) ? 1.5 : 20;
    r->look_at = 0.001;
    while (!simulated_program_ended(&r->program)) {
        double at = r->any_sampled && r->window_at < r->look_at ? r->window_at : r->look_at;
        if (at > r->program.wall)
            advance(r, at - r->program.wall, false);
        if (simulated_program_ended(&r->program))
            break;
        if (r->any_sampled && r->window_at <= r->program.wall)
            window(r);
        if (r->look_at <= r->program.wall)
            look(r);
    }
    r->worst_second = fmax(r->worst_second, r->spent - r->second_spent);
}

/* --- what is told of all --- */

struct tally {
    double intervals, held, unknown; /* of functions that were sampled */
    double programs, error, squares; /* relative errors of all sampled calls of a program */
    double over, over_second;        /* greatest overhead beyond the limit: of a run; of any second; seconds */
    double windows, sampled_seconds;
};

static bool was_sampled(const struct run *r, uint32_t i)
{
    return r->levels[i] == PCOMP_LEVEL_SAMPLED || r->functions[i].returns > 0;
}

static void note_estimates(struct tally *t, const struct run *r)
{
    double error = 0, calls = 0, known = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        if (!was_sampled(r, i)) {
            cr_assert(fabs(estimate_of(r, i) - r->program.calls[i]) <= 1e-6 * (1 + r->program.calls[i]), "exact");
            continue;
        }
        double gap = r->levels[i] == PCOMP_LEVEL_SAMPLED ? r->known_own - r->since[i] : 0;
        struct pcomp_window_estimate e =
            pcomp_window_calls_estimate(&r->sums[i], gap, (struct pcomp_window_overhead){1, r->price_error});
        double off = estimate_of(r, i) - r->program.calls[i];
        if (!e.known) {
            t->unknown++;
            continue;
        }
        t->intervals++;
        t->held += fabs(off) <= e.half + 0.5;
        error += off;
        calls += r->program.calls[i];
        known++;
    }
    if (known > 0) {
        t->programs++;
        t->error += error / calls;
        t->squares += error * error / calls / calls;
    }
}

/* What prices are told too low by is spent too much. */
static void note_spending(struct tally *t, const struct run *r)
{
    double limit = r->limit * fmax(1, fmax(r->counted / r->counted_given, r->timed / r->timed_given));
    t->over = fmax(t->over, r->spent - limit * r->program.own);
    t->over_second = fmax(t->over_second, r->worst_second - limit * fmin(r->program.own, 1));
    if (r->any_sampled) {
        t->windows += r->windows;
        t->sampled_seconds += r->program.own;
    }
}

Test(simulated_default, programs_at_random)
{
    static struct run r;
    static struct tally all, phases, prompt, late;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        run_program(&r, seed * 7919);
        note_estimates(&all, &r);
        if (r.program.phases > 1)
            note_estimates(&phases, &r);
        note_spending(r.late < 2 ? &prompt : &late, &r);
    }
    double error = all.error / all.programs;
    cr_assert(all.held / all.intervals > 0.94 && all.held / all.intervals < 0.97, "%.4f hold",
              all.held / all.intervals);
    cr_assert(phases.held / phases.intervals > 0.935, "%.4f hold in phases", phases.held / phases.intervals);
    cr_assert(fabs(error) < 0.01, "%+.4f", error);
    cr_assert(prompt.over < 0.04 && prompt.over_second < 0.04, "%g s, %g s", prompt.over, prompt.over_second);
    cr_assert(late.over < 0.15, "%g s", late.over);
    cr_assert(prompt.windows / prompt.sampled_seconds > 10, "%g a second", prompt.windows / prompt.sampled_seconds);
}
