/* Times from sampled stacks, of functions of this very program: shares of timed nodes, sums that hold, costs, and calls
 * known from windows. */
#include "compensation/estimate/site_price.h"
#include "compensation/estimate/window_calls.h"
#include "compensation/numeric/t_quantile.h"
#include "reporters/tree/call_tree.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1e6 /* ns */

/* timed_main (100 ms) calls timed_inner (20 of them) and what is counted alone. Ids in this order from 2. */
enum { MAIN = PCOMP_FUNCTION_FIRST, INNER, F, G, COUNT };

/* Frames of samples lie a few bytes behind the beginning of these. */
static volatile int used;
__attribute__((noinline)) static void timed_main(void)
{
    used += 1;
}
__attribute__((noinline)) static void timed_inner(void)
{
    used += 2;
}
__attribute__((noinline)) static void counted_f(void)
{
    used += 3;
}
__attribute__((noinline)) static void counted_g(void)
{
    used += 4;
}

static struct profile_writer w;
static struct call_tree *tree;
static struct call_tree_options options;
static char error[512];
static uint64_t main_node, inner_node, bias;

static uint64_t address_of(int function)
{
    static void (*const functions[])(void) = {timed_main, timed_inner, counted_f, counted_g};
    return (uint64_t)(uintptr_t)functions[function - MAIN];
}

static struct writer_counts timed(uint64_t calls, double ms)
{
    uint64_t ns = (uint64_t)(ms * MS);
    return (struct writer_counts){.calls = calls, .raw = ns, .compensated = (int64_t)ns << PCOMP_FIX_SHIFT};
}

static int load_bias(struct dl_phdr_info *info, size_t size, void *to)
{
    (void)size;
    *(uint64_t *)to = info->dlpi_addr;
    return 1; /* the program comes first */
}

static void init(void)
{
    char *own = realpath("/proc/self/exe", NULL);
    for (int f = MAIN; f < COUNT; f++)
        ((void (*)(void))(uintptr_t)address_of(f))();
    dl_iterate_phdr(load_bias, &bias);
    options = (struct call_tree_options){.rank = -1, .model = -1};
    profile_writer_init(&w, PCOMP_FLAG_COUNTS, 0);
    uint32_t module = profile_writer_module(&w, own, bias, 1 << 26);
    free(own);
    for (int f = MAIN; f < COUNT; f++)
        profile_writer_function(&w, module, address_of(f), NULL);
    for (int f = F; f <= G; f++)
        profile_writer_function_at(&w, (uint32_t)f)->flags = PCOMP_FUNCTION_COUNTED;
    profile_writer_thread(&w, 1, "main", PCOMP_THREAD_MAIN);
    main_node = profile_writer_node(&w, 0, w.root[0], MAIN, timed(1, 100));
    inner_node = profile_writer_node(&w, 0, main_node, INNER, timed(4, 20));
}

static void fini(void)
{
    call_tree_free(tree);
    tree = NULL;
    profile_writer_free(&w);
}

TestSuite(stack_times, .init = init, .fini = fini);

static void count(uint64_t f, uint64_t g)
{
    const uint64_t counters[] = {0, 0, 1, 4, f, g};
    profile_writer_counters(&w, PCOMP_COUNTS_THREAD, counters, COUNT);
}

static struct pcomp_stack_frame frame(int function, uint64_t node, uint32_t parent, uint32_t weight)
{
    return (struct pcomp_stack_frame){
        .pc = address_of(function) + 2, .node = node, .parent = parent, .hits = weight, .weight = weight};
}

static void load(void)
{
    profile_writer_finish(&w);
    call_tree_free(tree);
    tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
}

