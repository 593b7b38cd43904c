#include "reporters/consult/consult.h"

#include "reporters/base/terminal.h"
#include "reporters/base/text.h"
#include "reporters/consult/consult_refine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE       1000   /* samples */
#define DISTANCE_MIN_S 0.0002 /* distance of two samples */
#define DECIDE_S       0.02
#define WINDOW_S       0.05
#define EMPTY_S        0.002 /* where nothing is there to be sampled */
#define SHOW_S         0.5
#define RESERVE        0.25  /* of the budget is for evidence, whatever hooks cost */
#define FIRST_COST     30e-6 /* of a sample, until it is known */

static double clock_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool consult_open(struct consult *c, const struct consult_options *options, const char *dir)
{
    *c = (struct consult){.options = *options,
                          .start_s = clock_s(CLOCK_MONOTONIC),
                          .first_s = -1,
                          .answered_s = -1,
                          .cost = {.sample = FIRST_COST, .min = DISTANCE_MIN_S}};
    c->cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    c->random = (uint64_t)(c->start_s * 1e9) * 0x9e3779b97f4a7c15u | 1;
    c->search = pcomp_search_new(options->at_most, PATIENCE);
    if (!c->search || !observer_open(&c->observer, dir) || !consult_begin_roots(c)) {
        consult_close(c);
        return false;
    }
    c->cost.budget = fmin(options->budget, 1);
    c->plan = pcomp_search_plan_of(&c->cost);
    return true;
}

void consult_close(struct consult *c)
{
    observer_close(&c->observer);
    pcomp_search_free(c->search);
    c->search = NULL;
}

bool consult_has_evidence(const struct consult *c)
{
    return c->samples > 0;
}

/* --- Cost -------------------------------------------------------------------------------------------------------- */

/* What calls cost is evidence, too: for the hypothesis that it is too much. */
static void feed_costs(struct consult *c, const struct observed_cost *cost, double busy_s, double now)
{
    pcomp_search_sample(c->search, STREAM_COSTS, now);
    consult_begin_sample(c, STREAM_COSTS);
    if (c->roots[WHY_OVERHEAD] == PCOMP_SEARCH_NONE || !(busy_s > 0))
        return;
    pcomp_search_value(c->search, c->roots[WHY_OVERHEAD], cost->hooks_s / busy_s);
    for (uint32_t f = 0; f < cost->room; f++)
        if (cost->functions_s[f] > 0)
            consult_feed_cost(c, f, cost->functions_s[f] / busy_s);
}

static void end_window(struct consult *c, double now)
{
    double length = now - c->window_s, cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID), spent = cpu - c->cpu_s;
    double samples = (double)(c->samples - c->window_samples);
    bool first = c->window_samples == 0;
    double busy_s = samples > 0 ? length * fmax(c->running / samples, 1) : length;
    const struct pcomp_hypothesis *overhead =
        c->roots[WHY_OVERHEAD] == PCOMP_SEARCH_NONE ? NULL : pcomp_search_at(c->search, c->roots[WHY_OVERHEAD]);
    struct observed_cost cost;
    observer_cost(&c->observer, &cost, overhead && overhead->state == PCOMP_HYPOTHESIS_TRUE);
    c->calls += cost.calls;
    if (!first && samples > 0) { /* the first has the calls of all the time before */
        feed_costs(c, &cost, busy_s, now);
        double hooks = fmin(cost.hooks_s / busy_s, 1), evidence = spent / length;
        c->hooks_share = c->hooks_share * 0.5 + hooks * 0.5;
        consult_cost_add(&c->hooks, hooks, busy_s);
        consult_cost_add(&c->evidence, evidence, length);
        consult_cost_add(&c->observed, hooks + evidence, length);
        uint32_t testing = pcomp_search_testing(c->search);
        c->cost.sample = c->cost.sample * 0.7 + 0.3 * (spent - c->decide_cpu_s) / samples;
        if (testing)
            c->cost.each = c->cost.each * 0.7 + 0.3 * c->decide_cpu_s / samples / testing;
    }
    free(cost.functions_s);
    if (c->options.budget < 1)
        c->cost.budget = fmax(c->options.budget - c->hooks_share, c->options.budget * RESERVE);
    c->plan = pcomp_search_plan_of(&c->cost);
    c->window_s = now;
    c->window_samples = c->samples;
    c->cpu_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    c->decide_cpu_s = 0;
    c->running = 0;
}

