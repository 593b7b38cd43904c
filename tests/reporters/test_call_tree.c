/* One profile, by hand: what the tree says of calls, times, terms and names. Ticks are nanoseconds. */
#include "reporters/tree/call_tree.h"

#include "compensation/estimate/site_price.h"
#include "tests/support/path_terms.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define FIXED(ticks) ((int64_t)((ticks)*1024))

static struct profile_writer w;
static struct call_tree *tree;
static struct call_tree_options options;
static char error[512];
static uint32_t f, g, h, thread;

static const struct pcomp_delta deltas[PCOMP_VARIANTS] = {
    [PCOMP_VARIANT_REPEAT] = {.own = FIXED(2),
                              .descendant = FIXED(5),
                              .direct = FIXED(1),
                              .own_spread = 102,
                              .descendant_spread = 204,
                              .direct_spread = 51,
                              .repetitions = 10,
                              .batch = 100},
    [PCOMP_VARIANT_LOOKUP] = {.own = FIXED(3), .descendant = FIXED(9), .repetitions = 10, .batch = 100},
    [PCOMP_VARIANT_SKIP] = {.descendant = FIXED(4), .repetitions = 10, .batch = 100}};

static void begin_with(uint32_t flags, uint32_t counters)
{
    options = (struct call_tree_options){.rank = -1, .model = -1};
    profile_writer_init(&w, flags, counters);
    memcpy(profile_writer_header(&w)->delta_start, deltas, sizeof deltas);
    uint32_t module = profile_writer_module(&w, "/bin/prog", 0x400000, 0x10000);
    f = profile_writer_function(&w, module, 0x400010, NULL);
    g = profile_writer_function(&w, module, 0x400020, NULL);
    h = profile_writer_function(&w, UINT32_MAX, 0x900000, "a region");
    thread = profile_writer_thread(&w, 4242, "main", PCOMP_THREAD_MAIN);
}

static void begin(void)
{
    begin_with(0, 0);
}

static void end(void)
{
    call_tree_free(tree);
    tree = NULL;
    profile_writer_free(&w);
}

TestSuite(call_tree, .init = begin, .fini = end);

static void load(void)
{
    profile_writer_finish(&w);
    call_tree_free(tree);
    tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
}

static uint64_t node(uint64_t parent, uint32_t function, uint64_t calls, uint64_t raw, double compensated)
{
    return profile_writer_node(&w, thread, parent, function,
                               (struct writer_counts){.calls = calls, .raw = raw, .compensated = FIXED(compensated)});
}

static const struct tree_function *function(const char *name)
{
    for (size_t i = 0; i < tree->function_count; i++)
        if (!strcmp(tree->functions[i].name, name))
            return &tree->functions[i];
    cr_assert(false, "no function %s", name);
    return NULL;
}

#define F "prog+0x10"
#define G "prog+0x20"

static bool warned(const char *text)
{
    for (size_t i = 0; i < tree->warning_count; i++)
        if (strstr(tree->warnings[i], text))
            return true;
    return false;
}

#define assert_times(t, r, c)                                                                                          \
    do {                                                                                                               \
        cr_assert_float_eq((t).raw, r, 1e-6, "raw %g", (t).raw);                                                       \
        cr_assert_float_eq((t).compensated, c, 1e-6, "compensated %g", (t).compensated);                               \
    } while (0)

Test(call_tree, gives_inclusive_and_exclusive_times)
{
    uint64_t main = node(w.root[0], f, 1, 1000, 700);
    node(main, g, 10, 400, 300);
    node(main, h, 5, 100, 80);
    load();
    cr_assert_eq(tree->node_count, 5); /* root, [beyond limit], and these three */
    assert_times(function(F)->inclusive, 1000, 700);
    assert_times(function(F)->exclusive, 500, 320);
    assert_times(function(G)->inclusive, 400, 300);
    assert_times(function("a region")->exclusive, 100, 80);
    cr_assert_eq(function(F)->descendants, 15);
    cr_assert_eq(function(F)->children, 15);
    cr_assert_eq(function(G)->calls, 10);
    cr_assert_str_eq(function(G)->module, "/bin/prog");
    cr_assert_null(function("a region")->module);
    cr_assert_float_eq(function(G)->min, 30, 1e-9);
    cr_assert_eq(tree->total.calls, 16);
    cr_assert_float_eq(tree->total.raw, 1000, 1e-6);
    cr_assert_float_eq(tree->total.compensated, 700, 1e-6);
    cr_assert_float_eq(tree->total.overhead, 300, 1e-6);
}

