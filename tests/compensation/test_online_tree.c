/* The laws of the online models, on random executions with recursion, both hook variants, slow enters and filtered
 * functions. */
#include "tests/compensation/prng.h"
#include "tests/compensation/random_execution.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define SEEDS 60

#define FIXED(ticks) ((int64_t)((uint64_t)(ticks) << PCOMP_FIX_SHIFT))

/* Any deltas: fractions of ticks, negative, own above descendant. The laws of exact sums hold for them all. */
static void any_deltas(struct pcomp_delta delta[PCOMP_VARIANTS], uint64_t seed)
{
    uint64_t random = ~seed;

    for (int v = 0; v < PCOMP_VARIANTS; v++)
        delta[v] = (struct pcomp_delta){.own = (int64_t)prng_below(&random, 200000) - 20000,
                                        .descendant = (int64_t)prng_below(&random, 200000) - 20000,
                                        .direct = (int64_t)prng_below(&random, 20000) - 2000};
}

/* Deltas that a machine can have: whole ticks, even so that both hooks of an activation cost whole ticks. */
static void machine_deltas(struct pcomp_delta delta[PCOMP_VARIANTS], uint64_t seed)
{
    uint64_t random = ~seed;

    for (int v = 0; v < PCOMP_VARIANTS; v++) {
        delta[v].own = FIXED(2 * prng_below(&random, 40));
        delta[v].descendant = delta[v].own + FIXED(2 * prng_below(&random, 40));
        delta[v].direct = 0;
    }
}

static int64_t compensated_inclusive(const struct execution *x, const struct pcomp_online_model *model,
                                     const struct path_counts *counts, size_t i)
{
    return FIXED(x->nodes[i].raw) - path_terms_total(path_terms_inclusive(model, &counts[i]));
}

static int64_t compensated_exclusive(const struct execution *x, const struct pcomp_online_model *model,
                                     const struct path_counts *counts, size_t i)
{
    return FIXED(execution_raw_exclusive(x, i)) - path_terms_total(path_terms_exclusive(model, &counts[i]));
}

static bool is_measured(const struct execution *x, size_t i)
{
    return x->nodes[i].parent != EXECUTION_NONE && x->nodes[i].function != EXECUTION_SKIPPED;
}

static void check_exit_against_counts(enum pcomp_model model, bool settle_at_enter)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct execution_options options = {.seed = seed, .model = model, .settle_at_enter = settle_at_enter};
        struct pcomp_online_model online;

        any_deltas(options.delta, seed);
        pcomp_model_init(&online, model, options.delta);
        struct execution *x = execution_run(&options);
        struct path_counts *counts = execution_counts(x);

        for (size_t i = 0; i < x->node_count; i++)
            if (is_measured(x, i))
                cr_assert_eq(x->nodes[i].compensated, compensated_inclusive(x, &online, counts, i),
                             "seed %llu, node %zu, model %s", (unsigned long long)seed, i, pcomp_model_name(model));
        free(counts);
        execution_free(x);
    }
}

Test(online_tree, none_at_exit_equals_none_from_counts)
{
    check_exit_against_counts(PCOMP_MODEL_NONE, false);
}

Test(online_tree, split_at_exit_equals_split_from_counts)
{
    check_exit_against_counts(PCOMP_MODEL_SPLIT, false);
}

Test(online_tree, paper_at_exit_equals_paper_from_counts)
{
    check_exit_against_counts(PCOMP_MODEL_PAPER, false);
}

Test(online_tree, settling_a_lookup_at_enter_gives_the_same_sums)
{
    check_exit_against_counts(PCOMP_MODEL_SPLIT, true);
    check_exit_against_counts(PCOMP_MODEL_PAPER, true);
}

Test(online_tree, split_recovers_the_actual_times_of_a_machine_of_constant_cost)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct execution_options options = {.seed = seed, .model = PCOMP_MODEL_SPLIT, .constant_cost = true};

        machine_deltas(options.delta, seed);
        struct execution *x = execution_run(&options);
        cr_assert_gt(x->measured_end, x->actual_end, "seed %llu: nothing was measured", (unsigned long long)seed);
        for (size_t i = 0; i < x->node_count; i++)
            if (is_measured(x, i))
                cr_assert_eq(x->nodes[i].compensated, FIXED(x->nodes[i].actual), "seed %llu, node %zu",
                             (unsigned long long)seed, i);
        execution_free(x);
    }
}

