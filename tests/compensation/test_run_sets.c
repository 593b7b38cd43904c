/* Sets of runs with a known truth: how often a difference is found that is not there, and how often one that is. */
#include "compensation/estimate/run_sets.h"
#include "compensation/numeric/student_tail.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

#define FUNCTIONS 20
#define RUNS_MAX  12
#define NORMAL_95 1.959964

Test(run_sets, tails_are_those_of_the_tables)
{
    static const struct {
        double t, degrees, p;
    } known[] = {{12.70620, 1, 0.05},        {2.776445, 4, 0.05},   {4.604095, 4, 0.01},
                 {3.355387, 8, 0.01},        {2.085963, 20, 0.05},  {3.460200, 100, 0.0007949},
                 {1.959964, INFINITY, 0.05}, {1.959964, 1e6, 0.05}, {0, 3, 1},
                 {8.610302, 4, 0.001},       {-2.776445, 4, 0.05}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        cr_expect(fabs(pcomp_student_tail(known[i].t, known[i].degrees) / known[i].p - 1) < 1e-3,
                  "%g of %g: %.9g, expected %g", known[i].t, known[i].degrees,
                  pcomp_student_tail(known[i].t, known[i].degrees), known[i].p);
    cr_expect_eq(pcomp_student_tail(NAN, 4), 1);
    cr_expect_eq(pcomp_student_tail(3, 0), 1);
    cr_expect_lt(pcomp_student_tail(1e9, 4), 1e-30);
}

Test(run_sets, a_set_worked_by_hand)
{
    struct pcomp_run runs[] = {{10, NORMAL_95, 7}, {NAN, 1, 1}, {12, NORMAL_95, 9}, {14, NAN, 8}};
    struct pcomp_run_set set = pcomp_run_set_of(runs, 4);
    cr_expect_eq(set.runs, 3);
    cr_expect_float_eq(set.mean, 12, 1e-12);
    cr_expect_float_eq(set.calls, 8, 1e-12);
    cr_expect_float_eq(set.scatter, 2, 1e-12);
    cr_expect_float_eq(set.stated, sqrt(2 / 3.0), 1e-12);
    cr_expect_eq(set.shared, 0, "the scatter shows all of it");
    double alike = 1 + 2 * (0.3 * 2 / 3 + 0.09 / 3);
    cr_expect_float_eq(set.uncertainty, 4.3027 * 2 / sqrt(3) * sqrt(alike * 2 / (3 - alike)), 0.02);
}

Test(run_sets, what_the_scatter_does_not_show_is_shared_and_cancels_with_the_calls)
{
    struct pcomp_run before[] = {{100, 20, 1000}, {101, 20, 1000}, {99, 20, 1000}};
    struct pcomp_run same[] = {{110, 20, 1000}, {111, 20, 1000}, {109, 20, 1000}};
    struct pcomp_run more[] = {{110, 20, 1100}, {111, 20, 1100}, {109, 20, 1100}};
    struct pcomp_run_set a = pcomp_run_set_of(before, 3), b = pcomp_run_set_of(same, 3);
    struct pcomp_run_set c = pcomp_run_set_of(more, 3);
    cr_expect_gt(a.shared, 10);
    struct pcomp_set_difference alike = pcomp_run_sets_compare(&a, &b, false),
                                unlike = pcomp_run_sets_compare(&a, &c, false);
    cr_expect_float_eq(alike.change, 10, 1e-12);
    cr_expect_float_eq(alike.uncertainty, 2.7764 * sqrt(2 / 3.0 * 1.46 * 2 / 1.54), 1e-2);
    double shared = a.shared * 100 / 1100;
    cr_expect_gt(unlike.uncertainty, hypot(alike.uncertainty, NORMAL_95 * shared) * 0.9);
    cr_expect_gt(unlike.p, alike.p);
}

Test(run_sets, one_run_has_the_scatter_of_the_other_set_or_its_own_uncertainty)
{
    struct pcomp_run many[] = {{9, 0, 1}, {10, 0, 1}, {11, 0, 1}}, one = {12, 1, 1}, other = {10, 1, 1};
    struct pcomp_run_set a = pcomp_run_set_of(many, 3), b = pcomp_run_set_of(&one, 1);
    struct pcomp_run_set c = pcomp_run_set_of(&other, 1), none = pcomp_run_set_of(NULL, 0);
    struct pcomp_set_difference lent = pcomp_run_sets_compare(&a, &b, false);
    cr_expect_float_eq(lent.uncertainty, 4.3027 * sqrt(1.46 * 2 / 1.54 / 3.0 + 1), 0.02);
    struct pcomp_set_difference stated = pcomp_run_sets_compare(&c, &b, false);
    cr_expect_float_eq(stated.uncertainty, sqrt(2), 1e-6);
    cr_expect(isnan(pcomp_run_sets_compare(&a, &none, false).p));
    cr_expect(isnan(pcomp_run_sets_compare(&none, &a, false).change));
}

Test(run_sets, runs_without_scatter_tell_a_change_from_none)
{
    struct pcomp_run exact[] = {{5, 0, 1}, {5, 0, 1}}, more[] = {{6, 0, 1}, {6, 0, 1}};
    struct pcomp_run_set a = pcomp_run_set_of(exact, 2), b = pcomp_run_set_of(more, 2);
    cr_expect_eq(pcomp_run_sets_compare(&a, &a, false).p, 1);
    cr_expect_eq(pcomp_run_sets_compare(&a, &b, false).p, 0);
}

Test(run_sets, adjusted_as_benjamini_and_hochberg_do)
{
    struct pcomp_test tests[] = {{.p = 0.04}, {.p = 0.01}, {.p = NAN}, {.p = 0.03}, {.p = 0.5}};
    static const double expected[] = {0.16 / 3, 0.04, 0, 0.16 / 3, 0.5};
    pcomp_tests_adjust(tests, 5);
    for (size_t i = 0; i < 5; i++) {
        cr_expect_eq(tests[i].index, i);
        if (i == 2)
            cr_expect(isnan(tests[i].adjusted));
        else
            cr_expect_float_eq(tests[i].adjusted, expected[i], 1e-12, "%zu: %g", i, tests[i].adjusted);
    }
    pcomp_tests_adjust(tests, 0);
}

Test(run_sets, in_turns_is_one_here_and_one_there)
{
    static const struct {
        uint64_t begins[7];
        size_t before, count;
        bool in_turns;
    } cases[] = {
        {{1, 3, 5, 2, 4, 6}, 3, 6, true},  {{6, 2, 4, 1, 3, 5}, 3, 6, true},  {{1, 4, 5, 2, 3, 6}, 3, 6, true},
        {{1, 2, 3, 4, 5, 6}, 3, 6, false}, {{1, 2, 5, 3, 4, 6}, 3, 6, false}, {{1, 3, 5, 7, 2, 4, 6}, 4, 7, true},
        {{1, 3, 2, 4, 6}, 2, 5, true},     {{1, 2, 3, 4, 5}, 1, 5, false},    {{1, 3, 5, 7, 2, 4}, 4, 6, false},
        {{0, 3, 5, 2, 4, 6}, 3, 6, false}, {{1, 3, 5, 1, 3, 5}, 3, 6, false}, {{1, 2}, 1, 2, false},
        {{4, 4, 4, 4}, 2, 4, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(pcomp_runs_in_turns(cases[i].begins, cases[i].before, cases[i].count), cases[i].in_turns,
                     "case %zu", i);
}

Test(run_sets, runs_in_turns_are_compared_by_their_scatter_alone)
{
    struct pcomp_run before[] = {{9, 0, 1}, {10, 0, 1}, {11, 0, 1}}, after[] = {{19, 0, 1}, {20, 0, 1}, {21, 0, 1}};
    struct pcomp_run_set a = pcomp_run_set_of(before, 3), b = pcomp_run_set_of(after, 3);
    struct pcomp_set_difference turns = pcomp_run_sets_compare(&a, &b, true);
    cr_expect_float_eq(turns.uncertainty, 2.7764 * sqrt(2 / 3.0), 1e-2);
    cr_expect_lt(turns.p, pcomp_run_sets_compare(&a, &b, false).p);
}

/* --- Simulated comparisons ---------------------------------------------------------------------------------------- */

struct world {
    size_t before, after; /* runs */
    double speed;         /* standard deviation of the machine's speed from run to run, relative */
    double own;           /* of a function's time besides */
    double drift;         /* correlation of the speeds of two runs that follow each other */
    double shared;        /* of the error that all runs share, relative */
    double stated;        /* what each run states as its standard deviation, relative */
    double slower;        /* function 0 after, relative */
    bool turns;           /* one run before, one after, and so on */
};

struct outcome {
    double alarm; /* share of comparisons with a growth of any function, or of the total */
    double found; /* with a growth of function 0 */
    double wrong; /* of the marks of a comparison, those at another function; mean */
};

static double share_of(size_t function)
{
    return function ? 0.8 / (FUNCTIONS - 1) * (function % 3 + 1) / 2 : 0.2;
}

typedef struct pcomp_run run_values[FUNCTIONS + 1][RUNS_MAX];

static void simulate_run(const struct world *w, size_t run, double slower, const double shared[FUNCTIONS],
                         double *drift, uint64_t *seed, run_values values)
{
    *drift = w->drift * *drift + sqrt(1 - w->drift * w->drift) * prng_normal(seed);
    double total = 0, speed = 1 + w->speed * *drift;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        double value = 1e6 * share_of(f) * speed * (1 + w->own * prng_normal(seed));
        value *= (f == 0 ? 1 + slower : 1) * (1 + shared[f]);
        values[f][run] = (struct pcomp_run){value, NORMAL_95 * w->stated * value, 1000};
        total += value;
    }
    values[FUNCTIONS][run] = (struct pcomp_run){total, NORMAL_95 * w->stated * total, 1000};
}

static void simulate_sets(const struct world *w, const double shared[FUNCTIONS], uint64_t *seed, run_values before,
                          run_values after)
{
    double drift = prng_normal(seed);
    size_t i = 0, k = 0;
    while (i < w->before || k < w->after) {
        if (i < w->before && (!w->turns || i <= k))
            simulate_run(w, i++, 0, shared, &drift, seed, before);
        else
            simulate_run(w, k++, w->slower, shared, &drift, seed, after);
    }
}

static struct outcome simulate(const struct world *w, int comparisons, uint64_t seed)
{
    struct outcome outcome = {0, 0, 0};
    for (int i = 0; i < comparisons; i++) {
        static run_values before, after;
        struct pcomp_set_difference differences[FUNCTIONS + 1];
        struct pcomp_test tests[FUNCTIONS];
        double shared[FUNCTIONS];
        for (size_t f = 0; f < FUNCTIONS; f++)
            shared[f] = w->shared * prng_normal(&seed);
        simulate_sets(w, shared, &seed, before, after);
        for (size_t f = 0; f <= FUNCTIONS; f++) {
            struct pcomp_run_set a = pcomp_run_set_of(before[f], w->before), b = pcomp_run_set_of(after[f], w->after);
            differences[f] = pcomp_run_sets_compare(&a, &b, w->turns);
            if (f < FUNCTIONS)
                tests[f].p = differences[f].p;
        }
        pcomp_tests_adjust(tests, FUNCTIONS);
        bool alarm = differences[FUNCTIONS].p <= 0.05 && differences[FUNCTIONS].change > 0;
        double marks = 0, wrong = 0;
        for (size_t f = 0; f < FUNCTIONS; f++) {
            alarm = alarm || (tests[f].adjusted <= 0.05 && differences[f].change > 0);
            marks += tests[f].adjusted <= 0.05;
            wrong += f && tests[f].adjusted <= 0.05;
        }
        outcome.alarm += alarm / (double)comparisons;
        outcome.found += (tests[0].adjusted <= 0.05 && differences[0].change > 0) / (double)comparisons;
        outcome.wrong += marks > 0 ? wrong / marks / comparisons : 0;
    }
    return outcome;
}

/* Three standard errors of a share of 5 % in 4000: 1 %. */
Test(run_sets, without_a_difference_there_is_rarely_one)
{
    static const struct world worlds[] = {
        {5, 5, 0.01, 0.01, 0.3, 0, 0, 0, false},      {5, 5, 0.03, 0.002, 0.3, 0, 0.01, 0, false},
        {3, 3, 0.01, 0.01, 0.3, 0, 0, 0, false},      {10, 5, 0.01, 0.02, 0.3, 0.05, 0.05, 0, false},
        {2, 2, 0.01, 0.01, 0.3, 0, 0.02, 0, false},   {5, 1, 0.01, 0.01, 0, 0, 0, 0, false},
        {5, 5, 0.002, 0.01, 0.3, 0.1, 0.1, 0, false}, {5, 5, 0.01, 0.01, 0, 0, 0, 0, false},
        {5, 5, 0.02, 0.002, 0.5, 0, 0, 0, false},     {5, 5, 0.01, 0.01, 0.3, 0, 0, 0, true},
        {5, 5, 0.02, 0.002, 0.8, 0, 0, 0, true},      {5, 5, 0.002, 0.01, 0, 0.1, 0.1, 0, true},
    };
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        struct outcome outcome = simulate(&worlds[i], 4000, 77 + i);
        cr_expect_leq(outcome.alarm, 0.06, "world %zu: %.4f alarms", i, outcome.alarm);
        cr_expect_geq(outcome.alarm, 0.0005, "world %zu: %.4f alarms: too careful", i, outcome.alarm);
    }
}

Test(run_sets, one_run_each_rests_on_what_the_runs_state)
{
    struct world honest = {1, 1, 0.01, 0.01, 0, 0, 0.0142, 0, false};
    cr_expect_leq(simulate(&honest, 4000, 5).alarm, 0.06);
}

Test(run_sets, a_slower_function_is_found_in_nine_of_ten)
{
    struct world five = {5, 5, 0.006, 0.006, 0.3, 0.05, 0.05, 0.05, false};
    struct outcome outcome = simulate(&five, 2000, 1);
    cr_expect_geq(outcome.found, 0.9, "%.3f", outcome.found);
    struct world ten = {10, 10, 0.01, 0.01, 0.3, 0, 0, 0.05, false};
    outcome = simulate(&ten, 2000, 2);
    cr_expect_geq(outcome.found, 0.9, "%.3f", outcome.found);
    cr_expect_leq(outcome.wrong, 0.05, "%.3f", outcome.wrong);
    struct world turns = {5, 5, 0.01, 0.006, 0.7, 0.05, 0.05, 0.05, true};
    outcome = simulate(&turns, 2000, 3);
    cr_expect_geq(outcome.found, 0.9, "%.3f", outcome.found);
}
