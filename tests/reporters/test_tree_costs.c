/* What measuring cost, from a profile file to rows by function and thread, and their sums. */
#include "reporters/tree/call_tree.h"
#include "reporters/tree/cost_sums.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define FIXED 1024 /* of a tick, which is 1 ns */

static struct profile_writer w;
static char error[512];

static struct call_tree *load(const struct call_tree_options *options)
{
    profile_writer_finish(&w);
    struct call_tree *tree = call_tree_from_memory(w.data, w.size, options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
    return tree;
}

static const struct call_tree_options with_costs = {.rank = -1, .model = -1, .want_costs = true};

static void set_deltas(int64_t repeat, int64_t lookup, int64_t skip)
{
    struct pcomp_header *h = profile_writer_header(&w);
    const int64_t whole[] = {repeat, lookup, skip};
    for (int v = 0; v < 3; v++)
        h->delta_start[v] =
            (struct pcomp_delta){.own = 10 * FIXED, .descendant = whole[v] * FIXED, .repetitions = 10, .batch = 1};
}

static const struct tree_cost *row_of(const struct call_tree *tree, const char *name, int tid)
{
    for (size_t i = 0; i < tree->cost_count; i++)
        if (!strcmp(tree->functions[tree->costs[i].function].name, name) &&
            tree->threads[tree->costs[i].thread].tid == tid)
            return &tree->costs[i];
    return NULL;
}

/* main calls f, and g, which is filtered out; another thread calls f. */
static void write_timed(void)
{
    profile_writer_init(&w, 0, 0);
    set_deltas(25, 31, 6);
    profile_writer_header(&w)->startup_ns = 5000;
    profile_writer_header(&w)->closing_ns = 700;
    uint32_t main = profile_writer_function(&w, UINT32_MAX, 0x1000, "main"),
             f = profile_writer_function(&w, UINT32_MAX, 0x1010, "f"),
             g = profile_writer_function(&w, UINT32_MAX, 0x1020, "g");
    profile_writer_thread(&w, 1, "main", PCOMP_THREAD_MAIN);
    uint64_t at = profile_writer_node(&w, 0, w.root[0], main,
                                      (struct writer_counts){1, 1, 100000, 500, 0, (int64_t)60000 * FIXED, 0});
    profile_writer_node(&w, 0, at, f, (struct writer_counts){1000, 200, 40000, 300, 0, (int64_t)20000 * FIXED, 0});
    profile_writer_node(&w, 0, at, g, (struct writer_counts){.calls = 50, .flags = PCOMP_NODE_SKIPPED});
    profile_writer_thread(&w, 2, "other", 0);
    profile_writer_node(&w, 1, w.root[1], f, (struct writer_counts){10, 0, 1000, 0, 0, (int64_t)500 * FIXED, 0});
}

Test(tree_costs, rows_are_made_when_asked_for)
{
    write_timed();
    struct call_tree *tree = load(&(struct call_tree_options){.rank = -1, .model = -1});
    cr_assert_eq(tree->cost_count, 0);
    for (size_t f = 0; f < tree->function_count; f++)
        cr_assert_str_neq(tree->functions[f].name, "g");
    call_tree_free(tree);
    profile_writer_free(&w);
}

Test(tree_costs, timed_calls_and_filtered_ones)
{
    write_timed();
    struct call_tree *tree = load(&with_costs);
    cr_assert_eq(tree->cost_count, 4);
    const struct tree_cost *row = row_of(tree, "f", 1);
    cr_assert_eq(row->calls, 1000);
    cr_assert_float_eq(row->cost.of[PCOMP_COST_TIMING], 800 * 25 + 200 * 31, 1e-6);
    cr_assert_float_eq(row->cost.of[PCOMP_COST_NEW_PATHS], 300, 1e-9);
    cr_assert_not(row->filtered);
    row = row_of(tree, "g", 1);
    cr_assert(row->filtered);
    cr_assert_float_eq(pcomp_cost_total(&row->cost), 50 * 6, 1e-9);
    cr_assert_float_eq(pcomp_cost_total(&row_of(tree, "f", 2)->cost), 250, 1e-9);
    call_tree_free(tree);
    profile_writer_free(&w);
}

Test(tree_costs, the_model_does_not_change_the_cost)
{
    write_timed();
    struct call_tree *recorded = load(&with_costs);
    struct call_tree_options none = with_costs;
    none.model = PCOMP_MODEL_NONE;
    struct call_tree *other = load(&none);
    cr_assert_eq(recorded->cost_count, other->cost_count);
    for (size_t i = 0; i < other->cost_count; i++)
        cr_assert_float_eq(pcomp_cost_total(&recorded->costs[i].cost), pcomp_cost_total(&other->costs[i].cost), 1e-9);
    call_tree_free(recorded);
    call_tree_free(other);
    profile_writer_free(&w);
}

Test(tree_costs, each_thread_counts_for_itself)
{
    write_timed();
    struct call_tree *tree = load(&with_costs);
    struct cost_sums sums;
    cr_assert(cost_sums_make(&sums, tree));
    double main = 800 * 25 + 200 * 31 + 300 + 31 + 500 + 50 * 6 + 5000 + 700, other = 250;
    cr_assert_float_eq(sums.all.total, main + other, 1e-6);
    cr_assert_float_eq(sums.all.own, 60500, 1e-6);
    for (size_t t = 0; t < tree->thread_count; t++) {
        bool first = tree->threads[t].tid == 1;
        cr_assert_float_eq(sums.threads[t].total, first ? main : other, 1e-6);
        cr_assert_float_eq(sums.threads[t].share, first ? main / 60000 : other / 500, 1e-9);
    }
    cr_assert_eq(tree->threads[sums.costliest].tid, 1); /* 0.55 of its time; the other 0.5 */
    cost_sums_free(&sums);
    call_tree_free(tree);
    profile_writer_free(&w);
}

/* 100 samples of 40 ns, 1000 less in all; main ran 1 ms of 4. */
static void write_samples(void)
{
    static const uint64_t ran[] = {1000000, 3000000};
    write_timed();
    profile_writer_header(&w)->samples = 100;
    profile_writer_header(&w)->sample_delivery = 40 * FIXED;
    profile_writer_header(&w)->sample_ticks = (uint64_t)-1000;
    for (int t = 0; t < 2; t++) {
        struct pcomp_thread *thread = profile_writer_at(&w, w.record[t]);
        thread->cpu1_ns = ran[t];
        thread->end_tick = thread->seen_tick = thread->start_tick + 5000000;
    }
}

Test(tree_costs, each_thread_pays_for_its_own_samples)
{
    write_samples();
    struct call_tree *tree = load(&with_costs);
    struct cost_sums sums;
    cr_assert(cost_sums_make(&sums, tree));
    for (size_t t = 0; t < tree->thread_count; t++)
        cr_assert_float_eq(sums.threads[t].cost.of[PCOMP_COST_SAMPLING], tree->threads[t].tid == 1 ? 750 : 2250, 1e-6);
    cr_assert_float_eq(sums.all.cost.of[PCOMP_COST_SAMPLING], 3000, 1e-6);
    cost_sums_free(&sums);
    call_tree_free(tree);
    profile_writer_free(&w);
}

Test(tree_costs, one_thread_alone_does_not_pay_for_the_process)
{
    write_samples();
    struct call_tree_options options = with_costs;
    options.thread = 2;
    struct call_tree *tree = load(&options);
    struct cost_sums sums;
    cr_assert(cost_sums_make(&sums, tree));
    cr_assert_float_eq(sums.all.total, 250 + 2250, 1e-6);
    cost_sums_free(&sums);
    call_tree_free(tree);
    profile_writer_free(&w);
}
