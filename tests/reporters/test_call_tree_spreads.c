/* Percentiles and the longest activations, from files to the tree. */
#include "compensation/numeric/log_buckets.h"
#include "reporters/tree/call_tree.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define FIXED(ns) ((int64_t)(ns) << PCOMP_FIX_SHIFT) /* a tick is a nanosecond */

static struct profile_writer w;
static uint32_t f, g;
static struct call_tree *tree;
static char error[1024];

static void begin(void)
{
    profile_writer_init(&w, 0, 0);
    uint32_t module = profile_writer_module(&w, "/no/such/prog", 0x1000, 0x10000);
    f = profile_writer_function(&w, module, 0x1010, NULL);
    g = profile_writer_function(&w, module, 0x1020, NULL);
    profile_writer_thread(&w, 4242, "main", PCOMP_THREAD_MAIN);
    profile_writer_header(&w)->real0_ns = 1000000000;
}

static void end(void)
{
    call_tree_free(tree);
    profile_writer_free(&w);
    tree = NULL;
}

TestSuite(call_tree_spreads, .init = begin, .fini = end);

static uint64_t node(uint32_t thread, uint64_t parent, uint32_t function, uint64_t calls, int64_t min, int64_t greatest)
{
    uint64_t link = profile_writer_node(
        &w, thread, parent, function,
        (struct writer_counts){.calls = calls, .raw = calls * 1000, .compensated = FIXED(calls * 1000)});
    struct pcomp_node *n = profile_writer_at(&w, link);
    n->min = FIXED(min);
    n->top = FIXED(greatest);
    return link;
}

/* `counts` activations of that many times. */
static void spread(uint32_t thread, uint64_t link, const int64_t *times, const uint32_t *counts, int n)
{
    uint32_t all[300] = {0};
    for (int i = 0; i < n; i++)
        all[pcomp_bucket(FIXED(times[i])) - 100] += counts[i];
    profile_writer_spread(&w, thread, link, 100, all, 300, FIXED(times[n - 1]), 5000);
}

