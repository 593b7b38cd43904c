/* Calls that were counted in place: N from the counters, times from what was timed, and sums that hold. */
#include "compensation/estimate/site_price.h"
#include "reporters/tree/call_tree.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* main > hot (fell after 50 calls), main > rare > hot; `off` is filtered out. Ids in this order from 2. */
enum { MAIN = PCOMP_FUNCTION_FIRST, HOT, RARE, OFF, COUNT };

static struct profile_writer w;
static struct call_tree *tree;
static struct call_tree_options options;
static char error[512];
static uint64_t main_node;

static struct writer_counts timed(uint64_t calls, uint64_t ns)
{
    return (struct writer_counts){.calls = calls, .raw = ns, .compensated = (int64_t)ns << PCOMP_FIX_SHIFT};
}

static void begin(uint32_t flags)
{
    static const char *const names[] = {"main", "hot", "rare", "off"};
    options = (struct call_tree_options){.rank = -1, .model = -1};
    profile_writer_init(&w, PCOMP_FLAG_COUNTS | flags, 0);
    for (int i = 0; i < COUNT - MAIN; i++)
        profile_writer_function(&w, UINT32_MAX, 0x1000 + 16 * (uint64_t)i, names[i]);
    profile_writer_function_at(&w, HOT)->flags = PCOMP_FUNCTION_REGION | PCOMP_FUNCTION_COUNTED;
    profile_writer_function_at(&w, OFF)->flags = PCOMP_FUNCTION_REGION | PCOMP_FUNCTION_OFF;
    profile_writer_thread(&w, 1, "main", PCOMP_THREAD_MAIN);
    main_node = profile_writer_node(&w, 0, w.root[0], MAIN, timed(1, 100000));
    profile_writer_node(&w, 0, main_node, HOT, timed(50, 5000));
    uint64_t rare = profile_writer_node(&w, 0, main_node, RARE, timed(3, 20000));
    profile_writer_node(&w, 0, rare, HOT, timed(10, 1000));
    profile_writer_header(&w)->count_cost = 2 << PCOMP_FIX_SHIFT; /* 2 ns */
}

static void init(void)
{
    begin(0);
}

static void fini(void)
{
    call_tree_free(tree);
    profile_writer_free(&w);
}

TestSuite(counts, .init = init, .fini = fini);

static void load(void)
{
    profile_writer_finish(&w);
    call_tree_free(tree);
    tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
}

static void count(enum pcomp_counts_kind kind, uint64_t main, uint64_t hot, uint64_t rare)
{
    const uint64_t counters[] = {0, 0, main, hot, rare, 0};
    profile_writer_counters(&w, kind, counters, COUNT);
}

static const struct tree_function *find(const char *name)
{
    for (size_t i = 0; i < tree->function_count; i++)
        if (!strcmp(tree->functions[i].name, name))
            return &tree->functions[i];
    cr_assert(false, "no function %s", name);
    return NULL;
}

/* Exclusive times of functions, and of paths, add up to the totals. */
static void assert_conserved(void)
{
    double raw = 0, compensated = 0, paths_raw = 0, paths = 0;
    for (size_t i = 0; i < tree->function_count; i++) {
        raw += isnan(tree->functions[i].exclusive.raw) ? 0 : tree->functions[i].exclusive.raw;
        compensated += isnan(tree->functions[i].exclusive.raw) ? 0 : tree->functions[i].exclusive.compensated;
    }
    for (size_t i = 1; i < tree->node_count; i++) {
        paths_raw += tree->nodes[i].exclusive.raw;
        paths += tree->nodes[i].exclusive.compensated;
    }
    cr_assert_float_eq(raw, tree->total_all_threads.raw, 1e-6);
    cr_assert_float_eq(compensated, tree->total_all_threads.compensated, 1e-6);
    cr_assert_float_eq(paths_raw, tree->total_all_threads.raw, 1e-6);
    cr_assert_float_eq(paths, tree->total_all_threads.compensated, 1e-6);
}