/* --- Samples ----------------------------------------------------------------------------------------------------- */

static double next_unit(struct consult *c)
{
    c->random ^= c->random << 13; /* xorshift64 */
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return ((double)(c->random >> 11) + 0.5) / 9007199254740992.0;
}

static void wait_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(fmod(seconds, 1) * 1e9)};
    nanosleep(&t, NULL); /* cut short by a signal: the program has ended, or another moment as random */
}

/* Bits of the kinds that are true, or tested at a place: of them it is asked where. */
static uint32_t located(const struct consult *c)
{
    uint32_t bits = 0;
    for (uint32_t why = 0; why < WHY_COUNT; why++)
        if (c->roots[why] != PCOMP_SEARCH_NONE &&
            (c->options.focus || pcomp_search_at(c->search, c->roots[why])->state == PCOMP_HYPOTHESIS_TRUE))
            bits |= 1u << why;
    return bits;
}

static void take_sample(struct consult *c, double now)
{
    size_t count = observer_sample(&c->observer, located(c), now);
    if (!count)
        return;
    if (c->first_s < 0)
        c->first_s = c->window_s = c->decided_s = now;
    c->last_s = now;
    c->samples++;
    pcomp_search_sample(c->search, STREAM_EVERYWHERE, now);
    consult_begin_sample(c, STREAM_EVERYWHERE);
    for (size_t i = 0; i < count; i++) {
        const struct observation *o = &c->observer.seen[i];
        consult_feed(c, o, 1 / (double)count);
        c->running += o->why == WHY_CPU;
    }
}

static void decide(struct consult *c, double now)
{
    double begin = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    uint32_t index, found;
    do {
        found = 0;
        pcomp_search_decide(c->search, c->plan.breadth, now);
        for (; (index = pcomp_search_next_true(c->search)) != PCOMP_SEARCH_NONE; found++) {
            c->found_s = now;
            if (c->options.only == WHY_NONE)
                consult_refine(c, index, now);
        }
    } while (found); /* their refinements may be clear already */
    bool open = pcomp_search_testing(c->search) || pcomp_search_queued(c->search);
    c->answered_s = open ? -1 : c->answered_s < 0 ? now : c->answered_s;
    c->decide_cpu_s += clock_s(CLOCK_PROCESS_CPUTIME_ID) - begin;
    c->decided_s = now;
}

static void show_progress(struct consult *c, double now)
{
    char cost[TEXT_NUMBER];
    /* not between the lines of a program that writes to the same terminal */
    if (now - c->shown_s < SHOW_S || !isatty(STDERR_FILENO) || isatty(STDOUT_FILENO))
        return;
    c->shown_s = now;
    fprintf(stderr, "\rpcomp: consult: %.1f s, %llu samples, %u hypotheses tested now, %u waiting, cost %s\033[K", now,
            (unsigned long long)c->samples, pcomp_search_testing(c->search), pcomp_search_queued(c->search),
            text_percent(cost, consult_cost_mean(&c->observed)));
    fflush(stderr);
}

void consult_step(struct consult *c)
{
    wait_for(c->samples ? -log(next_unit(c)) * c->plan.distance : EMPTY_S);
    double now = clock_s(CLOCK_MONOTONIC) - c->start_s;
    take_sample(c, now);
    if (!c->samples)
        return;
    if (now - c->decided_s >= DECIDE_S)
        decide(c, now);
    if (now - c->window_s >= WINDOW_S)
        end_window(c, now);
    show_progress(c, now);
}

void consult_end(struct consult *c)
{
    if (c->samples)
        decide(c, c->last_s);
}