/* Read from memory, functions of a module have no other name than their place in it. */
static const struct tree_function *find(const char *name)
{
    static const char *const names[] = {"timed_main", "timed_inner", "counted_f", "counted_g"};
    char place[40];
    snprintf(place, sizeof place, "%s", name);
    for (int f = MAIN; f < COUNT; f++)
        if (!strcmp(names[f - MAIN], name))
            snprintf(place, sizeof place, "test_stack_times+0x%lx", address_of(f) - bias);
    for (size_t i = 0; i < tree->function_count; i++)
        if (!strcmp(tree->functions[i].name, place))
            return &tree->functions[i];
    cr_assert(false, "no function %s", name);
    return NULL;
}

static void assert_near(double found, double wanted, const char *what)
{
    cr_assert(fabs(found - wanted) <= 1e-6 * (1 + fabs(wanted)), "%s: %.6f ms instead of %.6f", what, found / MS,
              wanted / MS);
}

static void assert_times(const char *name, double exclusive_ms, double inclusive_ms)
{
    const struct tree_function *f = find(name);
    assert_near(f->exclusive.raw, exclusive_ms * MS, name);
    assert_near(f->exclusive.compensated, exclusive_ms * MS, name);
    assert_near(f->inclusive.raw, inclusive_ms * MS, name);
    assert_near(f->inclusive.compensated, inclusive_ms * MS, name);
}

/* Exclusive times of functions, and of paths, add up to the totals, and children to their parents. */
static void assert_conserved(void)
{
    double raw = 0, compensated = 0, paths = 0;
    for (size_t i = 0; i < tree->function_count; i++) {
        raw += isnan(tree->functions[i].exclusive.raw) ? 0 : tree->functions[i].exclusive.raw;
        compensated += isnan(tree->functions[i].exclusive.raw) ? 0 : tree->functions[i].exclusive.compensated;
    }
    for (size_t i = 1; i < tree->node_count; i++) {
        double below = tree->nodes[i].exclusive.compensated;
        for (size_t k = 1; k < tree->node_count; k++)
            below += tree->nodes[k].parent == i ? tree->nodes[k].inclusive.compensated : 0;
        assert_near(tree->nodes[i].inclusive.compensated, below, "a node and what is below");
        paths += tree->nodes[i].exclusive.compensated;
    }
    assert_near(raw, tree->total_all_threads.raw, "raw");
    assert_near(compensated, tree->total_all_threads.compensated, "compensated");
    assert_near(paths, tree->total_all_threads.compensated, "paths");
}

Test(stack_times, are_the_shares_of_what_a_timed_node_took_itself)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 50), frame(F, 0, 1, 30), frame(G, 0, 2, 20),
                                               frame(INNER, inner_node, 1, 7)};
    profile_writer_stacks(&w, 0, frames, 4);
    count(1000, 500);
    load();
    assert_times("timed_main", 40, 100);
    assert_times("counted_f", 24, 40);
    assert_times("counted_g", 16, 16);
    assert_times("timed_inner", 20, 20);
    assert_conserved();
    assert_near(tree->total.compensated, 100 * MS, "total");
    cr_assert_eq(tree->how.stack_samples, 107);
    cr_assert_eq(find("counted_f")->calls, 1000);
    cr_assert(find("counted_f")->exact && !find("counted_f")->counted);
    cr_assert_eq(find("counted_f")->level, LEVEL_COUNTED);
    cr_assert_eq(find("timed_main")->level, LEVEL_TIMED);
    /* of 100 samples, 30 % +- 9 points */
    cr_assert_float_eq(find("counted_f")->exclusive.uncertainty, 80 * MS * PCOMP_NORMAL_95 * sqrt(0.3 * 0.7 / 100),
                       0.5 * MS);
}

Test(stack_times, of_recursion_count_once_in_what_they_contain)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 40), frame(F, 0, 1, 10), frame(F, 0, 2, 10),
                                               frame(G, 0, 3, 10), frame(F, 0, 4, 10)};
    profile_writer_stacks(&w, 0, frames, 5);
    count(1000, 500);
    load();
    assert_times("timed_main", 40, 100);
    assert_times("counted_f", 30, 40);
    assert_times("counted_g", 10, 20);
    assert_conserved();
}

