/* What advice picks, keeps and predicts, on profiles made up. */
#include "reporters/advise/advice.h"

#include <criterion/criterion.h>
#include <criterion/theories.h>
#include <math.h>
#include <string.h>

enum { FUNCTIONS_MAX = 12 };

static struct tree_function functions[FUNCTIONS_MAX + 1];
static struct dwarf_function known[FUNCTIONS_MAX];
static struct dwarf_functions dwarf;
static struct tree_thread thread;
static struct call_tree tree;
static struct advice advice;

static void begin(void)
{
    functions[0] = (struct tree_function){.name = "[root]", .linkage_name = "[root]"};
    tree = (struct call_tree){.functions = functions, .function_count = 1, .model = PCOMP_MODEL_SPLIT};
    dwarf = (struct dwarf_functions){.list = known};
}

static void end(void)
{
    advice_free(&advice);
}

TestSuite(advice, .init = begin, .fini = end);

/* A function whose calls took `own` ns each; one call costs 40 ns. To be added in the order of names. */
static void add(const char *name, const char *file, uint64_t calls, double own, enum dwarf_form form)
{
    double compensated = own * (double)calls;
    functions[tree.function_count++] = (struct tree_function){.name = name,
                                                              .linkage_name = name,
                                                              .file = file,
                                                              .module = "/prog",
                                                              .calls = calls,
                                                              .exclusive.compensated = compensated,
                                                              .exclusive.raw = compensated + 40.0 * (double)calls};
    tree.total_all_threads.calls += calls;
    tree.total_all_threads.compensated += compensated;
    tree.total_all_threads.raw += compensated + 40.0 * (double)calls;
    if (form != FORM_UNKNOWN)
        known[dwarf.count++] =
            (struct dwarf_function){.name = name, .linkage = name, .key = name, .file = file, .form = form};
}

static void make(double min)
{
    cr_assert(advice_make(&advice, &tree, &dwarf, min));
}

static const struct advice_row *row(const char *name)
{
    for (size_t i = 0; i < advice.row_count; i++)
        if (!strcmp(advice.rows[i].function->name, name))
            return &advice.rows[i];
    return NULL;
}

static const char *reason(const char *name)
{
    for (size_t i = 0; i < advice.kept_count; i++)
        if (!strcmp(advice.kept[i].function->name, name))
            return advice.kept[i].reason;
    return NULL;
}

Test(advice, names_what_was_inlined_and_what_is_tiny)
{
    add("dissolved", NULL, 1000, 100, FORM_GONE);
    add("heavy", NULL, 1000, 1e6, FORM_CODE);
    add("helper", NULL, 100000, 300, FORM_INLINED);
    add("leaf", NULL, 100000, 5, FORM_CODE);
    add("main", NULL, 1, 10, FORM_CODE);
    add("once", NULL, 1000, 1000, FORM_INLINED);
    add("rest", NULL, 1000, 100, FORM_PART);
    add("stranger", NULL, 50000, 7, FORM_UNKNOWN);
    add("work", NULL, 1000, 50, FORM_CODE);
    make(0);
    cr_assert_eq(row("dissolved")->why, ADVICE_GONE);
    cr_assert_eq(row("helper")->why, ADVICE_INLINED);
    cr_assert_eq(row("leaf")->why, ADVICE_TINY);
    cr_assert_eq(row("rest")->why, ADVICE_PART);
    cr_assert_eq(row("stranger")->why, ADVICE_TINY, "nothing is known of it but its times");
    cr_assert_null(row("heavy"));
    cr_assert_null(row("main"), "main is never left out");
    cr_assert_null(row("once"), "its measurement does not matter beside what it does");
    cr_assert_null(row("work"));
    cr_assert_eq(advice.unknown_count, 1);
    cr_assert_str_eq(advice.unknown_example->name, "stranger");
}

/* A million calls that cost a nanosecond each, and are no cause to rebuild. */
Test(advice, calls_counted_in_place_cost_what_counting_does)
{
    add("leaf", NULL, 1000000, 1, FORM_CODE);
    functions[1].in_place = 999000;
    functions[1].exclusive.raw = functions[1].exclusive.compensated + 40 * 1000 + 999000;
    tree.total_all_threads.raw = functions[1].exclusive.raw;
    tree.counting = (struct tree_counting){.any = true, .calls = 999000, .cost = 999000};
    make(0);
    cr_assert_float_eq(advice.costs.timed, 40, 1e-9);
    cr_assert_float_eq(advice.overhead, 40 * 1000 + 999000, 1e-6);
    cr_assert_leq(advice.saving, advice.overhead * (1 + 1e-12));
    cr_assert_geq(advice.dilation_then, 1 - 1e-12);
}

