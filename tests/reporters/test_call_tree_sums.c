/* Laws on random trees with recursion: what was taken away is the sum of the terms, exclusive times sum to the total,
 * derived times equal recorded ones, merging changes no sum. */
#include "reporters/tree/call_tree.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES     400
#define FUNCTIONS 12
#define FIXED(t)  ((int64_t)((t)*1024))

struct made { /* one node as an execution under the split model would leave it */
    int parent;
    uint32_t function;
    uint64_t calls, lookups, slow, raw;
    int64_t actual; /* ticks, inclusive */
    int64_t below;  /* fixed-point: what its descendants cost it */
    uint64_t link;
};

static struct profile_writer w;
static struct made made[NODES];
static char error[512];
static unsigned state;

static unsigned below(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static const struct pcomp_delta deltas[PCOMP_VARIANTS] = {
    [PCOMP_VARIANT_REPEAT] = {.own = 2100, .descendant = 5300, .direct = 900, .own_spread = 50, .batch = 100},
    [PCOMP_VARIANT_LOOKUP] = {.own = 3700, .descendant = 9100, .direct = 900, .descendant_spread = 70, .batch = 100}};

static int64_t cost(const struct made *m, bool own)
{
    const struct pcomp_delta *repeat = &deltas[PCOMP_VARIANT_REPEAT], *lookup = &deltas[PCOMP_VARIANT_LOOKUP];
    uint64_t repeats = m->calls - m->lookups;
    return own ? (int64_t)repeats * repeat->own + (int64_t)m->lookups * lookup->own
               : (int64_t)repeats * repeat->descendant + (int64_t)m->lookups * lookup->descendant + FIXED(m->slow);
}

/* `threads` threads share the nodes of the first level. */
static void make(unsigned seed, uint32_t threads)
{
    state = seed;
    profile_writer_init(&w, 0, 0);
    memcpy(profile_writer_header(&w)->delta_start, deltas, sizeof deltas);
    uint32_t ids[FUNCTIONS];
    for (int i = 0; i < FUNCTIONS; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%02d", i);
        ids[i] = profile_writer_function(&w, UINT32_MAX, 0x1000u + (unsigned)i, name);
    }
    for (uint32_t t = 0; t < threads; t++)
        profile_writer_thread(&w, 100 + (int)t, "t", t ? 0 : PCOMP_THREAD_MAIN);
    for (int i = 0; i < NODES; i++) {
        struct made *m = &made[i];
        *m = (struct made){.parent = i < 3 ? -1 : (int)below((unsigned)i), .function = ids[below(FUNCTIONS)]};
        m->calls = 1 + below(1000);
        m->lookups = below((unsigned)m->calls + 1);
        m->slow = below(2) * below(5000);
    }
    for (int i = NODES - 1; i >= 0; i--) {
        struct made *m = &made[i];
        m->actual += below(100000);
        /* raw in whole ticks: the part of a tick is put into the actual time, which is fixed-point then */
        m->raw = (uint64_t)(((FIXED(m->actual) + m->below + cost(m, true)) >> 10) + 1);
        if (m->parent >= 0) {
            made[m->parent].actual += m->actual;
            made[m->parent].below += m->below + cost(m, false);
        }
    }
    for (int i = 0; i < NODES; i++) {
        struct made *m = &made[i];
        int top = i;
        while (made[top].parent >= 0)
            top = made[top].parent;
        uint32_t thread = (uint32_t)top % threads;
        uint64_t parent = m->parent < 0 ? w.root[thread] : made[m->parent].link;
        m->link = profile_writer_node(&w, thread, parent, m->function,
                                      (struct writer_counts){.calls = m->calls,
                                                             .lookups = m->lookups,
                                                             .slow_ticks = m->slow,
                                                             .raw = m->raw,
                                                             .compensated = FIXED(m->raw) - m->below - cost(m, true)});
    }
    profile_writer_finish(&w);
}

static struct call_tree *load(int model)
{
    struct call_tree_options options = {.rank = -1, .model = model};
    struct call_tree *tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
    return tree;
}

static void assert_near(double value, double expected)
{
    cr_assert(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)), "%.17g is not %.17g", value, expected);
}

static void assert_terms(const struct tree_times *t)
{
    assert_near(t->raw - t->compensated, t->own + t->descendants + t->direct);
}