Test(counts, are_the_sum_over_all_blocks)
{
    count(PCOMP_COUNTS_THREAD, 1, 500, 3);
    const uint64_t grown[] = {0, 0, 0, 60};
    profile_writer_counters(&w, PCOMP_COUNTS_THREAD, grown, 4); /* fewer counters than functions */
    count(PCOMP_COUNTS_ENDED, 0, 400, 0);
    load();
    cr_assert_eq(find("hot")->calls, 960);
    cr_assert_eq(find("hot")->in_place, 900);
    cr_assert_eq(find("rare")->calls, 3);
    cr_assert_str_eq(tree->mode, "auto");
    cr_assert_eq(find("hot")->level, LEVEL_COUNTED);
    cr_assert_eq(find("rare")->level, LEVEL_TIMED);
    cr_assert_eq(find("off")->level, LEVEL_OFF);
    cr_assert(find("off")->off);
    cr_assert(find("hot")->exact);
    cr_assert_eq(tree->total_all_threads.calls, 964);
    cr_assert_eq(tree->total.calls, 964);
    cr_assert_eq(tree->counting.timed, 2);
    cr_assert_eq(tree->counting.counted, 1);
    cr_assert_eq(tree->counting.off, 1);
    cr_assert_eq(tree->counting.bytes, (COUNT + 4 + COUNT) * sizeof(uint64_t));
}

Test(counts, of_a_counted_function_leave_no_times_but_those_on_its_paths)
{
    count(PCOMP_COUNTS_THREAD, 1, 1060, 3);
    load();
    const struct tree_function *hot = find("hot");
    cr_assert(hot->counted && !hot->resolved);
    cr_assert(isnan(hot->inclusive.raw) && isnan(hot->exclusive.compensated) && isnan(hot->min));
    cr_assert_float_eq(hot->before.raw, 6000, 1e-9);
    const struct tree_function *before = find("[timed before counted]");
    cr_assert(before->sum);
    cr_assert_float_eq(before->exclusive.compensated, 6000, 1e-9);
    cr_assert_eq(&tree->functions[tree->counting.before], before);
    assert_conserved();
}

Test(counts, cost_what_is_taken_off_the_total)
{
    count(PCOMP_COUNTS_THREAD, 1, 1060, 3);
    load();
    cr_assert_float_eq(tree->counting.cost, 2000, 1e-9); /* 1000 calls, of 2 ns */
    cr_assert_float_eq(tree->total.compensated, 98000, 1e-9);
    cr_assert_float_eq(tree->total.overhead, 2000, 1e-9);
    cr_assert_float_eq(tree->total.uncertainty, hypot(1000, PCOMP_SITE_LAYOUT * 98000), 1);
    const struct tree_function *cost = &tree->functions[tree->counting.function];
    cr_assert_str_eq(cost->name, "[counting in place]");
    cr_assert_float_eq(cost->exclusive.compensated, -2000, 1e-9);
    /* it lies in main, which is all of the program, and in which of its functions is not known: up to twice the mean
     * share */
    cr_assert_float_eq(find("main")->inclusive.compensated, 98000, 1e-9);
    cr_assert_float_eq(find("main")->inclusive.uncertainty, 1000, 1);
    for (uint32_t n = tree->nodes[0].first_child; n != UINT32_MAX; n = tree->nodes[n].next_sibling)
        cr_assert_neq(tree->nodes[n].function, tree->counting.function, "it stands beside main");
    cr_assert_float_eq(find("rare")->exclusive.uncertainty, 2 * 0.02 * 19000, 1);
    assert_conserved();
}

Test(counts, cost_nothing_under_the_model_none_and_the_same_under_paper)
{
    count(PCOMP_COUNTS_THREAD, 1, 1060, 3);
    options.model = PCOMP_MODEL_NONE;
    load();
    cr_assert_float_eq(tree->total.compensated, 100000, 1e-9);
    assert_conserved();
    options.model = PCOMP_MODEL_PAPER;
    load();
    cr_assert_float_eq(tree->total.compensated, 98000, 1e-9);
    cr_assert_float_eq(tree->functions[tree->counting.function].exclusive.compensated, -2000, 1e-9);
    cr_assert_float_eq(tree->functions[tree->counting.function].exclusive.uncertainty, 1000, 1);
    cr_assert_float_eq(tree->functions[tree->counting.function].inclusive.uncertainty, 1000, 1);
}

Test(counts, without_locks_are_inexact_and_in_no_time)
{
    count(PCOMP_COUNTS_THREAD, 1, 60, 3);
    count(PCOMP_COUNTS_COMMON, 0, 7, 1);
    count(PCOMP_COUNTS_AFTER, 0, 2, 0);
    load();
    cr_assert_eq(find("hot")->calls, 69);
    cr_assert_eq(find("hot")->calls_inexact, 9);
    cr_assert_not(find("hot")->exact);
    cr_assert_eq(find("rare")->calls_inexact, 1);
    cr_assert_eq(find("main")->calls_inexact, 0);
    cr_assert(find("main")->exact);
    cr_assert_eq(tree->counting.inexact, 10);
    cr_assert_float_eq(tree->total.overhead, 0, 1e-9);
    bool warned = false;
    for (size_t i = 0; i < tree->warning_count; i++)
        warned |= strstr(tree->warnings[i], "10 calls were counted without locks") != NULL;
    cr_assert(warned);
}

