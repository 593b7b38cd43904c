/* The fit makes the training runs agree with their truth, and changes nothing but what a call costs. */
#include "reporters/verify/call_fit.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 7 };
static struct verify_pair pairs[RUNS];
static struct call_fit_run runs[RUNS];

/* Runs that used `used` ns for a repeated call where it costs `cost`. */
static void make_runs(double used, double cost)
{
    for (int i = 0; i < RUNS; i++) {
        uint64_t calls = 1000000 + 1000 * (uint64_t)i;
        pairs[i] = (struct verify_pair){
            .plain = 5e8, .compensated = 5e8 + (cost - used) * (double)calls, .raw = 1e9, .calls = calls};
        runs[i] =
            (struct call_fit_run){.costs = {
                                      [PCOMP_VARIANT_REPEAT] = {.own = 5 + i, .descendant = used, .own_spread = 1},
                                      [PCOMP_VARIANT_LOOKUP] = {.own = 6, .descendant = used + 5},
                                  }};
    }
}

Test(call_fit, finds_the_cost_whatever_was_used_before)
{
    const double used[] = {1, 2, 9}, cost[] = {0, 4.5, -1};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            struct call_fit fit;
            make_runs(used[i], cost[k]);
            call_fit_make(&fit, pairs, runs, RUNS);
            cr_expect(lt(dbl, fabs(fit.costs[PCOMP_VARIANT_REPEAT].descendant - cost[k]), 1e-9));
            cr_expect(lt(dbl, fabs(fit.costs[PCOMP_VARIANT_LOOKUP].descendant - cost[k] - 5), 1e-9));
        }
}

Test(call_fit, leaves_the_other_costs_what_they_were_in_the_median)
{
    struct call_fit fit;
    make_runs(20, 24);
    call_fit_make(&fit, pairs, runs, RUNS);
    cr_expect(eq(dbl, fit.costs[PCOMP_VARIANT_REPEAT].own, 5 + RUNS / 2));
    cr_expect(eq(dbl, fit.costs[PCOMP_VARIANT_REPEAT].own_spread, 1));
    cr_expect(eq(dbl, fit.costs[PCOMP_VARIANT_LOOKUP].own, 6));
    cr_expect(all(fit.known[PCOMP_VARIANT_REPEAT], not(fit.known[PCOMP_VARIANT_SKIP])));
}

Test(call_fit, its_spread_is_that_of_the_runs)
{
    struct call_fit fit;
    make_runs(20, 24);
    for (int i = 0; i < RUNS; i++)
        pairs[i].plain += (i % 2 ? 1 : -1) * (double)pairs[i].calls;
    call_fit_make(&fit, pairs, runs, RUNS);
    cr_expect(lt(dbl, fabs(fit.costs[PCOMP_VARIANT_REPEAT].descendant_spread - 1), 0.1));
}

Test(call_fit, file_is_one_line_a_variant_and_one_for_the_fit)
{
    struct call_fit fit;
    char path[] = "/tmp/pcomp-test-XXXXXX", text[2048] = "";
    close(mkstemp(path));
    make_runs(20, 24);
    call_fit_make(&fit, pairs, runs, RUNS);
    cr_assert(call_fit_write(&fit, path, "tsc", "a\ncommand", RUNS));
    FILE *file = fopen(path, "r");
    cr_assert(gt(sz, fread(text, 1, sizeof text - 1, file), 0));
    fclose(file);
    remove(path);
    cr_expect(eq(int, strncmp(text, "pcomp-calibration 1\nclock tsc\nvariant repeat own 8.000000 ", 58), 0));
    cr_expect(ne(ptr, strstr(text, " descendant 24.000000 "), NULL));
    cr_expect(eq(ptr, strstr(text, "variant skip"), NULL));
    cr_expect(ne(ptr, strstr(text, "\nfitted 7 runs of a command\n"), NULL));
}