/* counted_f calls timed_inner, in which counted_g is found. */
Test(stack_times, contain_what_timed_functions_do_that_they_call)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 60), frame(F, 0, 1, 20),
                                               frame(INNER, inner_node, 2, 3), frame(G, 0, 3, 1)};
    profile_writer_stacks(&w, 0, frames, 4);
    count(0, 1000000);
    load();
    assert_times("timed_main", 60, 100);
    assert_times("counted_f", 20, 40);
    assert_times("timed_inner", 15, 20);
    assert_times("counted_g", 5, 5);
    assert_conserved();
    profile_writer_header(&w)->count_cost = 2 << PCOMP_FIX_SHIFT; /* ns: calls of counted_g cost 2 ms */
    load();
    assert_near(find("timed_inner")->inclusive.compensated, 18 * MS, "inner");
    assert_near(find("counted_f")->inclusive.compensated, 38 * MS, "f");
    assert_near(find("counted_f")->inclusive.raw, 40 * MS, "raw of f");
    assert_conserved();
}

/* counted_f was timed for a millisecond before its level fell: what its activations called then has part of that
 * millisecond, and nothing of what samples found later. */
Test(stack_times, of_a_node_share_out_what_was_clocked_there)
{
    uint64_t f_node = profile_writer_node(&w, 0, main_node, F, timed(10, 1));
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 49), frame(F, f_node, 1, 0), frame(G, 0, 2, 1),
                                               frame(F, 0, 1, 30)};
    profile_writer_stacks(&w, 0, frames, 4);
    count(1000, 500);
    load();
    assert_times("timed_main", 49, 100);
    assert_times("counted_f", 30, 31);
    assert_times("counted_g", 1, 1);
    assert_conserved();
}

Test(stack_times, leave_waiting_where_it_was)
{
    *profile_writer_off_cpu(&w, main_node) = (struct pcomp_node_off_cpu){30 * 1000000, 10 * 1000000};
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 50), frame(F, 0, 1, 50)};
    profile_writer_stacks(&w, 0, frames, 2);
    count(1000, 0);
    load();
    assert_times("timed_main", 60, 100);
    assert_times("counted_f", 20, 20);
    assert_near(find("timed_main")->exclusive.waiting, 30 * MS, "waiting");
    assert_near(find("timed_main")->exclusive.ready, 10 * MS, "ready");
    assert_near(find("counted_f")->exclusive.waiting, 0, "waiting of f");
    assert_conserved();
}

Test(stack_times, lose_what_counting_and_sampling_cost)
{
    struct pcomp_header *h = profile_writer_header(&w);
    const struct pcomp_stack_frame frames[] = {
        frame(MAIN, main_node, 0, 60), frame(F, 0, 1, 20), {.pc = 0x1234, .hits = 1, .weight = 1}}; /* nobody's */
    h->count_cost = 2 << PCOMP_FIX_SHIFT;                                                           /* ns */
    profile_writer_stacks(&w, 0, frames, 3);
    h = profile_writer_header(&w);
    h->sample_ticks = h->samples * 3000;
    h->sample_delivery = 2000 << PCOMP_FIX_SHIFT;
    count(1000000, 0);
    load();
    double signals = 80 * 5e-3, calls = 2; /* ms */
    assert_near(find("counted_f")->exclusive.raw, 20 * MS, "raw of f");
    assert_near(find("counted_f")->exclusive.compensated, (20 - calls - 20 * 5e-3) * MS, "f");
    assert_near(find("timed_main")->exclusive.compensated, (60 - 60 * 5e-3) * MS, "main");
    assert_near(find("timed_main")->inclusive.compensated, (100 - calls - signals) * MS, "main");
    cr_assert_eq(find("[counting in place]")->exclusive.compensated, 0, "it is not unknown whose cost that is");
    cr_assert_eq(find("[counting in place]")->exclusive.uncertainty, 0);
    assert_near(tree->total.compensated, (100 - calls - signals) * MS, "total");
    assert_conserved();
    options.model = PCOMP_MODEL_NONE;
    load();
    assert_times("counted_f", 20, 20);
    assert_conserved();
}

