/* Kernels of known cost: functions whose time is a chain of dependent multiplications, called in several shapes.
 *
 *   cost_kernels KERNEL            calls the kernel for some 30 to 100 ms
 *   cost_kernels --truth KERNEL    prints a line "FUNCTION inclusive exclusive" for each function: nanoseconds a call
 *   cost_kernels --list            prints the names of the kernels
 *
 * The truth is for the uninstrumented build of this file: a function is called in a loop between two clock reads. The
 * number that the chains compute is passed from call to call, so calls cannot overlap, and what calling costs is hidden
 * behind the chain. A function's exclusive time is its inclusive time without the calls that its source shows. */
#include "bench/programs/bench_clock.h"
#include <stdio.h>
#include <string.h>

enum { DEPTH = 50, CHAIN_BATCHES = 21, BURSTS = 2000, WALKS = 10, CELLS = 1 << 20 >> 3 };

/* Four cycles a step on most processors of today: 1 to 1.4 ns. */
BENCH_PLAIN static inline uint64_t chain(uint64_t x, uint64_t steps)
{
    do {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x));
    } while (--steps);
    return x;
}

#define LEAF(name, steps)                                                                                              \
    BENCH_CALL static uint64_t name(uint64_t x)                                                                        \
    {                                                                                                                  \
        return chain(x, steps);                                                                                        \
    }
#define NODE(name, steps, a, b, c)                                                                                     \
    BENCH_CALL static uint64_t name(uint64_t x)                                                                        \
    {                                                                                                                  \
        x = a(chain(x, steps));                                                                                        \
        x = b(x);                                                                                                      \
        return c(x);                                                                                                   \
    }

LEAF(leaf_2ns, 2)
LEAF(leaf_5ns, 4)
LEAF(leaf_10ns, 8)
LEAF(leaf_50ns, 40)
LEAF(leaf_200ns, 160)
LEAF(leaf_1us, 800)
LEAF(leaf_10us, 8000)
LEAF(leaf_1ms, 800000)

/* Three children a node, four levels. */
LEAF(tree_4a, 5)
LEAF(tree_4b, 10)
LEAF(tree_4c, 20)
NODE(tree_3a, 10, tree_4a, tree_4b, tree_4c)
NODE(tree_3b, 20, tree_4b, tree_4c, tree_4a)
NODE(tree_3c, 50, tree_4c, tree_4a, tree_4b)
NODE(tree_2a, 20, tree_3a, tree_3b, tree_3c)
NODE(tree_2b, 50, tree_3b, tree_3c, tree_3a)
NODE(tree_2c, 200, tree_3c, tree_3a, tree_3b)
NODE(tree_1, 100, tree_2a, tree_2b, tree_2c)

