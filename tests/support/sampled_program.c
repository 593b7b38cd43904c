#include "tests/support/sampled_program.h"

#include <criterion/criterion.h>
#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct profile_writer w;
struct call_tree *tree;
struct call_tree_options options;
uint64_t main_node, inner_node;
static char error[512], module_name[64];
static uint64_t bias;

uint64_t sampled_program_address(int function)
{
    static void (*const functions[])(void) = {timed_main, timed_inner, counted_f, counted_g};
    return (uint64_t)(uintptr_t)functions[function - MAIN];
}

struct writer_counts sampled_program_timed(uint64_t calls, double ms)
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

void sampled_program_begin(void)
{
    char *own = realpath("/proc/self/exe", NULL);
    for (int f = MAIN; f < COUNT; f++)
        ((void (*)(void))(uintptr_t)sampled_program_address(f))();
    dl_iterate_phdr(load_bias, &bias);
    options = (struct call_tree_options){.rank = -1, .model = -1};
    profile_writer_init(&w, PCOMP_FLAG_COUNTS, 0);
    uint32_t module = profile_writer_module(&w, own, bias, 1 << 26);
    snprintf(module_name, sizeof module_name, "%s", basename(own));
    free(own);
    for (int f = MAIN; f < COUNT; f++)
        profile_writer_function(&w, module, sampled_program_address(f), NULL);
    for (int f = F; f <= G; f++)
        profile_writer_function_at(&w, (uint32_t)f)->flags = PCOMP_FUNCTION_COUNTED;
    profile_writer_thread(&w, 1, "main", PCOMP_THREAD_MAIN);
    main_node = profile_writer_node(&w, 0, w.root[0], MAIN, sampled_program_timed(1, 100));
    inner_node = profile_writer_node(&w, 0, main_node, INNER, sampled_program_timed(4, 20));
}

void sampled_program_end(void)
{
    call_tree_free(tree);
    tree = NULL;
    profile_writer_free(&w);
}

void count(uint64_t f, uint64_t g)
{
    const uint64_t counters[] = {0, 0, 1, 4, f, g};
    profile_writer_counters(&w, PCOMP_COUNTS_THREAD, counters, COUNT);
}

struct pcomp_stack_frame frame(int function, uint64_t node, uint32_t parent, uint32_t weight)
{
    return (struct pcomp_stack_frame){
        .pc = sampled_program_address(function) + 2, .node = node, .parent = parent, .hits = weight, .weight = weight};
}

void load(void)
{
    profile_writer_finish(&w);
    call_tree_free(tree);
    tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
}

/* Read from memory, functions of a module have no other name than their place in it. */
const struct tree_function *find(const char *name)
{
    static const char *const names[] = {"timed_main", "timed_inner", "counted_f", "counted_g"};
    char place[100];
    snprintf(place, sizeof place, "%s", name);
    for (int f = MAIN; f < COUNT; f++)
        if (!strcmp(names[f - MAIN], name))
            snprintf(place, sizeof place, "%s+0x%lx", module_name, sampled_program_address(f) - bias);
    for (size_t i = 0; i < tree->function_count; i++)
        if (!strcmp(tree->functions[i].name, place))
            return &tree->functions[i];
    cr_assert(false, "no function %s", name);
    return NULL;
}

void assert_near(double found, double wanted, const char *what)
{
    cr_assert(fabs(found - wanted) <= 1e-6 * (1 + fabs(wanted)), "%s: %.6f ms instead of %.6f", what, found / MS,
              wanted / MS);
}

void assert_times(const char *name, double exclusive_ms, double inclusive_ms)
{
    const struct tree_function *f = find(name);
    assert_near(f->exclusive.raw, exclusive_ms * MS, name);
    assert_near(f->exclusive.compensated, exclusive_ms * MS, name);
    assert_near(f->inclusive.raw, inclusive_ms * MS, name);
    assert_near(f->inclusive.compensated, inclusive_ms * MS, name);
}

void assert_conserved(void)
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
