/* Rates between two snapshots: counters that went back, processes that vanished, threads and functions that appeared.
 */
#include "reporters/live/live_columns.h"
#include "reporters/live/live_rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MS 1e6

static char exe[] = "/bin/prog", file_a[] = "d/1-0.pcomp", file_b[] = "d/2-0.pcomp";

/* A tree of one process with one thread. */
struct made {
    struct tree_process processes[2];
    struct tree_thread threads[3];
    struct tree_function functions[4];
    struct call_tree tree;
    struct live_snapshot snapshot;
};

static void make(struct made *m, double taken, double wall)
{
    *m = (struct made){0};
    m->processes[0] = (struct tree_process){.pid = 1, .executable = exe, .file = file_a, .live = true, .main = true};
    m->processes[1] = (struct tree_process){.pid = 2, .executable = exe, .file = file_b, .live = true};
    m->threads[0] = (struct tree_thread){.pid = 1, .tid = 1, .wall = wall, .live = true, .name = "main"};
    m->functions[0] = (struct tree_function){.name = "[root]", .linkage_name = "[root]"};
    m->functions[1] =
        (struct tree_function){.name = "f", .linkage_name = "f", .module = exe, .calls = 10, .level = LEVEL_TIMED};
    m->tree = (struct call_tree){.processes = m->processes,
                                 .process_count = 1,
                                 .threads = m->threads,
                                 .thread_count = 1,
                                 .functions = m->functions,
                                 .function_count = 2,
                                 .knows_waiting = true};
    m->snapshot = (struct live_snapshot){.tree = &m->tree, .taken = taken, .running = 1};
}

static void times(struct tree_times *t, double raw, double compensated, double waiting, double half)
{
    *t = (struct tree_times){.raw = raw, .compensated = compensated, .waiting = waiting, .uncertainty = half};
}

static const struct live_row *row_of(const struct live_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->count; i++)
        if (!strcmp(rows->list[i].name, name))
            return &rows->list[i];
    return NULL;
}

Test(live_rates, a_rate_is_the_difference_a_second)
{
    struct live_figures a = {
        .calls = 100, .raw = 60 * MS, .compensated = 50 * MS, .computing = 40 * MS, .waiting = 10 * MS};
    struct live_figures b = {
        .calls = 300, .raw = 160 * MS, .compensated = 130 * MS, .computing = 90 * MS, .waiting = 40 * MS};
    struct live_figures r = live_rate(&a, &b, 2);
    cr_expect(ieee_ulp_eq(dbl, r.calls, 100, 4));
    cr_expect(ieee_ulp_eq(dbl, r.raw, 50 * MS, 4));
    cr_expect(ieee_ulp_eq(dbl, r.computing, 25 * MS, 4));
    cr_expect(ieee_ulp_eq(dbl, r.waiting, 15 * MS, 4));
    cr_expect(zero(dbl, r.half));
}

Test(live_rates, rates_of_parts_add_up_to_that_of_the_whole)
{
    struct live_figures a = {.calls = 100, .computing = 40 * MS}, b = {.calls = 250, .computing = 90 * MS},
                        c = {.calls = 700, .computing = 110 * MS};
    struct live_figures ab = live_rate(&a, &b, 1), bc = live_rate(&b, &c, 1), ac = live_rate(&a, &c, 1);
    cr_expect(ieee_ulp_eq(dbl, ab.calls + bc.calls, ac.calls, 4));
    cr_expect(ieee_ulp_eq(dbl, ab.computing + bc.computing, ac.computing, 4));
}

Test(live_rates, what_began_in_between_began_at_nothing)
{
    struct live_figures b = {.calls = 30, .computing = 5 * MS, .half = 1 * MS};
    struct live_figures r = live_rate(NULL, &b, 0.5);
    cr_expect(ieee_ulp_eq(dbl, r.calls, 60, 4));
    cr_expect(ieee_ulp_eq(dbl, r.computing, 10 * MS, 4));
    cr_expect(ieee_ulp_eq(dbl, r.half, 2 * MS, 4));
}

Test(live_rates, what_went_back_by_more_than_its_uncertainty_is_unknown)
{
    struct live_figures a = {.calls = 100, .computing = 50 * MS, .half = 4 * MS};
    struct live_figures b = {.calls = 90, .computing = 49 * MS, .half = 6 * MS};
    struct live_figures r = live_rate(&a, &b, 1);
    cr_expect(isnan(r.calls));
    cr_expect(ieee_ulp_eq(dbl, r.computing, -1 * MS, 8), "within its uncertainty: as it is");
    b.computing = 40 * MS;
    r = live_rate(&a, &b, 1);
    cr_expect(isnan(r.computing));
    b.calls_half = 20; /* estimated calls may be corrected a little */
    r = live_rate(&a, &b, 1);
    cr_expect(ieee_ulp_eq(dbl, r.calls, -10, 4));
}