Test(call_tree, sorts_siblings_by_compensated_time_and_functions_by_name)
{
    uint64_t main = node(w.root[0], f, 1, 1000, 700);
    node(main, h, 5, 400, 80);
    node(main, g, 10, 100, 90);
    load();
    const struct tree_node *n = &tree->nodes[tree->nodes[0].first_child];
    cr_assert_str_eq(tree->functions[n->function].name, F);
    n = &tree->nodes[n->first_child];
    cr_assert_str_eq(tree->functions[n->function].name, G);
    n = &tree->nodes[n->next_sibling];
    cr_assert_str_eq(tree->functions[n->function].name, "a region");
    cr_assert_eq(n->next_sibling, UINT32_MAX);
    cr_assert_str_eq(tree->functions[0].name, "[root]");
    cr_assert_str_eq(tree->functions[1].name, "[beyond limit]");
}

Test(call_tree, takes_the_terms_of_split_from_each_variant)
{
    uint64_t main = profile_writer_node(
        &w, thread, w.root[0], f, (struct writer_counts){.calls = 2, .lookups = 1, .slow_ticks = 1000, .raw = 1000});
    profile_writer_node(&w, thread, main, g,
                        (struct writer_counts){.calls = 10, .lookups = 4, .slow_ticks = 33, .raw = 500});
    load();
    const struct tree_times *in = &function(F)->inclusive, *ex = &function(F)->exclusive;
    cr_assert_float_eq(in->own, 2 + 3, 1e-9);
    cr_assert_float_eq(in->descendants, 6 * 5 + 4 * 9 + 33, 1e-9); /* its own slow enter is not in its time */
    cr_assert_eq(in->direct, 0);
    cr_assert_float_eq(ex->own, 2 + 3, 1e-9);
    cr_assert_eq(ex->descendants, 0);
    cr_assert_float_eq(ex->direct, 6 * (5 - 2) + 4 * (9 - 3) + 33, 1e-9);
}

Test(call_tree, counts_outermost_activations_under_recursion)
{
    /* f > g > f > f: all of f is in the first */
    uint64_t outer = node(w.root[0], f, 2, 1000, 900);
    uint64_t between = node(outer, g, 4, 600, 500);
    uint64_t inner = node(between, f, 6, 300, 200);
    node(inner, f, 8, 100, 50);
    node(w.root[0], g, 1, 10, 9);
    load();
    cr_assert_eq(function(F)->calls, 16);
    cr_assert_eq(function(F)->outermost, 2);
    assert_times(function(F)->inclusive, 1000, 900);
    assert_times(function(F)->exclusive, 400 + 200 + 100, 400 + 150 + 50);
    cr_assert_eq(function(F)->descendants, 18);
    cr_assert_eq(function(F)->children, 4);
    cr_assert_float_eq(function(F)->inclusive.own, 2 * 2, 1e-9);
    cr_assert_float_eq(function(F)->exclusive.own, 16 * 2, 1e-9);
    assert_times(function(G)->inclusive, 610, 509);
    cr_assert_eq(function(G)->outermost, 5);
}