/* A million calls of a sampled function: 100 timed, 50,000 counted in windows, the rest by no-op sites. */
Test(advice, calls_between_windows_cost_what_sites_do)
{
    struct tree_node nodes[3] = {{.function = 0}, {.function = 1, .calls = 100}, {.function = 2, .calls = 1000}};
    add("leaf", NULL, 1000000, 0.1, FORM_CODE);
    add("rare", NULL, 1000, 1e5, FORM_CODE);
    functions[1].in_place = 50000;
    functions[1].level = LEVEL_SAMPLED;
    tree.nodes = nodes;
    tree.node_count = 3;
    tree.counting = (struct tree_counting){.any = true, .calls = 50000, .cost = 550500, .sites = 500500};
    tree.total_all_threads.raw = tree.total_all_threads.compensated + 1100 * 30 + 550500;
    make(0);
    cr_assert_float_eq(advice.costs.timed, 30, 1e-6);
    cr_assert_float_eq(advice.costs.counted, 1, 1e-9);
    cr_assert_float_eq(advice.costs.site, 0.5, 1e-9);
    cr_assert_float_eq(row("leaf")->saving, 100 * 30 + 50000 + 500000, 1e-3);
}

Test(advice, predicts_what_the_calls_cost)
{
    add("heavy", NULL, 1000, 1e5, FORM_CODE);
    add("leaf", NULL, 3000000, 1, FORM_CODE);
    add("other", NULL, 1000000, 1, FORM_CODE);
    make(0.001);
    cr_assert_float_eq(advice.costs.timed, 40, 1e-9);
    cr_assert_float_eq(row("leaf")->saving, 120e6, 1);
    cr_assert_float_eq(row("other")->saving, 40e6, 1);
    cr_assert_float_eq(advice.saving, 160e6, 1);
    cr_assert_eq(&advice.rows[0], row("leaf"), "greatest first");
    cr_assert_float_eq(advice.dilation_now, 264.04 / 104, 1e-9);
    cr_assert_float_eq(advice.rows[0].dilation, 144.04 / 104, 1e-9);
    cr_assert_float_eq(advice.dilation_then, 104.04 / 104, 1e-9);
    cr_assert_float_eq(row("leaf")->share + row("other")->share, 160 / 160.04, 1e-9);
}

Test(advice, leaves_small_savings_unnamed)
{
    add("heavy", NULL, 1000, 1e6, FORM_CODE);
    add("leaf", NULL, 1000000, 1, FORM_CODE);
    add("seldom", NULL, 1000, 1, FORM_CODE);
    make(0.01);
    cr_assert_not_null(row("leaf"));
    cr_assert_null(row("seldom"));
}

Test(advice, keeps_what_the_run_is_spent_in)
{
    add("fib", NULL, 1000000, 5, FORM_CODE);
    add("main", NULL, 1, 1000, FORM_CODE);
    make(0.001);
    cr_assert_eq(advice.row_count, 0);
    cr_assert_str_eq(reason("fib"), "tiny, but 100.0 % of the run is spent in it");
    cr_assert_float_eq(advice.dilation_then, advice.dilation_now, 0);
}

Test(advice, keeps_what_is_inlined_but_much_of_the_run)
{
    add("hot_leaf", NULL, 1000000, 30, FORM_INLINED);
    add("main", NULL, 1, 1e6, FORM_CODE);
    add("sort", NULL, 1000000, 70, FORM_INLINED);
    make(0.001);
    cr_assert_not_null(row("hot_leaf"), "hardly more than an expression");
    cr_assert_null(row("sort"));
    cr_assert_str_eq(reason("sort"), "inlined, but 69.3 % of the run is spent in it");
}