/* 300 siblings, sibling_100 to sibling_399, called in turn. */
#define TEN(USE, ab)                                                                                                   \
    USE(ab##0) USE(ab##1) USE(ab##2) USE(ab##3) USE(ab##4) USE(ab##5) USE(ab##6) USE(ab##7) USE(ab##8) USE(ab##9)
#define HUNDRED(USE, a)                                                                                                \
    TEN(USE, a##0)                                                                                                     \
    TEN(USE, a##1)                                                                                                     \
    TEN(USE, a##2)                                                                                                     \
    TEN(USE, a##3)                                                                                                     \
    TEN(USE, a##4) TEN(USE, a##5) TEN(USE, a##6) TEN(USE, a##7) TEN(USE, a##8) TEN(USE, a##9)
#define SIBLINGS(USE)   HUNDRED(USE, 1) HUNDRED(USE, 2) HUNDRED(USE, 3)
#define SIBLING(number) LEAF(sibling_##number, 5 + (number) % 16)
SIBLINGS(SIBLING)
#define SIBLING_CALL(number) x = sibling_##number(x);
BENCH_CALL static uint64_t sibling_turn(uint64_t x)
{
    SIBLINGS(SIBLING_CALL)
    return x;
}

BENCH_CALL static uint64_t recursion(uint64_t x, unsigned levels)
{
    x = chain(x, 20);
    if (levels > 1)
        x = recursion(x, levels - 1);
    /* Not a tail call. */
    __asm__ volatile("" : "+r"(x));
    return x;
}

BENCH_PLAIN static uint64_t whole_recursion(uint64_t x)
{
    return recursion(x, DEPTH);
}

/* Hot and cold phases in turn: a burst of short calls, then few calls that wait for memory (and leave the first cache
 * to nobody). */
LEAF(hot_call, 4)
BENCH_CALL static uint64_t hot_phase(uint64_t x)
{
    for (int i = 0; i < BURSTS; i++)
        x = hot_call(x);
    return x;
}

static uint64_t cells[CELLS];

BENCH_CALL static uint64_t cold_walk(uint64_t x)
{
    uint64_t cell = x % CELLS;
    for (int i = 0; i < 500; i++)
        cell = cells[cell];
    return x ^ cell;
}

BENCH_CALL static uint64_t cold_phase(uint64_t x)
{
    for (int i = 0; i < WALKS; i++)
        x = cold_walk(x);
    return x;
}

/* One cycle through all cells, in random order. */
BENCH_PLAIN static void link_cells(void)
{
    uint64_t seed = 42;
    for (uint64_t i = 0; i < CELLS; i++)
        cells[i] = i;
    for (uint64_t i = CELLS - 1; i > 0; i--) {
        uint64_t other = (seed = chain(seed, 1)) % i, kept = cells[i];
        cells[i] = cells[other];
        cells[other] = kept;
    }
}

struct function {
    const char *name;
    uint64_t (*call)(uint64_t x);
    unsigned own_calls;          /* activations of the function in one call of `call` that share its time */
    const char *children[3];     /* each called once in one activation */
    const char *all_with_prefix; /* or: all functions of this prefix, once */
};

static const struct function functions[] = {
    {.name = "leaf_2ns", .call = leaf_2ns},
    {.name = "leaf_5ns", .call = leaf_5ns},
    {.name = "leaf_10ns", .call = leaf_10ns},
    {.name = "leaf_50ns", .call = leaf_50ns},
    {.name = "leaf_200ns", .call = leaf_200ns},
    {.name = "leaf_1us", .call = leaf_1us},
    {.name = "leaf_10us", .call = leaf_10us},
    {.name = "leaf_1ms", .call = leaf_1ms},
    {.name = "tree_1", .call = tree_1, .children = {"tree_2a", "tree_2b", "tree_2c"}},
    {.name = "tree_2a", .call = tree_2a, .children = {"tree_3a", "tree_3b", "tree_3c"}},
    {.name = "tree_2b", .call = tree_2b, .children = {"tree_3a", "tree_3b", "tree_3c"}},
    {.name = "tree_2c", .call = tree_2c, .children = {"tree_3a", "tree_3b", "tree_3c"}},
    {.name = "tree_3a", .call = tree_3a, .children = {"tree_4a", "tree_4b", "tree_4c"}},
    {.name = "tree_3b", .call = tree_3b, .children = {"tree_4a", "tree_4b", "tree_4c"}},
    {.name = "tree_3c", .call = tree_3c, .children = {"tree_4a", "tree_4b", "tree_4c"}},
    {.name = "tree_4a", .call = tree_4a},
    {.name = "tree_4b", .call = tree_4b},
    {.name = "tree_4c", .call = tree_4c},
    {.name = "sibling_turn", .call = sibling_turn, .all_with_prefix = "sibling_"},
#define SIBLING_ENTRY(number) {.name = "sibling_" #number, .call = sibling_##number},
    SIBLINGS(SIBLING_ENTRY){.name = "recursion", .call = whole_recursion, .own_calls = DEPTH},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* A kernel is one function called `calls` times; its truth is of all functions with the prefix. */
static const struct kernel {
    const char *name, *prefix;
    uint64_t (*call)(uint64_t x);
    unsigned calls;
} kernels[] = {
    {"leaf_2ns", "leaf_2ns", leaf_2ns, 4000000},
    {"leaf_5ns", "leaf_5ns", leaf_5ns, 3000000},
    {"leaf_10ns", "leaf_10ns", leaf_10ns, 2000000},
    {"leaf_50ns", "leaf_50ns", leaf_50ns, 1000000},
    {"leaf_200ns", "leaf_200ns", leaf_200ns, 300000},
    {"leaf_1us", "leaf_1us", leaf_1us, 60000},
    {"leaf_10us", "leaf_10us", leaf_10us, 6000},
    {"leaf_1ms", "leaf_1ms", leaf_1ms, 60},
    {"tree", "tree_", tree_1, 50000},
    {"siblings", "sibling_", sibling_turn, 5000},
    {"recursion", "recursion", whole_recursion, 40000},
};
enum { KERNELS = sizeof kernels / sizeof *kernels, PHASES = 800 };

/* Keeps the computed number alive. */
static volatile uint64_t sink = 1;

/* Wall nanoseconds of one call: the median of batches of a tenth of a millisecond or one call. */
BENCH_PLAIN static double call_ns(const struct function *function)
{
    double batches[CHAIN_BATCHES];
    uint64_t x = sink, calls = 1;
    for (int64_t took = 0; took < 100000; calls *= 2) {
        int64_t begin = bench_clock_ns(CLOCK_MONOTONIC);
        for (uint64_t i = 0; i < calls; i++)
            x = function->call(x);
        took = bench_clock_ns(CLOCK_MONOTONIC) - begin;
    }
    for (int batch = 0; batch < CHAIN_BATCHES; batch++) {
        int64_t begin = bench_clock_ns(CLOCK_MONOTONIC);
        for (uint64_t i = 0; i < calls; i++)
            x = function->call(x);
        batches[batch] = (double)(bench_clock_ns(CLOCK_MONOTONIC) - begin) / (double)calls;
    }
    sink = x;
    return bench_median(batches, CHAIN_BATCHES);
}

BENCH_PLAIN static int is_child(const struct function *parent, const struct function *function)
{
    for (int i = 0; i < 3; i++)
        if (parent->children[i] && !strcmp(parent->children[i], function->name))
            return 1;
    const char *prefix = parent->all_with_prefix;
    return prefix && parent != function && !strncmp(function->name, prefix, strlen(prefix));
}

BENCH_PLAIN static void print_truth(const struct kernel *kernel)
{
    double inclusive[FUNCTIONS] = {0};
    size_t length = strlen(kernel->prefix);
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strncmp(functions[i].name, kernel->prefix, length))
            inclusive[i] = call_ns(&functions[i]);
    for (int i = 0; i < FUNCTIONS; i++) {
        double exclusive = inclusive[i];
        if (exclusive <= 0)
            continue;
        for (int child = 0; child < FUNCTIONS; child++)
            if (is_child(&functions[i], &functions[child]))
                exclusive -= inclusive[child];
        if (functions[i].own_calls)
            exclusive /= functions[i].own_calls;
        printf("%s %.3f %.3f\n", functions[i].name, inclusive[i], exclusive);
    }
}

/* Phases are timed where they run, since each leaves the caches to the other as it does. */
BENCH_PLAIN static void run_phases(int print)
{
    double hot[PHASES], cold[PHASES];
    uint64_t x = sink;
    link_cells();
    for (int i = 0; i < PHASES; i++) {
        int64_t begin = bench_clock_ns(CLOCK_MONOTONIC);
        x = hot_phase(x);
        int64_t middle = bench_clock_ns(CLOCK_MONOTONIC);
        x = cold_phase(x);
        hot[i] = (double)(middle - begin);
        cold[i] = (double)(bench_clock_ns(CLOCK_MONOTONIC) - middle);
    }
    sink = x;
    if (!print)
        return;
    double hot_ns = bench_median(hot, PHASES), cold_ns = bench_median(cold, PHASES);
    printf("hot_phase %.3f 0\nhot_call %.3f %.3f\n", hot_ns, hot_ns / BURSTS, hot_ns / BURSTS);
    printf("cold_phase %.3f 0\ncold_walk %.3f %.3f\n", cold_ns, cold_ns / WALKS, cold_ns / WALKS);
}

BENCH_PLAIN static int usage(void)
{
    fprintf(stderr, "usage: cost_kernels [--truth] KERNEL | --list\n");
    return 2;
}

int main(int argc, char **argv)
{
    int truth = argc == 3 && !strcmp(argv[1], "--truth");
    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (int i = 0; i < KERNELS; i++)
            puts(kernels[i].name);
        puts("phases");
        return 0;
    }
    if (argc != 2 + truth)
        return usage();
    if (!strcmp(argv[1 + truth], "phases")) {
        run_phases(truth);
        return 0;
    }
    for (int i = 0; i < KERNELS; i++) {
        if (strcmp(argv[1 + truth], kernels[i].name) != 0)
            continue;
        if (truth) {
            print_truth(&kernels[i]);
            return 0;
        }
        uint64_t x = sink;
        for (unsigned call = 0; call < kernels[i].calls; call++)
            x = kernels[i].call(x);
        sink = x;
        return 0;
    }
    return usage();
}
