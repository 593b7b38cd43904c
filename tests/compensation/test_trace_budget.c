/* The budget of a trace: which functions are held so that the rest fits, and when they are taken up again. */
#include "compensation/control/trace_budget.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define SECOND 1000000000u
#define MEGA   1000000u
#define STEP   0.001

static struct pcomp_trace_budget *b; /* too large for a stack */

static uint64_t at(double seconds)
{
    return (uint64_t)(seconds * SECOND) + 12345;
}

static void start(uint64_t rate)
{
    b = malloc(sizeof *b);
    pcomp_trace_budget_start(b, rate, at(0), SECOND);
}

static void stop(void)
{
    free(b);
}

struct load { /* a function, and the bytes a second that its calls would be */
    uint64_t function;
    double rate;
};

static bool is_held(uint64_t function)
{
    for (uint32_t i = 0; i < b->count; i++)
        if (b->functions[i].function == function)
            return b->functions[i].suppressed;
    return false;
}

/* One step of a program that calls so: what is not held is recorded. Returns how many levels changed. */
static uint32_t step(double now, const struct load loads[], unsigned count, double always)
{
    double recorded = always * STEP;
    for (unsigned i = 0; i < count; i++)
        recorded += is_held(loads[i].function) ? 0 : loads[i].rate * STEP;
    pcomp_trace_budget_add(b, at(now), (uint64_t)recorded);
    pcomp_trace_budget_note(b, 0, (uint64_t)(always * STEP), false);
    for (unsigned i = 0; i < count; i++)
        pcomp_trace_budget_note(b, loads[i].function, (uint64_t)(loads[i].rate * STEP), is_held(loads[i].function));
    return pcomp_trace_budget_decide(b, at(now));
}

static uint32_t run(double from, double to, const struct load loads[], unsigned count, double always)
{
    uint32_t changes = 0;
    for (double now = from; now < to; now += STEP)
        changes += step(now, loads, count, always);
    return changes;
}

Test(trace_budget, what_fits_is_recorded)
{
    const struct load loads[] = {{0x1000, 9 * MEGA}, {0x2000, 8 * MEGA}};
    start(20 * MEGA);
    cr_assert_eq(run(0, 20, loads, 2, 0), 0);
    cr_assert_eq(b->over.count, 0);
    cr_assert(b->worst > 16 * MEGA && b->worst < 18 * MEGA);
    stop();
}

Test(trace_budget, the_dearest_is_held_and_rare_ones_are_not)
{
    const struct load loads[] = {{0x1000, 1600. * MEGA}, {0x2000, 2 * MEGA}, {0x3000, 0.1 * MEGA}};
    start(20 * MEGA);
    run(0, 10, loads, 3, 0);
    cr_assert(is_held(0x1000));
    cr_assert_not(is_held(0x2000));
    cr_assert_not(is_held(0x3000));
    cr_assert_eq(b->over.count, 0, "it is seen at once: worst %lu", b->worst);
    stop();
}

Test(trace_budget, what_a_start_records_once_is_no_load)
{
    start(MEGA);
    pcomp_trace_budget_add(b, at(0.001), 300000); /* in the first millisecond */
    pcomp_trace_budget_note(b, 0x1000, 296000, false);
    pcomp_trace_budget_note(b, 0x2000, 400, false);
    pcomp_trace_budget_note(b, 0, 3600, false);
    pcomp_trace_budget_decide(b, at(0.001));
    cr_assert(is_held(0x1000));
    cr_assert_not(is_held(0x2000));
    stop();
}

Test(trace_budget, a_constant_load_does_not_oscillate)
{
    uint64_t state = 4711;
    for (int turn = 0; turn < 60; turn++) {
        struct load loads[20];
        for (unsigned i = 0; i < 20; i++)
            loads[i] = (struct load){0x1000 + 16 * i, 1e4 * (double)(1 << prng_next(&state) % 16)};
        start(20 * MEGA);
        run(0, 1, loads, 20, 0);
        cr_assert_leq(run(1, 4, loads, 20, 0), 20, "what was held for the beginning alone is taken up once");
        cr_assert_eq(run(4, 20, loads, 20, 0), 0, "turn %d", turn);
        stop();
    }
}

Test(trace_budget, no_second_has_more_than_the_budget)
{
    uint64_t state = 42;
    for (int turn = 0; turn < 40; turn++) {
        struct load loads[30];
        start(20 * MEGA);
        for (double now = 0; now < 20; now += 2) { /* another phase of the program each two seconds */
            double recorded = 0;
            for (unsigned i = 0; i < 30; i++)
                loads[i] = (struct load){0x1000 + 16 * i, 1e3 * (double)(1 << prng_next(&state) % 18)};
            run(now, now + 2, loads, 30, 0);
            for (unsigned i = 0; i < 30; i++)
                recorded += is_held(loads[i].function) ? 0 : loads[i].rate;
            cr_assert_leq(recorded, 20. * MEGA, "turn %d, phase %g", turn, now);
        }
        cr_assert_lt(b->worst, 22 * MEGA, "turn %d: worst %lu", turn, b->worst);
        stop();
    }
}