Test(live_rates, unknown_stays_unknown)
{
    struct live_figures a = {.waiting = NAN, .calls = NAN}, b = {.waiting = NAN, .calls = 7};
    struct live_figures r = live_rate(&a, &b, 1);
    cr_expect(isnan(r.waiting));
    cr_expect(isnan(r.calls));
}

Test(live_rates, samples_err_by_the_root_of_their_number_whatever_was_before)
{
    struct live_figures a = {.computing = 1e9, .half = 50 * MS, .period = 1 * MS}, b = a;
    b.computing += 400 * MS; /* 400 samples: 20 of them, 1.96 times */
    struct live_figures early = live_rate(&a, &b, 1);
    a.computing += 3600e9;
    b.computing += 3600e9;
    struct live_figures late = live_rate(&a, &b, 1);
    cr_expect(epsilon_eq(dbl, early.half, 39.2 * MS, 0.01 * MS));
    cr_expect(epsilon_eq(dbl, late.half, early.half, 0.01 * MS));
    b.computing = a.computing; /* none at all: one may have been missed */
    late = live_rate(&a, &b, 1);
    cr_expect(epsilon_eq(dbl, late.half, 1.96 * MS, 0.01 * MS));
}

/* --- Snapshots --------------------------------------------------------------------------------------------------- */

Test(live_rates, the_time_between_is_that_of_the_threads)
{
    struct made a, b;
    make(&a, 10, 1000 * MS);
    make(&b, 11.5, 2200 * MS);
    cr_expect(ieee_ulp_eq(dbl, live_seconds_between(&a.snapshot, &b.snapshot), 1.2, 4));
    b.threads[0].wall = 9000 * MS; /* never more than what passed here */
    cr_expect(ieee_ulp_eq(dbl, live_seconds_between(&a.snapshot, &b.snapshot), 1.5, 4));
    b.threads[0].wall = a.threads[0].wall;
    cr_expect(isnan(live_seconds_between(&a.snapshot, &b.snapshot)), "nothing lies between");
}

Test(live_rates, a_process_that_vanished_leaves_nothing_to_compare)
{
    struct made a, b;
    struct live_rows rows = {0};
    make(&a, 10, 1000 * MS);
    make(&b, 11, 2000 * MS);
    a.tree.process_count = 2;
    cr_expect(isnan(live_seconds_between(&a.snapshot, &b.snapshot)));
    cr_assert(live_rows_functions(&rows, &a.snapshot, &b.snapshot));
    cr_expect(zero(dbl, rows.seconds), "totals instead");
    cr_expect(ieee_ulp_eq(dbl, rows.list[0].exclusive.calls, 10, 4));
    live_rows_free(&rows);

    make(&a, 10, 1000 * MS); /* one that appeared does not hinder */
    b.tree.process_count = 2;
    cr_expect(ieee_ulp_eq(dbl, live_seconds_between(&a.snapshot, &b.snapshot), 1, 4));
}

Test(live_rates, threads_that_appear_count_from_nothing_and_ids_may_come_again)
{
    struct made a, b;
    struct live_rows rows = {0};
    make(&a, 10, 1000 * MS);
    make(&b, 11, 2000 * MS);
    a.threads[1] = (struct tree_thread){.pid = 1, .tid = 7, .name = "old", .calls = 50, .wall = 5 * MS};
    a.tree.thread_count = 2;
    b.threads[1] = a.threads[1];
    b.threads[2] = (struct tree_thread){.pid = 1, .tid = 7, .name = "new", .calls = 30, .wall = 9 * MS, .live = true};
    b.tree.thread_count = 3;
    cr_expect(eq(u32, live_match_thread(&a.tree, &b.tree, 1), 1));
    cr_expect(eq(u32, live_match_thread(&a.tree, &b.tree, 2), LIVE_NONE));
    cr_assert(live_rows_threads(&rows, &a.snapshot, &b.snapshot));
    cr_expect(zero(dbl, row_of(&rows, "old")->exclusive.calls));
    cr_expect(ieee_ulp_eq(dbl, row_of(&rows, "new")->exclusive.calls, 30, 4));
    cr_expect(eq(str, (char *)row_of(&rows, "old")->level, "ended"));
    live_rows_free(&rows);
}