Test(advice, does_not_take_a_needed_function_along)
{
    add("get", NULL, 1000000, 1, FORM_CODE);
    add("push", NULL, 500000, 1, FORM_CODE);
    add("push_slowly", NULL, 10, 50, FORM_CODE);
    add("target_forge", NULL, 1000, 1e5, FORM_CODE);
    add("target_small", NULL, 1000, 50, FORM_CODE);
    make(0.001);
    cr_assert_null(row("get"));
    cr_assert_str_eq(reason("get"), "\"get\" would take target_forge, too, where 98.5 % of the run is spent");
    cr_assert_str_eq(row("push")->also, "push_slowly");
    cr_assert_eq(row("push")->also_count, 1);
    cr_assert_eq(row("push_slowly")->why, ADVICE_ALONG);
    cr_assert_eq(row("push_slowly")->item, row("push")->item);
    cr_assert_eq(advice.reason_count, 1);
    cr_assert_float_eq(advice.saving, 40.0 * 500010, 1e-3, "those taken along count");
}

Test(advice, does_not_take_main_along)
{
    add("ma", NULL, 1000000, 1, FORM_INLINED);
    add("main", NULL, 1, 1, FORM_CODE);
    make(0.001);
    cr_assert_null(row("ma"));
    cr_assert_str_eq(reason("ma"), "\"ma\" would take main, too");
}

Test(advice, tells_what_else_the_ordinary_build_has_of_that_name)
{
    add("heavy", NULL, 1000, 1e6, FORM_CODE);
    add("leaf", NULL, 1000000, 1, FORM_INLINED);
    known[dwarf.count++] =
        (struct dwarf_function){.name = "leaflet", .linkage = "leaflet", .key = "leaflet", .form = FORM_CODE};
    make(0.001);
    cr_assert_str_eq(row("leaf")->also, "leaflet");
}

Test(advice, a_shorter_item_stands_for_longer_ones)
{
    add("a_get", NULL, 3000000, 1, FORM_INLINED);
    add("get", NULL, 1000000, 1, FORM_INLINED);
    add("heavy", NULL, 1000, 1e6, FORM_CODE);
    make(0.001);
    cr_assert_eq(advice.item_count, 1);
    cr_assert_str_eq(advice.items[0]->text, "get");
    cr_assert_eq(row("a_get")->item, advice.items[0]);
    cr_assert_null(row("get")->also, "a row of its own");
}

Test(advice, prefers_a_file_whose_functions_all_go)
{
    add("one", "/src/small.h", 1000000, 1, FORM_INLINED);
    add("three", "/src/mixed.c", 1000000, 1, FORM_INLINED);
    add("two", "/src/small.h", 1000000, 1, FORM_INLINED);
    add("zheavy", "/src/mixed.c", 1000, 1e6, FORM_CODE);
    make(0.001);
    cr_assert_eq(advice.item_count, 2);
    cr_assert(advice.items[0]->is_file);
    cr_assert_str_eq(advice.items[0]->text, "small.h");
    cr_assert_str_eq(advice.items[1]->text, "three");
    cr_assert_eq(row("one")->item, advice.items[0]);
}

Test(advice, does_not_name_a_file_that_is_part_of_another)
{
    add("one", "/src/x.c", 1000000, 1, FORM_INLINED);
    add("two", "/src/x.c", 1000000, 1, FORM_INLINED);
    add("zheavy", "/src/matrix.c", 1000, 1e6, FORM_CODE);
    make(0.001);
    cr_assert_eq(advice.item_count, 2);
    cr_assert_not(advice.items[0]->is_file);
}

Test(advice, of_a_run_without_overhead_is_nothing)
{
    add("leaf", NULL, 1000000, 1, FORM_INLINED);
    tree.total_all_threads.raw = tree.total_all_threads.compensated;
    make(0);
    cr_assert_eq(advice.row_count, 0);
    cr_assert_eq(advice.kept_count, 0);
    cr_assert_float_eq(advice.dilation_then, 1, 0);
}