Test(counts, below_those_on_paths_do_not_add_up_twice)
{
    count(PCOMP_COUNTS_THREAD, 1, 60, 3);
    profile_writer_node(&w, 0, main_node, PCOMP_FUNCTION_BEYOND, timed(5, 100)); /* hot, below the depth limit */
    count(PCOMP_COUNTS_THREAD, 0, 5, 0);
    load();
    cr_assert_eq(find("hot")->calls, 65);
    cr_assert_eq(tree->total_all_threads.calls, 69);
}

Test(counts, of_a_thread_are_not_known_where_there_are_several)
{
    profile_writer_thread(&w, 2, "worker", 0);
    profile_writer_node(&w, 1, w.root[1], RARE, timed(4, 8000));
    ((struct pcomp_thread *)profile_writer_at(&w, w.record[1]))->end_tick = 9000;
    count(PCOMP_COUNTS_THREAD, 1, 1060, 3);
    count(PCOMP_COUNTS_ENDED, 0, 500, 4);
    load();
    cr_assert(tree->total.calls_partial);
    cr_assert_not(tree->total_all_threads.calls_partial);
    cr_assert_eq(tree->total_all_threads.calls, 1 + 1560 + 7);
    /* one thread lives, and one has ended, so that each has its own cost */
    cr_assert_float_eq(tree->threads[0].compensated, 100000 - 2 * 1500. * 1060 / 1560, 1e-6);
    cr_assert_float_eq(tree->threads[1].compensated, 8000 - 2 * 1500. * 500 / 1560, 1e-6);
    assert_conserved();
    options.thread = 2;
    load();
    cr_assert(tree->total_all_threads.calls_partial);
    cr_assert_eq(find("rare")->calls, 4);
    assert_conserved();
}

Test(counts, of_threads_that_share_a_block_widen_their_uncertainty)
{
    for (int i = 2; i < 4; i++) {
        uint32_t t = profile_writer_thread(&w, i, "worker", 0);
        profile_writer_node(&w, t, w.root[t], RARE, timed(4, 8000));
    }
    count(PCOMP_COUNTS_THREAD, 1, 3060, 11);
    load();
    cr_assert_float_eq(tree->threads[1].compensated, 6000, 1e-6); /* all lived as long */
    cr_assert_gt(tree->threads[1].uncertainty, 4000);             /* or the other two had all of it */
    double whole = tree->total_all_threads.compensated;
    cr_assert_float_eq(tree->total_all_threads.uncertainty, hypot(3000, PCOMP_SITE_LAYOUT * whole), 3);
    assert_conserved();
}

/* Main waits; the workers ran 1 and 3 parts of 10, the rest is not known of. */
Test(counts, of_threads_that_share_a_block_cost_as_they_ran)
{
    for (int i = 2; i < 4; i++) {
        uint32_t t = profile_writer_thread(&w, i, "worker", 0);
        profile_writer_node(&w, t, w.root[t], RARE, timed(4, 40000));
    }
    static const uint64_t ran[] = {500, 10000, 30000};
    for (int t = 0; t < 3; t++) {
        struct pcomp_thread *thread = profile_writer_at(&w, w.record[t]);
        thread->cpu1_ns = ran[t];
        thread->seen_tick = thread->start_tick + 100000;
        thread->end_tick = thread->seen_tick;
    }
    count(PCOMP_COUNTS_THREAD, 1, 3060, 11);
    load();
    double cost = 6000, whole = 40500;
    cr_assert_float_eq(tree->threads[1].compensated, 40000 - cost * ran[1] / whole, 1e-6);
    cr_assert_float_eq(tree->threads[2].compensated, 40000 - cost * ran[2] / whole, 1e-6);
    cr_assert_gt(tree->threads[1].uncertainty, cost - cost * ran[1] / whole, "or it had all of it");
    cr_assert_lt(tree->threads[0].uncertainty, 1.01 * hypot(500, PCOMP_SITE_LAYOUT * 100000), "it ran no longer");
    assert_conserved();
}