Test(stack_times, allow_for_an_unsteady_machine_and_for_exceptions)
{
    count(1000, 500);
    load();
    double before = find("timed_main")->inclusive.uncertainty, layout = PCOMP_SITE_LAYOUT * 100 * MS;
    assert_near(tree->total.uncertainty, hypot(before, layout), "sites move code");
    profile_writer_header(&w)->speed_scatter = 0.02;
    load();
    double unsteady = hypot(before, PCOMP_NORMAL_95 * 0.02 * 100 * MS);
    assert_near(tree->total.uncertainty, hypot(unsteady, layout), "total");
    assert_near(find("timed_main")->inclusive.uncertainty, unsteady, "main");
    profile_writer_header(&w)->catches = 1000;
    load();
    assert_near(tree->total.uncertainty, hypot(hypot(unsteady, layout), 5 * MS), "with exceptions");
    profile_writer_header(&w)->site_sleds = 1;
    load();
    assert_near(find("timed_main")->inclusive.uncertainty, unsteady, "sleds have no clean-up");
    assert_near(tree->total.uncertainty, hypot(unsteady, PCOMP_SITE_LAYOUT_SLEDS * 100 * MS), "total of sleds");
}

Test(stack_times, outside_of_timed_functions_are_periods)
{
    profile_writer_thread(&w, 2, "worker", 0);
    const struct pcomp_stack_frame frames[] = {
        frame(F, 0, 0, 5), frame(G, 0, 1, 3), {.pc = 0x1234, .hits = 1, .weight = 2}};
    profile_writer_stacks(&w, 1, frames, 3);
    count(1000, 500);
    load();
    assert_times("counted_f", 5, 8);
    assert_times("counted_g", 3, 3);
    assert_near(tree->nodes[0].inclusive.compensated, 108 * MS, "root, without what is in no function");
    assert_near(tree->threads[1].compensated, 8 * MS, "thread");
    assert_conserved();
}

Test(stack_times, of_several_chunks_have_numbers_through_all_of_them)
{
    const struct pcomp_stack_frame first[] = {frame(MAIN, main_node, 0, 40), frame(F, 0, 1, 0)},
                                   others[] = {frame(F, 0, 0, 5)}, second[] = {frame(G, 0, 2, 40)};
    profile_writer_thread(&w, 2, "worker", 0);
    profile_writer_stacks(&w, 0, first, 2);
    profile_writer_stacks(&w, 1, others, 1);
    profile_writer_stacks(&w, 0, second, 1);
    count(1000, 500);
    load();
    assert_times("timed_main", 40, 100);
    assert_times("counted_f", 5, 45);
    assert_times("counted_g", 40, 40);
}

Test(stack_times, of_the_library_are_nobodys)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 50),
                                               frame(F, 0, 1, 50),
                                               {.pc = PCOMP_STACK_LIBRARY, .hits = 900, .weight = 900},
                                               {.pc = PCOMP_STACK_UNKNOWN, .node = inner_node},
                                               {.pc = address_of(G) + 2, .parent = 4, .hits = 5, .weight = 5}};
    profile_writer_stacks(&w, 0, frames, 5);
    count(1000, 500);
    load();
    assert_times("timed_main", 40, 100);
    assert_times("counted_f", 40, 40);
    assert_times("counted_g", 20, 20);
    assert_times("timed_inner", 0, 20);
    assert_conserved();
}