static void check_laws(const struct call_tree *tree)
{
    double raw = 0, compensated = 0;
    uint64_t calls = 0;
    for (size_t i = 0; i < tree->function_count; i++) {
        const struct tree_function *f = &tree->functions[i];
        assert_terms(&f->inclusive);
        assert_terms(&f->exclusive);
        cr_assert(f->outermost <= f->calls);
        raw += f->exclusive.raw;
        compensated += f->exclusive.compensated;
        calls += f->calls;
    }
    for (size_t i = 1; i < tree->node_count; i++) {
        assert_terms(&tree->nodes[i].inclusive);
        assert_terms(&tree->nodes[i].exclusive);
    }
    cr_assert_eq(calls, tree->total_all_threads.calls);
    assert_near(raw, tree->total_all_threads.raw);
    assert_near(tree->nodes[0].inclusive.raw, tree->total_all_threads.raw);
    assert_near(tree->nodes[0].inclusive.compensated, tree->total_all_threads.compensated);
    if (tree->model != PCOMP_MODEL_PAPER)
        assert_near(compensated, tree->total_all_threads.compensated);
}

/* N, outermost N and M, found the slow way. */
static void check_counts(const struct call_tree *tree)
{
    for (size_t k = 0; k < tree->function_count; k++) {
        const struct tree_function *f = &tree->functions[k];
        uint64_t n = 0, m = 0, outermost = 0;
        if (*f->name != 'f')
            continue;
        uint32_t id = PCOMP_FUNCTION_FIRST + (uint32_t)atoi(f->name + 1);
        for (int i = 0; i < NODES; i++) {
            bool inside = false;
            for (int up = made[i].parent; up >= 0; up = made[up].parent)
                inside |= made[up].function == id;
            m += inside ? made[i].calls : 0;
            if (made[i].function != id)
                continue;
            n += made[i].calls;
            outermost += inside ? 0 : made[i].calls;
        }
        cr_assert_eq(f->calls, n);
        cr_assert_eq(f->outermost, outermost);
        cr_assert_eq(f->descendants, m);
    }
}

Test(call_tree_sums, close_under_every_model)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        make(seed, 1);
        for (int model = -1; model <= PCOMP_MODEL_SPLIT; model++) {
            struct call_tree *tree = load(model);
            check_laws(tree);
            check_counts(tree);
            call_tree_free(tree);
        }
        profile_writer_free(&w);
    }
}

Test(call_tree_sums, derived_from_counts_equal_those_recorded)
{
    for (unsigned seed = 30; seed <= 40; seed++) {
        make(seed, 1);
        struct call_tree *recorded = load(-1);
        profile_writer_header(&w)->model = PCOMP_MODEL_NONE; /* so that split has to be derived */
        struct call_tree *derived = load(PCOMP_MODEL_SPLIT);
        for (size_t i = 0; i < recorded->function_count; i++) {
            assert_near(derived->functions[i].inclusive.compensated, recorded->functions[i].inclusive.compensated);
            assert_near(derived->functions[i].exclusive.compensated, recorded->functions[i].exclusive.compensated);
        }
        assert_near(derived->total.compensated, recorded->total.compensated);
        call_tree_free(recorded);
        call_tree_free(derived);
        profile_writer_free(&w);
    }
}

Test(call_tree_sums, are_the_same_over_several_threads)
{
    for (unsigned seed = 50; seed <= 60; seed++) {
        make(seed, 1);
        struct call_tree *one = load(-1);
        profile_writer_free(&w);
        make(seed, 3);
        struct call_tree *three = load(-1);
        check_laws(three);
        cr_assert_eq(three->thread_count, 3);
        cr_assert_eq(one->function_count, three->function_count);
        for (size_t i = 0; i < one->function_count; i++) {
            assert_near(three->functions[i].inclusive.compensated, one->functions[i].inclusive.compensated);
            assert_near(three->functions[i].exclusive.uncertainty, one->functions[i].exclusive.uncertainty);
            cr_assert_eq(three->functions[i].descendants, one->functions[i].descendants);
        }
        assert_near(three->total_all_threads.compensated, one->total_all_threads.compensated);
        cr_assert_lt(three->total.raw, one->total.raw);
        call_tree_free(one);
        call_tree_free(three);
        profile_writer_free(&w);
    }
}