Test(call_tree, hides_filtered_functions_but_not_their_cost)
{
    uint64_t main = node(w.root[0], f, 1, 1000, 700);
    profile_writer_node(&w, thread, main, g, (struct writer_counts){.calls = 10, .flags = PCOMP_NODE_SKIPPED});
    load();
    cr_assert_eq(tree->node_count, 3);
    for (size_t i = 0; i < tree->function_count; i++)
        cr_assert_str_neq(tree->functions[i].name, G);
    cr_assert_float_eq(function(F)->inclusive.descendants, 40, 1e-9);
    cr_assert_float_eq(function(F)->exclusive.direct, 40, 1e-9);
    cr_assert_eq(function(F)->descendants, 0);
    cr_assert_eq(tree->total.calls, 1);
    assert_times(function(F)->exclusive, 1000, 700);
}

Test(call_tree, shows_calls_beyond_the_limits)
{
    ((struct pcomp_node *)profile_writer_at(&w, w.beyond[0]))->calls = 77;
    ((struct pcomp_thread *)profile_writer_at(&w, w.record[0]))->beyond_depth = 77;
    load();
    cr_assert_eq(function("[beyond limit]")->calls, 77);
    cr_assert(warned("77 calls were below the depth limit"));
}

Test(call_tree, derives_times_under_another_model)
{
    uint64_t main = node(w.root[0], f, 1, 1000, 700);
    node(main, g, 10, 400, 300);
    options.model = PCOMP_MODEL_NONE;
    load();
    cr_assert_eq(tree->model, PCOMP_MODEL_NONE);
    assert_times(function(F)->inclusive, 1000, 1000);
    assert_times(function(F)->exclusive, 600, 600);
    cr_assert(isnan(function(F)->min));
    cr_assert_float_eq(tree->total.compensated, 1000, 1e-6);
    options.model = PCOMP_MODEL_PAPER; /* N*di + M*di + L*de; exclusive L*de */
    load();
    assert_times(function(F)->inclusive, 1000, 1000 - 5 - 50 - 10);
    assert_times(function(F)->exclusive, 600, 600 - 10);
    assert_times(function(G)->exclusive, 400, 400);
    cr_assert_float_eq(tree->total.compensated, 935, 1e-6);
    options.model = PCOMP_MODEL_SPLIT;
    load();
    assert_times(function(F)->inclusive, 1000, 700); /* as recorded */
}

Test(call_tree, gives_the_uncertainty_of_the_model)
{
    uint64_t main = node(w.root[0], f, 3, 1000, 700);
    node(main, g, 10, 400, 300);
    load();
    struct pcomp_error_model errors;
    pcomp_error_model_init(&errors, PCOMP_MODEL_SPLIT, deltas, profile_writer_header(&w)->delta_exit, 1);
    struct path_counts counts = {.self = {.calls = {3}}, .descendants = {.calls = {10}}, .children = {.calls = {10}}};
    double inclusive = pcomp_uncertainty_half_width(path_uncertainty_inclusive(&errors, &counts));
    double exclusive = pcomp_uncertainty_half_width(path_uncertainty_exclusive(&errors, &counts));
    cr_assert_float_eq(function(F)->inclusive.uncertainty, inclusive, inclusive * 1e-6);
    cr_assert_float_eq(function(F)->exclusive.uncertainty, exclusive, exclusive * 1e-6);
    /* that of the total allows for a program without hooks, whose code lies elsewhere */
    double of_total = hypot(inclusive, PCOMP_SITE_LAYOUT * tree->total.compensated);
    cr_assert_float_eq(tree->total.uncertainty, of_total, of_total * 1e-6);
    cr_assert(function(F)->resolved);
    options.model = PCOMP_MODEL_PAPER;
    load();
    pcomp_error_model_init(&errors, PCOMP_MODEL_PAPER, deltas, NULL, 1);
    inclusive = pcomp_uncertainty_half_width(path_uncertainty_inclusive(&errors, &counts));
    exclusive = pcomp_uncertainty_half_width(path_uncertainty_exclusive(&errors, &counts));
    cr_assert_float_eq(function(F)->inclusive.uncertainty, inclusive, inclusive * 1e-6);
    cr_assert_float_eq(function(F)->exclusive.uncertainty, exclusive, exclusive * 1e-6);
}