/* Whatever a damaged file says: times are numbers, and sums hold. */
Test(stack_times, of_damaged_frames_do_no_harm)
{
    const uint64_t nodes[] = {1, 8, WRITER_BASE, WRITER_BASE + 8, main_node + 1, w.root[0], UINT64_MAX, UINT64_MAX - 7};
    struct pcomp_stack_frame frames[40];
    uint32_t n = 0;
    frames[n++] = frame(MAIN, main_node, 0, 40);
    frames[n++] = frame(F, 0, 1, 40);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        frames[n++] = frame(G, nodes[i], 2, 1);
    for (uint32_t i = 0; i < 4; i++, n++)
        frames[n] = frame(F, 0, n + 1 + i, 1); /* its own number, or one behind */
    frames[n++] = frame(F, 0, UINT32_MAX, 1);
    frames[n] = frame(F, 0, 2, 1);
    frames[n++].hits = UINT32_MAX;
    frames[n] = frame(G, 0, 2, 1);
    frames[n++].pc = UINT64_MAX;
    frames[n] = frame(G, 0, 2, 1);
    frames[n++].pc = 2;
    profile_writer_stacks(&w, 0, frames, n);
    count(1000, 500);
    load();
    for (size_t i = 0; i < tree->node_count; i++)
        cr_assert(isfinite(tree->nodes[i].inclusive.compensated) && isfinite(tree->nodes[i].exclusive.uncertainty));
    cr_assert_geq(find("counted_f")->exclusive.raw, 30 * MS);
    cr_assert_leq(find("counted_f")->inclusive.raw, 110 * MS);
    double paths = 0;
    for (size_t i = 1; i < tree->node_count; i++)
        paths += tree->nodes[i].exclusive.compensated;
    cr_assert_leq(paths, tree->total_all_threads.compensated + 1);
}

/* --- Calls known from windows
 * ------------------------------------------------------------------------------------------ */

/* Ten windows of 1 ms in 100 ms, with a thousand calls or so in each. */
static struct pcomp_sampled_calls windows_of(uint32_t function, double scatter)
{
    struct pcomp_sampled_calls r = {.function = function, .sampled = 1, .exact = 5000};
    pcomp_window_calls_begin(&r.sums, 1e6);
    for (int k = 0; k < 10; k++)
        pcomp_window_calls_add(&r.sums, 1000 + (k % 2 ? scatter : -scatter), 1e-3, 0, 9e-3, 0.5);
    pcomp_window_calls_end(&r.sums, 0);
    return r;
}

static void load_windows(const struct pcomp_sampled_calls *records, uint32_t n)
{
    profile_writer_function_at(&w, F)->flags = PCOMP_FUNCTION_COUNTED | PCOMP_FUNCTION_SAMPLED;
    profile_writer_windows(&w, records, n);
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 50), frame(F, 0, 1, 50)};
    profile_writer_stacks(&w, 0, frames, 2);
    count(15000, 500);
    load();
}

Test(stack_times, go_with_calls_that_windows_tell)
{
    const struct pcomp_sampled_calls r = windows_of(F, 100);
    load_windows(&r, 1);
    struct pcomp_window_estimate e = pcomp_window_calls_estimate(&r.sums, 0, (struct pcomp_window_overhead){1, 0.25});
    const struct tree_function *f = find("counted_f");
    cr_assert_eq(f->level, LEVEL_SAMPLED);
    cr_assert_not(f->exact);
    cr_assert_float_eq((double)f->calls, 105000, 2000);
    cr_assert_float_eq((double)f->calls, 5000 + e.calls, 1);
    cr_assert_float_eq(f->calls_deviation * PCOMP_NORMAL_95, e.half, 1);
    cr_assert_gt(f->calls_deviation, 0);
    assert_times("counted_f", 40, 40);
    cr_assert(find("counted_g")->exact);
    cr_assert_eq(find("counted_g")->calls, 500);
    cr_assert_eq(tree->counting.sampled, 1);
    cr_assert_float_eq(tree->total_all_threads.calls_half, e.half, 1);
    assert_conserved();
}

