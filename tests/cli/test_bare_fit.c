/* The fit makes the training runs agree with their truth, and changes nothing but the bare call. */
#include "reporters/verify/bare_fit.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 7 };
static struct verify_pair pairs[RUNS];
static struct bare_fit_run runs[RUNS];

/* Runs that used `used` ns for a bare call where it costs `cost`. */
static void make_runs(double used, double cost)
{
    for (int i = 0; i < RUNS; i++) {
        uint64_t calls = 1000000 + 1000 * (uint64_t)i;
        pairs[i] = (struct verify_pair){
            .plain = 5e8, .compensated = 5e8 + (cost - used) * (double)calls, .raw = 1e9, .calls = calls};
        runs[i] = (struct bare_fit_run){.costs = {
                                            [PCOMP_VARIANT_REPEAT] = {.own = 5 + i, .descendant = 20, .own_spread = 1},
                                            [PCOMP_VARIANT_LOOKUP] = {.own = 6, .descendant = 25},
                                            [PCOMP_VARIANT_BARE] = {.descendant = used},
                                        }};
    }
}

Test(bare_fit, finds_the_cost_whatever_was_used_before)
{
    const double used[] = {0, 2, 9}, cost[] = {0, 4.5, -1};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            struct bare_fit fit;
            make_runs(used[i], cost[k]);
            bare_fit_make(&fit, pairs, runs, RUNS);
            cr_expect(lt(dbl, fabs(fit.costs[PCOMP_VARIANT_BARE].descendant - cost[k]), 1e-9));
            cr_expect(eq(dbl, fit.costs[PCOMP_VARIANT_BARE].own, 0));
        }
}

Test(bare_fit, leaves_the_other_costs_what_they_were_in_the_median)
{
    struct bare_fit fit;
    make_runs(0, 4);
    bare_fit_make(&fit, pairs, runs, RUNS);
    cr_expect(eq(dbl, fit.costs[PCOMP_VARIANT_REPEAT].own, 5 + RUNS / 2));
    cr_expect(eq(dbl, fit.costs[PCOMP_VARIANT_REPEAT].own_spread, 1));
    cr_expect(eq(dbl, fit.costs[PCOMP_VARIANT_LOOKUP].descendant, 25));
    cr_expect(all(fit.known[PCOMP_VARIANT_REPEAT], fit.known[PCOMP_VARIANT_BARE], not(fit.known[PCOMP_VARIANT_SKIP])));
}

Test(bare_fit, its_spread_is_that_of_the_runs)
{
    struct bare_fit fit;
    make_runs(0, 4);
    for (int i = 0; i < RUNS; i++)
        pairs[i].plain += (i % 2 ? 1 : -1) * (double)pairs[i].calls;
    bare_fit_make(&fit, pairs, runs, RUNS);
    cr_expect(lt(dbl, fabs(fit.costs[PCOMP_VARIANT_BARE].descendant_spread - 1), 0.1));
}

Test(bare_fit, file_is_one_line_a_variant_and_one_for_the_fit)
{
    struct bare_fit fit;
    char path[] = "/tmp/pcomp-test-XXXXXX", text[2048] = "";
    close(mkstemp(path));
    make_runs(0, 4);
    bare_fit_make(&fit, pairs, runs, RUNS);
    cr_assert(bare_fit_write(&fit, path, "tsc", "a\ncommand", RUNS));
    FILE *file = fopen(path, "r");
    cr_assert(gt(sz, fread(text, 1, sizeof text - 1, file), 0));
    fclose(file);
    remove(path);
    cr_expect(eq(int, strncmp(text, "pcomp-calibration 1\nclock tsc\nvariant repeat own 8.000000 ", 58), 0));
    cr_expect(ne(ptr, strstr(text, "\nvariant bare own 0.000000 descendant 4.000000 "), NULL));
    cr_expect(eq(ptr, strstr(text, "variant skip"), NULL));
    cr_expect(ne(ptr, strstr(text, "\nfitted 7 runs of a command\n"), NULL));
}