Test(online_tree, split_exclusive_times_add_up_to_the_inclusive_time_of_every_path)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct execution_options options = {.seed = seed, .model = PCOMP_MODEL_SPLIT};
        struct pcomp_online_model online;

        any_deltas(options.delta, seed);
        pcomp_model_init(&online, PCOMP_MODEL_SPLIT, options.delta);
        struct execution *x = execution_run(&options);
        struct path_counts *counts = execution_counts(x);
        int64_t *below = calloc(x->node_count, sizeof *below); /* exclusive times of a node and all below it */
        cr_assert_not_null(below);

        for (size_t i = x->node_count; i-- > 1;) {
            if (!is_measured(x, i))
                continue;
            below[i] += compensated_exclusive(x, &online, counts, i);
            cr_assert_eq(below[i], compensated_inclusive(x, &online, counts, i), "seed %llu, node %zu",
                         (unsigned long long)seed, i);
            below[x->nodes[i].parent] += below[i];
        }
        free(below);
        free(counts);
        execution_free(x);
    }
}

/* A function on many call paths: inclusive over its outermost paths, exclusive over all of them, N counts all. */
static void check_function(const struct execution *x, const struct pcomp_online_model *online,
                           const struct path_counts *counts, int function, uint64_t seed)
{
    const struct execution_truth *truth = &x->functions[function];
    struct execution_truth sum = {0};
    struct path_terms terms = {0};
    int64_t compensated = 0;

    for (size_t i = 1; i < x->node_count; i++) {
        if (x->nodes[i].function != function)
            continue;
        sum.calls += x->nodes[i].calls;
        if (execution_is_inner(x, i))
            continue;
        struct path_terms node = path_terms_inclusive(online, &counts[i]);
        terms.own += node.own;
        terms.descendants += node.descendants;
        terms.direct += node.direct;
        sum.outermost += x->nodes[i].calls;
        sum.raw += x->nodes[i].raw;
        compensated += x->nodes[i].compensated;
        for (int v = 0; v < PCOMP_VARIANTS; v++) {
            sum.descendants += v == PCOMP_VARIANT_SKIP ? 0 : counts[i].descendants.calls[v];
            sum.children += v == PCOMP_VARIANT_SKIP ? 0 : counts[i].children.calls[v];
        }
    }
    cr_assert_eq(sum.calls, truth->calls, "N, seed %llu, function %d", (unsigned long long)seed, function);
    cr_assert_eq(sum.outermost, truth->outermost, "seed %llu, function %d", (unsigned long long)seed, function);
    cr_assert_eq(sum.descendants, truth->descendants, "M, seed %llu, function %d", (unsigned long long)seed, function);
    cr_assert_eq(sum.children, truth->children, "L, seed %llu, function %d", (unsigned long long)seed, function);
    cr_assert_eq(sum.raw, truth->raw, "seed %llu, function %d", (unsigned long long)seed, function);
    cr_assert_eq(compensated, FIXED(truth->actual), "seed %llu, function %d", (unsigned long long)seed, function);
    cr_assert_eq(compensated, FIXED(sum.raw) - path_terms_total(terms), "seed %llu, function %d",
                 (unsigned long long)seed, function);
    cr_assert_leq(compensated, FIXED(x->actual_end), "more than 100 %%: seed %llu, function %d",
                  (unsigned long long)seed, function);
}

Test(online_tree, inclusive_time_of_a_recursive_function_counts_its_outermost_activations)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct execution_options options = {.seed = seed, .model = PCOMP_MODEL_SPLIT, .constant_cost = true};
        struct pcomp_online_model online;

        machine_deltas(options.delta, seed);
        pcomp_model_init(&online, PCOMP_MODEL_SPLIT, options.delta);
        struct execution *x = execution_run(&options);
        struct path_counts *counts = execution_counts(x);
        uint64_t inner = 0;

        for (int function = 1; function < EXECUTION_FUNCTIONS; function++) {
            if (function == EXECUTION_SKIPPED)
                continue;
            check_function(x, &online, counts, function, seed);
            inner += x->functions[function].calls - x->functions[function].outermost;
        }
        cr_assert_gt(inner, 0, "seed %llu has no recursion", (unsigned long long)seed);
        free(counts);
        execution_free(x);
    }
}

Test(online_tree, exclusive_times_of_all_functions_add_up_to_the_actual_time_of_the_thread)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct execution_options options = {.seed = seed, .model = PCOMP_MODEL_SPLIT, .constant_cost = true};
        struct pcomp_online_model online;
        int64_t exclusive = 0, roots = 0;

        machine_deltas(options.delta, seed);
        pcomp_model_init(&online, PCOMP_MODEL_SPLIT, options.delta);
        struct execution *x = execution_run(&options);
        struct path_counts *counts = execution_counts(x);

        for (size_t i = 1; i < x->node_count; i++) {
            if (!is_measured(x, i))
                continue;
            exclusive += compensated_exclusive(x, &online, counts, i);
            if (x->nodes[i].parent == 0)
                roots += x->nodes[i].actual;
        }
        cr_assert_eq(exclusive, FIXED(roots), "seed %llu", (unsigned long long)seed);
        free(counts);
        execution_free(x);
    }
}