Test(call_tree, says_what_is_below_resolution)
{
    node(w.root[0], f, 1000000, 2000000, 3);
    load();
    cr_assert_not(function(F)->resolved);
}

Test(call_tree, marks_functions_that_lost_calls_touch)
{
    node(w.root[0], f, 1, 10, 5);
    load();
    cr_assert(function(F)->exact);
    profile_writer_header(&w)->lost_calls = 12;
    profile_writer_header(&w)->stopped = PCOMP_STOPPED_NO_SPACE;
    load();
    cr_assert_not(function(F)->exact);
    cr_assert_eq(tree->total.lost_events, 12);
    cr_assert(warned("measurement stopped: the file system was full; 1 calls counted, 12 not"));
}

Test(call_tree, warns_of_what_threads_could_not_tell)
{
    struct pcomp_thread *t = profile_writer_at(&w, w.record[0]);
    t->uncertain = 3, t->abandoned = 1, t->unmatched = 4, t->backwards = 5;
    t->cpu1_ns = 50000000, t->seen_tick = t->start_tick + 100000000;
    node(w.root[0], f, 1, 10, 5);
    load();
    cr_assert(warned("the attribution of 3 calls is uncertain, in 1 of 1 threads"));
    cr_assert(warned("1 activation was left by a jump"));
    cr_assert(warned("4 exits had no enter"));
    cr_assert(warned("the clock stepped back in 5 activations"));
    cr_assert(warned("off its processor for 50 %"));
    cr_assert_not(function(F)->exact);
    cr_assert_float_eq(tree->threads[0].off_cpu_share, 0.5, 1e-9);
}

Test(call_tree, warns_when_the_cost_of_measuring_changed)
{
    struct pcomp_header *header = profile_writer_header(&w);
    memcpy(header->delta_exit, deltas, sizeof deltas);
    header->delta_exit[PCOMP_VARIANT_REPEAT].descendant *= 2;
    node(w.root[0], f, 1, 10, 5);
    load();
    cr_assert(warned("changed by +100 % between start and exit"));
}

Test(call_tree, refuses_nodes_that_lead_nowhere_unless_it_salvages)
{
    uint64_t main = node(w.root[0], f, 1, 1000, 700);
    uint64_t lost = node(main, g, 10, 400, 300);
    node(lost, h, 5, 100, 80);
    ((struct pcomp_node *)profile_writer_at(&w, lost))->parent = 0x123456;
    profile_writer_finish(&w);
    cr_assert_null(call_tree_from_memory(w.data, w.size, &options, error, sizeof error));
    cr_assert_not_null(strstr(error, "expected a link to the parent node, found 0x123456 (--salvage"), "%s", error);
    options.salvage = true;
    load();
    assert_times(function(F)->exclusive, 1000, 700);
    cr_assert_eq(tree->node_count, 3);
}

Test(call_tree, refuses_nodes_that_are_their_own_ancestors)
{
    uint64_t a = node(w.root[0], f, 1, 1000, 700), b = node(a, g, 1, 1, 1);
    ((struct pcomp_node *)profile_writer_at(&w, a))->parent = b;
    profile_writer_finish(&w);
    cr_assert_null(call_tree_from_memory(w.data, w.size, &options, error, sizeof error));
    cr_assert_not_null(strstr(error, "expected a parent that leads to a root"), "%s", error);
    options.salvage = true;
    load();
    cr_assert_eq(tree->node_count, 2);
}

Test(call_tree, takes_parents_that_come_later_in_the_file)
{
    uint64_t child = node(w.root[0], g, 1, 300, 200), parent = node(w.root[0], f, 1, 1000, 700);
    ((struct pcomp_node *)profile_writer_at(&w, child))->parent = parent;
    load();
    assert_times(function(F)->exclusive, 700, 500);
}