static const struct tree_function *load_with(const struct call_tree_options *options)
{
    profile_writer_finish(&w);
    tree = call_tree_from_memory(w.data, w.size, options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
    for (size_t i = 1; i < tree->function_count; i++)
        if (strstr(tree->functions[i].name, "0x10"))
            return &tree->functions[i];
    cr_assert_fail("no function");
    return NULL;
}

static const struct tree_function *load(int model)
{
    return load_with(&(struct call_tree_options){.rank = -1, .model = model});
}

static double quantile(const struct tree_function *function, double share)
{
    return time_spread_quantile(function->spread, tree->spread_unit, share, function->min, function->max);
}

Test(call_tree_spreads, records_of_paths_and_threads_add_up)
{
    uint64_t a = node(0, w.root[0], f, 100, 100, 1000), b = node(0, a, f, 50, 100, 1000);
    profile_writer_thread(&w, 4243, "worker", 0);
    uint64_t c = node(1, w.root[1], f, 50, 100, 100000);
    spread(0, a, (const int64_t[]){100, 1000}, (const uint32_t[]){60, 20}, 2);
    spread(0, a, (const int64_t[]){100, 1000}, (const uint32_t[]){20, 0}, 2);
    spread(0, b, (const int64_t[]){100, 1000}, (const uint32_t[]){40, 10}, 2);
    spread(1, c, (const int64_t[]){100, 100000}, (const uint32_t[]){45, 5}, 2);
    const struct tree_function *function = load(-1);
    cr_assert_eq(time_spread_total(function->spread), 200);
    cr_assert_float_eq(quantile(function, 0.5), 100, 100 / 15 + 1);
    cr_assert_float_eq(quantile(function, 0.9), 1000, 1000 / 15 + 1);
    cr_assert_float_eq(quantile(function, 0.99), 100000, 100000 / 15 + 1);
    cr_assert_eq(tree->longest_count, 3);
    cr_assert_eq(tree->longest[0].time, 100000);
    cr_assert_float_eq(tree->longest[0].start, 1000000000 + 5000 - 1000, 1e-3);
    cr_assert_eq(tree->threads[tree->longest[0].thread].tid, 4243);
}

Test(call_tree_spreads, single_activations_are_their_min)
{
    node(0, w.root[0], f, 1, 300, 300);
    const struct tree_function *function = load(-1);
    cr_assert_eq(quantile(function, 0.5), 300);
    cr_assert_eq(quantile(function, 0.99), 300);
}

Test(call_tree_spreads, the_greatest_of_the_longest_is_max)
{
    uint64_t a = node(0, w.root[0], f, 100, 100, 900);
    spread(0, a, (const int64_t[]){100, 4000}, (const uint32_t[]){99, 1}, 2);
    ((struct pcomp_node *)profile_writer_at(&w, a))->top = INT64_MIN;
    const struct tree_function *function = load(-1);
    cr_assert_eq(function->max, 4000);
    cr_assert_eq(function->min, 100);
}

Test(call_tree_spreads, under_another_model_there_are_none)
{
    uint64_t a = node(0, w.root[0], f, 100, 100, 900);
    spread(0, a, (const int64_t[]){100}, (const uint32_t[]){100}, 1);
    cr_assert_null(load(PCOMP_MODEL_PAPER)->spread);
    cr_assert_eq(tree->longest_count, 0);
}

Test(call_tree_spreads, beside_totals_alone_there_are_none)
{
    uint64_t a = node(0, w.root[0], f, 100, 100, 900);
    node(0, a, f, 1, 300, 300);
    spread(0, a, (const int64_t[]){100}, (const uint32_t[]){100}, 1);
    cr_assert_not_null(load(-1)->spread);
    struct tree_totals all = tree->total_all_threads;
    call_tree_free(tree);
    const struct tree_function *function =
        load_with(&(struct call_tree_options){.rank = -1, .model = -1, .totals_alone = true});
    cr_assert_null(function->spread);
    cr_assert_eq(tree->longest_count, 0);
    cr_assert_eq(tree->total_all_threads.calls, all.calls);
    cr_assert_eq(tree->total_all_threads.raw, all.raw);
    cr_assert_eq(tree->total_all_threads.compensated, all.compensated);
    cr_assert_eq(tree->total_all_threads.uncertainty, all.uncertainty);
}

Test(call_tree_spreads, of_a_part_of_the_activations_there_are_none)
{
    uint64_t a = node(0, w.root[0], f, 100, 100, 900);
    spread(0, a, (const int64_t[]){100}, (const uint32_t[]){97}, 1);
    cr_assert_null(load(-1)->spread);
}

Test(call_tree_spreads, one_pending_activation_may_be_missing)
{
    uint64_t a = node(0, w.root[0], f, 3, 100, 900);
    spread(0, a, (const int64_t[]){100}, (const uint32_t[]){2}, 1);
    cr_assert_not_null(load(-1)->spread);
}

/* What a damaged record says, at its offset. */
static void expect_damage(size_t offset, uint32_t value, const char *text)
{
    uint64_t a = node(0, w.root[0], f, 100, 100, 900);
    size_t chunk = profile_writer_spread(&w, 0, a, 100, (const uint32_t[]){100}, 1, FIXED(900), 5000);
    memcpy(w.data + chunk + sizeof(struct pcomp_chunk) + offset, &value, sizeof value);
    profile_writer_finish(&w);
    struct call_tree_options options = {.rank = -1, .model = -1};
    cr_assert_null(call_tree_from_memory(w.data, w.size, &options, error, sizeof error));
    cr_assert(strstr(error, text), "%s", error);
    options.salvage = true;
    tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree);
}

Test(call_tree_spreads, damage_is_told_and_salvaged_number_of_counters)
{
    expect_damage(4, 13, "expected a record of buckets");
}

Test(call_tree_spreads, damage_is_told_and_salvaged_size)
{
    expect_damage(4, 16 * 1000000 - 4, "expected a record of buckets");
}

Test(call_tree_spreads, damage_is_told_and_salvaged_first_bucket)
{
    expect_damage(0, 496, "expected a record of buckets");
}

Test(call_tree_spreads, damage_is_told_and_salvaged_node)
{
    expect_damage(8, 0x7fffffff, "expected the offset of a node");
}

/* More than one list has room for before those are dropped that no report shows. */
Test(call_tree_spreads, of_many_call_paths_each_function_keeps_its_longest)
{
    enum { PATHS = 5000 };
    uint64_t above = w.root[0];
    for (int i = 0; i < PATHS; i++) { /* one path, as deep; the longest are in the middle */
        int time = 1000 + (i < PATHS / 2 ? i : PATHS - i);
        above = node(0, above, i % 2 ? f : g, 1, time, time);
        profile_writer_extra(&w, above)->first_start = 2000 + (uint64_t)i;
    }
    load(-1);
    cr_assert_eq(tree->longest_count, 6);
    static const double longest[] = {3499, 3499, 3497, 3500, 3498, 3498};
    for (int i = 0; i < 6; i++)
        cr_assert_eq(tree->longest[i].time, longest[i], "%d: %f", i, tree->longest[i].time);
}