Test(trace_budget, what_is_no_load_any_more_is_taken_up)
{
    const struct load hot[] = {{0x1000, 900. * MEGA}, {0x2000, 700. * MEGA}};
    const struct load calm[] = {{0x1000, 3 * MEGA}, {0x2000, 2 * MEGA}};
    start(20 * MEGA);
    run(0, 2, hot, 2, 0);
    cr_assert(is_held(0x1000) && is_held(0x2000));
    cr_assert_eq(run(2, 4.5, calm, 2, 0), 2);
    cr_assert(!is_held(0x1000) && !is_held(0x2000));
    stop();
}

Test(trace_budget, each_time_it_takes_longer)
{
    const struct load hot[] = {{0x1000, 900. * MEGA}}, calm[] = {{0x1000, MEGA}};
    double now = 0, waited = 0.5;
    start(20 * MEGA);
    for (int turn = 0; turn < 4; turn++) {
        for (int i = 0; !is_held(0x1000); i++, now += STEP) {
            cr_assert_lt(i, 1000, "a phase is noticed within a second");
            step(now, hot, 1, 0);
        }
        double since = now;
        for (; is_held(0x1000); now += STEP)
            step(now, calm, 1, 0);
        cr_assert_gt(now - since, 1.8 * waited);
        cr_assert_lt(now - since, 2 * (1 << turn) + 0.7);
        waited = now - since;
    }
    stop();
}

Test(trace_budget, what_cannot_be_held_is_reported_as_the_cause)
{
    const struct load loads[] = {{0x1000, MEGA}};
    start(20 * MEGA);
    run(0, 3, loads, 1, 30. * MEGA);
    cr_assert_eq(b->over.count, 1);
    cr_assert_eq(b->over.longest_cause, PCOMP_TRACE_OVER_ALWAYS);
    run(3, 6, loads, 1, 0);
    cr_assert_eq(b->over.since, 0);
    cr_assert(b->over.longest > 2.2 * SECOND && b->over.longest < 3.8 * SECOND);
    cr_assert_eq(b->over.ticks / SECOND, b->over.longest / SECOND);
    stop();
}

/* A thread that cannot hold a function goes on recording it: that is not the function's rate again. */
Test(trace_budget, what_is_recorded_though_held_counts_as_anything_else)
{
    start(20 * MEGA);
    for (double now = 0; now < 1; now += STEP) {
        pcomp_trace_budget_add(b, at(now), (uint64_t)(30. * MEGA * STEP));
        pcomp_trace_budget_note(b, 0x1000, (uint64_t)(30. * MEGA * STEP), false);
        pcomp_trace_budget_decide(b, at(now));
    }
    cr_assert(is_held(0x1000));
    cr_assert_gt(pcomp_trace_budget_recorded(b, at(1)), 20 * MEGA);
    stop();
}

Test(trace_budget, more_functions_than_are_told_apart)
{
    start(20 * MEGA);
    for (uint64_t f = 1; f <= 3 * PCOMP_TRACED_MAX; f++) {
        pcomp_trace_budget_add(b, at(0.0001 * (double)f), 1000);
        pcomp_trace_budget_note(b, f * 16, 1000, false);
    }
    cr_assert_leq(b->count, PCOMP_TRACED_MAX);
    pcomp_trace_budget_decide(b, at(10));
    for (uint64_t f = 1; f <= PCOMP_TRACED_MAX + 1; f++)
        pcomp_trace_budget_note(b, f << 20, 1000, false);
    cr_assert_eq(b->other, 1000, "those that are not called any more are forgotten when there is no room");
    stop();
}

Test(trace_budget, absurd_numbers_stay_within_bounds)
{
    const uint64_t absurd[] = {0, 1, 1ull << 40, 1ull << 44};
    for (unsigned i = 0; i < 256; i++) {
        start(absurd[i & 1] + 65536);
        pcomp_trace_budget_add(b, absurd[i >> 2 & 3] << 10, absurd[i >> 4 & 3]);
        pcomp_trace_budget_note(b, i, absurd[i >> 6 & 3], i & 2);
        pcomp_trace_budget_decide(b, absurd[i & 3] << 12);
        cr_assert_geq(pcomp_trace_budget_recorded(b, at(0)), 0);
        cr_assert_leq(pcomp_trace_budget_room(b), (int64_t)b->rate);
        stop();
    }
}