Test(call_tree, joins_a_function_that_was_unloaded_and_loaded_again)
{
    uint32_t again = profile_writer_module(&w, "/bin/prog", 0x800000, 0x10000);
    uint32_t same = profile_writer_function(&w, again, 0x800010, NULL);
    node(w.root[0], f, 1, 1000, 700);
    node(w.root[0], same, 2, 100, 70);
    load();
    cr_assert_eq(function(F)->calls, 3);
    cr_assert_eq(tree->node_count, 3);
}

Test(folded_call_tree, takes_exclusive_times_from_the_file, .fini = end)
{
    begin_with(PCOMP_FLAG_FOLD_RECURSION, 0);
    uint64_t main = node(w.root[0], f, 10, 1000, 700);
    struct pcomp_node_exclusive *exclusive = (struct pcomp_node_exclusive *)(profile_writer_extra(&w, main) + 1);
    *exclusive = (struct pcomp_node_exclusive){.raw = 900, .compensated = FIXED(600)};
    load();
    assert_times(function(F)->inclusive, 1000, 700);
    assert_times(function(F)->exclusive, 900, 600);
    options.model = PCOMP_MODEL_NONE;
    load();
    assert_times(function(F)->exclusive, 900, 900);
    options.model = PCOMP_MODEL_PAPER;
    load();
    cr_assert(warned("cannot be derived under another model"));
    assert_times(function(F)->exclusive, 900, 600);
}

Test(counted_call_tree, has_counters_in_the_same_shape, .fini = end)
{
    begin_with(0, 2);
    uint64_t main = node(w.root[0], f, 1, 1000, 700), leaf = node(main, g, 1, 1, 1);
    struct pcomp_node_counter *of_main = (struct pcomp_node_counter *)(profile_writer_extra(&w, main) + 1);
    of_main[1] = (struct pcomp_node_counter){.raw = 500, .compensated = FIXED(400)};
    struct pcomp_node_counter *of_leaf = (struct pcomp_node_counter *)(profile_writer_extra(&w, leaf) + 1);
    of_leaf[1] = (struct pcomp_node_counter){.raw = 100, .compensated = FIXED(90)};
    load();
    cr_assert_eq(tree->counter_count, 2);
    cr_assert_str_eq(tree->counter_names[1], "COUNTER_1");
    const struct tree_counter *c = &function(F)->counters[1];
    cr_assert_float_eq(c->raw_inclusive, 500, 1e-9);
    cr_assert_float_eq(c->raw_exclusive, 400, 1e-9);
    cr_assert_float_eq(c->compensated_inclusive, 400, 1e-9);
    cr_assert_float_eq(c->compensated_exclusive, 310, 1e-9);
    cr_assert_float_eq(tree->nodes[0].counters[1].raw_inclusive, 500, 1e-9);
}

Test(call_tree_by_site, keeps_call_sites_apart_and_shows_native_frames, .fini = end)
{
    begin_with(PCOMP_FLAG_NATIVE_FRAMES, 0);
    uint64_t native = profile_writer_text(&w, "0x400333 0x400334 0x999", 24);
    uint64_t main = node(w.root[0], f, 1, 1000, 700);
    uint64_t one = profile_writer_node(
        &w, thread, main, g, (struct writer_counts){.calls = 1, .raw = 10, .compensated = FIXED(9), .site = 0x400111});
    profile_writer_node(&w, thread, main, g,
                        (struct writer_counts){.calls = 2, .raw = 10, .compensated = FIXED(8), .site = 0x400222});
    profile_writer_extra(&w, one)->native_link = native;
    load();
    cr_assert_eq(tree->node_count, 5);
    const struct tree_node *n =
        &tree->nodes[tree->nodes[tree->nodes[tree->nodes[0].first_child].first_child].next_sibling];
    cr_assert_eq(n->calls, 2);
    cr_assert_str_eq(n->call_site, "prog+0x222");
    n = &tree->nodes[tree->nodes[tree->nodes[0].first_child].first_child];
    cr_assert_str_eq(n->native, "prog+0x333 > prog+0x334 > 0x999");
    cr_assert_eq(function(G)->calls, 3);
}