Test(live_rates, functions_of_one_name_are_told_apart)
{
    struct made a, b;
    char other[] = "/lib/other.so";
    make(&a, 10, 1000 * MS);
    make(&b, 11, 2000 * MS);
    b.functions[3] = b.functions[1]; /* "f" moved behind two that are new: one before it, one in another module */
    b.functions[1] = (struct tree_function){.name = "a", .linkage_name = "a", .module = exe, .calls = 1};
    b.functions[2] = (struct tree_function){.name = "f", .linkage_name = "f", .module = other, .calls = 4};
    b.functions[3].calls = 25;
    b.tree.function_count = 4;
    uint32_t *matches = live_match_functions(&a.tree, &b.tree);
    cr_assert(matches != NULL);
    cr_expect(eq(u32, matches[0], 0));
    cr_expect(eq(u32, matches[1], LIVE_NONE));
    cr_expect(eq(u32, matches[2], LIVE_NONE));
    cr_expect(eq(u32, matches[3], 1));
    free(matches);
}

Test(live_rates, rows_are_sorted_with_unknown_ones_last)
{
    struct made b;
    struct live_rows rows = {0};
    make(&b, 11, 2000 * MS);
    for (int i = 1; i < 4; i++)
        b.functions[i] = (struct tree_function){
            .name = (const char *[]){"", "x", "y", "z"}[i], .linkage_name = "n", .module = exe, .calls = (uint64_t)i};
    b.tree.function_count = 4;
    times(&b.functions[1].exclusive, 5, 5, 0, 0);
    times(&b.functions[2].exclusive, NAN, NAN, NAN, NAN);
    times(&b.functions[3].exclusive, 9, 9, 0, 0);
    cr_assert(live_rows_functions(&rows, NULL, &b.snapshot));
    live_rows_sort(&rows, &(struct live_order){.by = LIVE_BY_COMPUTING});
    cr_expect(eq(str, (char *)rows.list[0].name, "z"));
    cr_expect(eq(str, (char *)rows.list[2].name, "y"));
    live_rows_sort(&rows, &(struct live_order){.by = LIVE_BY_COMPUTING, .reverse = true});
    cr_expect(eq(str, (char *)rows.list[0].name, "x"));
    cr_expect(eq(str, (char *)rows.list[2].name, "y"));
    live_rows_free(&rows);
}

Test(live_cell, of_calls_below_their_uncertainty_is_what_they_are_less_than)
{
    struct live_row row = {.exclusive = {.calls = 1000, .calls_half = 1000}};
    struct live_rows rows = {.seconds = 0};
    struct live_order order = {.raw = false};
    char buffer[TEXT_NUMBER + 1];
    cr_expect_str_eq(live_cell(buffer, LIVE_COLUMN_CALLS, &row, &rows, &order), "<2000");
    cr_expect_str_eq(live_cell(buffer, LIVE_COLUMN_CALLS_HALF, &row, &rows, &order), "");
    row.exclusive.calls_half = 999;
    cr_expect_str_eq(live_cell(buffer, LIVE_COLUMN_CALLS, &row, &rows, &order), "1000");
    cr_expect_str_eq(live_cell(buffer, LIVE_COLUMN_CALLS_HALF, &row, &rows, &order), "999");
}

Test(live_cell, beside_the_exclusive_time_of_a_function_stands_the_inclusive_one)
{
    struct live_row row = {.inclusive = {.computing = 5e6, .raw = 7e6}, .exclusive = {.computing = 2e6, .raw = 3e6}};
    struct live_rows rows = {.seconds = 0};
    char buffer[TEXT_NUMBER + 1];
    cr_expect_str_eq(live_cell(buffer, LIVE_COLUMN_OTHER, &row, &rows, &(struct live_order){.raw = false}), "5.000 ms");
    cr_expect_str_eq(live_cell(buffer, LIVE_COLUMN_OTHER, &row, &rows, &(struct live_order){.raw = true}), "7.000 ms");
    const struct live_order inclusive = {.inclusive = true};
    cr_expect_str_eq(live_cell(buffer, LIVE_COLUMN_OTHER, &row, &rows, &inclusive), "2.000 ms");
    cr_expect_str_eq(live_column_title(LIVE_COLUMN_OTHER, &rows, &inclusive), "exclusive");
    row.kind = LIVE_ROW_THREAD; /* has one time */
    cr_expect_str_eq(live_cell(buffer, LIVE_COLUMN_OTHER, &row, &rows, &inclusive), "");
}

Test(live_head, has_no_waiting_below_zero)
{
    struct call_tree tree = {.knows_waiting = true};
    struct live_snapshot now = {.tree = &tree};
    struct live_rows rows = {.seconds = 1, .total = {.computing = 5e8, .waiting = -2e6}};
    char *text = live_head_figures(&rows, &now);
    cr_expect_not_null(strstr(text, "waiting 0.0 %"), "%s", text);
    free(text);
}