/* Main ended the process, while a worker waited. */
Test(counts, of_the_thread_that_ended_the_process_are_not_those_of_threads_that_live)
{
    uint32_t t = profile_writer_thread(&w, 2, "worker", 0);
    profile_writer_node(&w, t, w.root[t], RARE, timed(1, 90000));
    struct pcomp_thread *main = profile_writer_at(&w, w.record[0]), *worker = profile_writer_at(&w, w.record[t]);
    main->flags |= PCOMP_THREAD_LAST;
    main->cpu1_ns = 99000;
    main->seen_tick = main->end_tick = main->start_tick + 100000;
    worker->cpu1_ns = 1000;
    worker->seen_tick = profile_writer_header(&w)->end_tick;
    count(PCOMP_COUNTS_THREAD, 1, 3060, 8);
    load();
    cr_assert_float_eq(tree->threads[0].compensated, 100000 - 0.99 * 6000, 1e-6);
    cr_assert_float_eq(tree->threads[1].compensated, 90000 - 0.01 * 6000, 1e-6);
    assert_conserved();
}

/* A running process, or a killed one: what is open is timed, too. */
Test(counts, of_a_process_that_did_not_end_are_read_as_they_are)
{
    profile_writer_header(&w)->state = PCOMP_STATE_LIVE;
    profile_writer_header(&w)->end_tick = 0;
    struct pcomp_frame frames[2] = {{.node = w.root[0], .start = 1000}, {.node = main_node, .start = 200000}};
    profile_writer_stack(&w, 0, 0, 1, frames, 2);
    count(PCOMP_COUNTS_THREAD, 2, 1060, 3);
    load();
    cr_assert(tree->processes[0].killed);
    cr_assert_eq(find("main")->calls, 2);
    cr_assert_eq(find("main")->open, 1);
    cr_assert_eq(find("hot")->calls, 1060);
    cr_assert_eq(tree->total_all_threads.calls, 1065);
    assert_conserved();
}

Test(counts, without_any_call_on_a_path_leave_times_unknown)
{
    const uint64_t counters[] = {0, 0, 1, 60, 3, 0, 9};
    profile_writer_function(&w, UINT32_MAX, 0x2000, "elsewhere");
    profile_writer_counters(&w, PCOMP_COUNTS_COMMON, counters + 6, 0);
    profile_writer_counters(&w, PCOMP_COUNTS_AFTER, counters, 7);
    load();
    cr_assert_eq(find("elsewhere")->calls, 9);
    cr_assert(isnan(find("elsewhere")->exclusive.raw));
    cr_assert_eq(find("elsewhere")->level, LEVEL_TIMED);
}

Test(counts, hold_with_folded_recursion)
{
    profile_writer_free(&w);
    begin(PCOMP_FLAG_FOLD_RECURSION);
    count(PCOMP_COUNTS_THREAD, 1, 1060, 3);
    load();
    cr_assert_float_eq(tree->total.compensated, 98000, 1e-9);
    cr_assert_float_eq(tree->functions[tree->counting.function].exclusive.compensated, -2000, 1e-9);
}

/* --- Computing, waiting, ready ------------------------------------------------------------------------------------ */

static void off(uint64_t node, uint64_t waiting, uint64_t ready)
{
    *profile_writer_off_cpu(&w, node) = (struct pcomp_node_off_cpu){waiting, ready};
}

static void assert_off(const struct tree_times *times, double waiting, double ready)
{
    cr_assert_float_eq(times->waiting, waiting, 1e-9);
    cr_assert_float_eq(times->ready, ready, 1e-9);
}

Test(counts, know_when_threads_waited_on_every_path_above)
{
    uint64_t step = profile_writer_function(&w, UINT32_MAX, 0x2000, "step");
    uint64_t rare = profile_writer_node(&w, 0, main_node, (uint32_t)step, timed(2, 30000));
    uint64_t inner = profile_writer_node(&w, 0, rare, (uint32_t)step, timed(1, 10000));
    off(w.root[0], 900, 90); /* before any timed function: in no time of a function */
    off(main_node, 1000, 100);
    off(rare, 2000, 200);
    off(inner, 4000, 400);
    count(PCOMP_COUNTS_THREAD, 1, 60, 3);
    load();
    cr_assert(tree->knows_waiting);
    assert_off(&find("main")->exclusive, 1000, 100);
    assert_off(&find("main")->inclusive, 7000, 700);
    assert_off(&find("step")->exclusive, 6000, 600);
    assert_off(&find("step")->inclusive, 6000, 600); /* of the outermost activations */
    assert_off(&find("rare")->inclusive, 0, 0);
    cr_assert(isnan(find("hot")->inclusive.waiting) && isnan(find("hot")->exclusive.ready));
    assert_off(&tree->nodes[0].inclusive, 7000, 700);
    cr_assert_float_eq(tree->total.waiting, 7000, 1e-9);
    cr_assert_float_eq(tree->total_all_threads.ready, 700, 1e-9);
    double sum = 0;
    for (size_t i = 0; i < tree->function_count; i++)
        sum += isnan(tree->functions[i].exclusive.waiting) ? 0 : tree->functions[i].exclusive.waiting;
    cr_assert_float_eq(sum, tree->total_all_threads.waiting, 1e-9);
}