/* The same run with another program on its processor three quarters of the time, and one that waited as long. */
Test(advice, is_the_same_on_a_busy_machine)
{
    for (int preempted = 0; preempted < 2; preempted++) {
        begin();
        add("heavy", NULL, 1000, 1e6, FORM_CODE);
        add("leaf", NULL, 1000000, 20, FORM_CODE);
        for (size_t i = 1; i < tree.function_count; i++) {
            struct tree_times *times = &functions[i].exclusive;
            times->compensated += 3 * times->raw;
            times->raw *= 4;
        }
        tree.total_all_threads.compensated += 3 * tree.total_all_threads.raw;
        tree.total_all_threads.raw *= 4;
        thread = (struct tree_thread){.wall = 4e9, .cpu = 1e9, .involuntary = preempted ? 100 : 1, .voluntary = 50};
        tree.threads = &thread;
        tree.thread_count = 1;
        make(0.001);
        cr_assert_eq(row("leaf") != NULL, preempted);
        if (preempted) {
            cr_assert_float_eq(row("leaf")->a_call, 20, 1e-6);
            cr_assert_float_eq(advice.dilation_now, (1020 + 40.04) / 1020, 1e-9);
        }
        advice_free(&advice);
    }
}

/* Another program had the processor while main ran, and the profile says so. */
Test(advice, knows_whose_time_was_preempted)
{
    add("heavy", NULL, 1000, 1e6, FORM_CODE);
    add("leaf", NULL, 1000000, 20, FORM_CODE);
    struct tree_times *heavy = &functions[1].exclusive;
    tree.knows_waiting = true;
    heavy->ready = 3e9;
    heavy->raw += heavy->ready;
    heavy->compensated += heavy->ready;
    tree.total_all_threads.ready = heavy->ready;
    tree.total_all_threads.raw += heavy->ready;
    tree.total_all_threads.compensated += heavy->ready;
    thread = (struct tree_thread){.wall = 4e9, .cpu = 1e9, .involuntary = 100};
    tree.threads = &thread;
    tree.thread_count = 1;
    make(0.001);
    cr_assert_float_eq(row("leaf")->a_call, 20, 1e-6);
    cr_assert_float_eq(advice.dilation_now, (1020 + 40.04) / 1020, 1e-9);
}

Test(advice, samples_are_no_part_of_what_calls_cost)
{
    struct tree_process process = {.sampling = 30e6, .switching = 10e6};
    add("heavy", NULL, 1000, 1e6, FORM_CODE);
    add("leaf", NULL, 1000000, 20, FORM_CODE);
    tree.total_all_threads.raw += 40e6;
    tree.processes = &process;
    tree.process_count = 1;
    make(0.001);
    cr_assert_float_eq(advice.costs.samples, 40e6, 1e-3);
    cr_assert_float_eq(advice.costs.timed, 40, 1e-6);
    cr_assert_float_eq(row("leaf")->saving, 40e6, 1e-3);
}

Test(advice, needs_no_ordinary_build)
{
    add("heavy", NULL, 1000, 1e6, FORM_CODE);
    add("leaf", NULL, 1000000, 1, FORM_INLINED);
    cr_assert(advice_make(&advice, &tree, NULL, 0.001));
    cr_assert_eq(row("leaf")->why, ADVICE_TINY);
    cr_assert_eq(advice.unknown_count, 0);
}

/* Whatever the calls: the rows' savings are their calls' cost, and together no more than the overhead. */
TheoryDataPoints(advice, savings_are_part_of_the_overhead) = {
    DataPoints(unsigned long long, 1, 1000, 10000000),
    DataPoints(unsigned long long, 1, 1000, 10000000),
    DataPoints(double, -3, 0, 39, 41, 1e6),
    DataPoints(double, 0, 0.005, 0.9),
};

Theory((unsigned long long a, unsigned long long b, double own, double min), advice, savings_are_part_of_the_overhead)
{
    begin();
    add("first", NULL, a, own, FORM_CODE);
    add("second", NULL, b, 3, FORM_INLINED);
    add("zheavy", NULL, 1000, 1e6, FORM_CODE);
    make(min);
    double sum = 0;
    for (size_t i = 0; i < advice.row_count; i++) {
        cr_assert_float_eq(advice.rows[i].saving, 40.0 * (double)advice.rows[i].function->calls, 1e-3);
        cr_assert(advice.rows[i].share >= min);
        sum += advice.rows[i].saving;
    }
    cr_assert_float_eq(sum, advice.saving, 1e-3);
    cr_assert(sum <= advice.overhead * (1 + 1e-12));
    cr_assert(advice.dilation_then <= advice.dilation_now && advice.dilation_then >= 1 - 1e-9);
    advice_free(&advice);
}