/* One price of probes, the same windows: a sum of halves, not of squares. */
Test(stack_times, calls_of_two_sampled_functions_err_together)
{
    struct pcomp_sampled_calls two[] = {windows_of(F, 100), windows_of(G, 50)};
    two[1].exact = 100; /* of 500 that its counter has */
    profile_writer_function_at(&w, G)->flags = PCOMP_FUNCTION_COUNTED | PCOMP_FUNCTION_SAMPLED;
    load_windows(two, 2);
    double halves = (find("counted_f")->calls_deviation + find("counted_g")->calls_deviation) * PCOMP_NORMAL_95;
    cr_assert_gt(find("counted_g")->calls_deviation, 0);
    cr_assert_float_eq(tree->total_all_threads.calls_half, halves, 1);
}

/* Overhead in windows was half of what they took it for: the program came further in them, and calls are fewer. */
Test(stack_times, go_with_calls_that_a_reference_corrects)
{
    struct pcomp_sampled_calls r = windows_of(F, 100);
    r.sums.slope = r.sums.beside; /* as much overhead in windows as progress */
    struct pcomp_header *h = profile_writer_header(&w);
    h->window_factor = 0.5;
    h->window_factor_error = 0.02;
    load_windows(&r, 1);
    struct pcomp_window_estimate e = pcomp_window_calls_estimate(&r.sums, 0, (struct pcomp_window_overhead){0.5, 0.02});
    cr_assert_float_eq((double)find("counted_f")->calls, 5000 + e.calls, 1);
    cr_assert_float_eq(e.calls, r.sums.seen + r.sums.beside / 1.5, 1);
}

Test(stack_times, lose_what_sites_cost_as_no_ops)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 60), frame(F, 0, 1, 40)};
    profile_writer_stacks(&w, 0, frames, 2);
    struct pcomp_header *h = profile_writer_header(&w);
    h->site_enters = 4;
    h->end_tick = 1000 + (uint64_t)(100 * MS); /* the thread began at 1000 */
    count(10000000, 0);
    load();
    double hooks = tree->counting.sites;
    cr_assert(hooks > 4 * MS && hooks < 6 * MS, "%g ns, of 10 M calls in 0.1 s", hooks);
    cr_assert(tree->counting.hook_sites);
    assert_near(tree->total.compensated, 100 * MS - hooks, "total");
    assert_conserved();
}

/* It returned: what its counter has since then is exact, too. */
Test(stack_times, go_with_calls_of_a_function_that_is_sampled_no_more)
{
    struct pcomp_sampled_calls r = windows_of(F, 0);
    r.sampled = 0;
    r.exact = (uint64_t)-10000; /* of 15000, all but those in windows */
    load_windows(&r, 1);
    cr_assert_float_eq((double)find("counted_f")->calls, 105000, 1);
}

Test(stack_times, take_no_damaged_windows)
{
    struct pcomp_sampled_calls r[6];
    for (int i = 0; i < 6; i++)
        r[i] = windows_of(F, 0);
    r[0].function = 1000;
    r[1].exact = 15001; /* more than were counted */
    r[2].sums.beside = NAN;
    r[3].sums.seen = -INFINITY;
    r[4].sums.variation = r[4].sums.slope = NAN;
    r[5].sampled = 0;
    r[5].exact = 1;
    load_windows(r, 6);
    const struct tree_function *f = find("counted_f");
    cr_assert(isfinite(f->calls_deviation));
    cr_assert(f->calls == 15000 || !f->exact, "%lu", f->calls);
    assert_conserved();
    fini();
    init();
    r[0] = windows_of(F, 0);
    r[0].sums.beside = r[0].sums.seen = 1e300;
    load_windows(r, 1);
    cr_assert(isfinite(find("counted_f")->calls_deviation));
    assert_conserved();
}