Test(counts, keep_what_a_function_waited_before_it_was_only_counted)
{
    uint64_t hot = profile_writer_node(&w, 0, w.root[0], HOT, timed(7, 7000));
    off(hot, 3000, 5);
    count(PCOMP_COUNTS_THREAD, 1, 1060, 3);
    load();
    assert_off(&find("[timed before counted]")->exclusive, 3000, 5);
    cr_assert_float_eq(tree->total.waiting, 3000, 1e-9);
}

/* The main thread waits 60 us of 100; a worker computes 36, and measuring takes 4 beside. */
static void with_worker(uint64_t waiting, int64_t measuring)
{
    fini();
    tree = NULL;
    begin(0);
    off(main_node, waiting, 0);
    uint32_t worker = profile_writer_thread(&w, 2, "worker", 0);
    profile_writer_node(&w, worker, w.root[worker], RARE,
                        (struct writer_counts){
                            .calls = 1, .raw = (uint64_t)(36000 + measuring), .compensated = 36000 << PCOMP_FIX_SHIFT});
    count(PCOMP_COUNTS_THREAD, 1, 60, 3);
    load();
}

Test(counts, widen_waits_by_what_measuring_took_in_other_threads)
{
    static const uint64_t waits[] = {60000, 5000, 0};
    for (int i = 0; i < 3; i++) {
        double part = 0.1 * fmin((double)waits[i], 36000); /* no longer than it waited, nor than they computed */
        with_worker(waits[i], 0);
        double total = tree->total.uncertainty, main = find("main")->inclusive.uncertainty;
        with_worker(waits[i], 4000);
        cr_assert_float_eq(tree->total.uncertainty, hypot(total, part), 1e-6, "%g", tree->total.uncertainty);
        cr_assert_float_eq(tree->threads[0].uncertainty, tree->total.uncertainty, 1e-6);
        cr_assert_float_eq(find("main")->inclusive.uncertainty, main, 1e-6, "of the program that ran");
    }
}

Test(counts, shorten_the_waits_of_totals_by_what_measuring_took_in_other_threads)
{
    static const uint64_t waits[] = {60000, 5000, 0};
    for (int i = 0; i < 3; i++) {
        double part = 0.1 * fmin((double)waits[i], 36000);
        with_worker(waits[i], 0);
        struct tree_totals before = tree->total;
        with_worker(waits[i], 4000);
        const struct tree_totals *total = &tree->total, *all = &tree->total_all_threads;
        const struct tree_thread *main = &tree->threads[0];
        cr_assert_float_eq(total->compensated, before.compensated - part, 1e-6, "%g", total->compensated);
        cr_assert_float_eq(total->waiting, before.waiting - part, 1e-6);
        cr_assert_float_eq(total->overhead, total->raw - total->compensated, 1e-6);
        cr_assert_float_eq(main->compensated, total->compensated, 1e-6);
        cr_assert_float_eq(main->waiting, total->waiting, 1e-6);
        cr_assert_float_eq(main->overhead, total->overhead, 1e-6);
        cr_assert_float_eq(all->waiting, (double)waits[i], 1e-6, "of the program that ran");
        cr_assert_float_eq(find("main")->inclusive.compensated, before.compensated, 1e-6, "of the program that ran");
    }
}

Test(counts, widen_no_wait_where_there_is_no_other_thread)
{
    fini();
    tree = NULL;
    begin(0);
    off(main_node, 60000, 0);
    count(PCOMP_COUNTS_THREAD, 1, 60, 3);
    load();
    cr_assert_leq(tree->total.uncertainty, 1.01 * PCOMP_SITE_LAYOUT * 40000, "%g", tree->total.uncertainty);
}
