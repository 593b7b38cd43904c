/* The online models on counts worked by hand, their laws as theories, and damaged input. */
#include "tests/support/path_terms.h"

#include <criterion/criterion.h>
#include <criterion/theories.h>
#include <string.h>

#define FIXED(ticks) ((int64_t)((uint64_t)(ticks) << PCOMP_FIX_SHIFT))

enum { REPEAT = PCOMP_VARIANT_REPEAT, LOOKUP = PCOMP_VARIANT_LOOKUP, SKIP = PCOMP_VARIANT_SKIP };

static struct pcomp_calls repeats(uint64_t calls)
{
    return pcomp_calls_of_node(calls, 0, 0, false);
}

static void assert_terms(struct path_terms terms, int64_t own, int64_t descendants, int64_t direct)
{
    cr_expect_eq(terms.own, own, "own: %lld, expected %lld", (long long)terms.own, (long long)own);
    cr_expect_eq(terms.descendants, descendants, "descendants: %lld, expected %lld", (long long)terms.descendants,
                 (long long)descendants);
    cr_expect_eq(terms.direct, direct, "direct: %lld, expected %lld", (long long)terms.direct, (long long)direct);
}

/* Two calls of A; each calls B 3 times; each of these calls C 4 times. Inclusive overhead N*di + M*di + L*de and
 * exclusive overhead L*de (Malony and Shende 2004, section 2), with di = 10 and de = 3 ticks:
 *   A: N 2, M 6 + 24, L 6    20 + 300 + 18 and 18
 *   B: N 6, M 24, L 24       60 + 240 + 72 and 72
 *   C: N 24, M 0, L 0       240 +   0 +  0 and  0 */
static const struct pcomp_delta published[PCOMP_VARIANTS] = {
    [PCOMP_VARIANT_REPEAT] = {.own = 4 << PCOMP_FIX_SHIFT,
                              .descendant = 10 << PCOMP_FIX_SHIFT,
                              .direct = 3 << PCOMP_FIX_SHIFT},
    [PCOMP_VARIANT_LOOKUP] = {.own = 5 << PCOMP_FIX_SHIFT,
                              .descendant = 99 << PCOMP_FIX_SHIFT,
                              .direct = 77 << PCOMP_FIX_SHIFT},
    [PCOMP_VARIANT_SKIP] = {.own = 33 << PCOMP_FIX_SHIFT, .descendant = 2 << PCOMP_FIX_SHIFT},
};

static void three_levels(struct path_counts *a, struct path_counts *b, struct path_counts *c)
{
    *a = (struct path_counts){.self = repeats(2), .descendants = repeats(30), .children = repeats(6)};
    *b = (struct path_counts){.self = repeats(6), .descendants = repeats(24), .children = repeats(24)};
    *c = (struct path_counts){.self = repeats(24)};
}

Test(online_model, paper_takes_away_what_the_paper_prints)
{
    struct pcomp_online_model paper;
    struct path_counts a, b, c;

    pcomp_model_init(&paper, PCOMP_MODEL_PAPER, published);
    three_levels(&a, &b, &c);
    assert_terms(path_terms_inclusive(&paper, &a), FIXED(20), FIXED(300), FIXED(18));
    assert_terms(path_terms_exclusive(&paper, &a), 0, 0, FIXED(18));
    assert_terms(path_terms_inclusive(&paper, &b), FIXED(60), FIXED(240), FIXED(72));
    assert_terms(path_terms_exclusive(&paper, &b), 0, 0, FIXED(72));
    assert_terms(path_terms_inclusive(&paper, &c), FIXED(240), 0, 0);
    assert_terms(path_terms_exclusive(&paper, &c), 0, 0, 0);
}

Test(online_model, paper_does_not_conserve_sums)
{
    struct pcomp_online_model paper;
    struct path_counts a, b, c;

    pcomp_model_init(&paper, PCOMP_MODEL_PAPER, published);
    three_levels(&a, &b, &c);
    int64_t exclusive = path_terms_total(path_terms_exclusive(&paper, &a)) +
                        path_terms_total(path_terms_exclusive(&paper, &b)) +
                        path_terms_total(path_terms_exclusive(&paper, &c));
    cr_expect_eq(exclusive, FIXED(90));
    cr_expect_eq(path_terms_total(path_terms_inclusive(&paper, &a)), FIXED(338));
}

Test(online_model, paper_has_one_delta_and_no_other_cost)
{
    struct pcomp_online_model paper;
    struct path_counts counts = {.self = pcomp_calls_of_node(2, 1, 500, false),
                                 .descendants = pcomp_calls_of_node(30, 7, 500, false),
                                 .children = pcomp_calls_of_node(6, 2, 500, false)};
    struct pcomp_calls skipped = pcomp_calls_of_node(1000, 0, 0, true);

    path_calls_add(&counts.descendants, &skipped);
    path_calls_add(&counts.children, &skipped);
    pcomp_model_init(&paper, PCOMP_MODEL_PAPER, published);
    assert_terms(path_terms_inclusive(&paper, &counts), FIXED(20), FIXED(300), FIXED(18));
}

Test(online_model, split_charges_each_variant_what_it_costs)
{
    struct pcomp_online_model split;
    struct path_counts counts = {.self = pcomp_calls_of_node(2, 1, 70, false),
                                 .descendants = pcomp_calls_of_node(30, 7, 50, false),
                                 .children = pcomp_calls_of_node(6, 2, 40, false)};
    struct pcomp_calls skipped = pcomp_calls_of_node(1000, 0, 0, true);

    path_calls_add(&counts.descendants, &skipped);
    path_calls_add(&counts.children, &skipped);
    pcomp_model_init(&split, PCOMP_MODEL_SPLIT, published);
    assert_terms(path_terms_inclusive(&split, &counts), FIXED(4 + 5), FIXED(23 * 10 + 7 * 99 + 1000 * 2 + 50), 0);
    assert_terms(path_terms_exclusive(&split, &counts), FIXED(4 + 5), 0,
                 FIXED(4 * (10 - 4) + 2 * (99 - 5) + 1000 * 2 + 40));
}

Test(online_model, split_conserves_sums)
{
    struct pcomp_online_model split;
    struct path_counts a, b, c;

    pcomp_model_init(&split, PCOMP_MODEL_SPLIT, published);
    three_levels(&a, &b, &c);
    int64_t exclusive = path_terms_total(path_terms_exclusive(&split, &a)) +
                        path_terms_total(path_terms_exclusive(&split, &b)) +
                        path_terms_total(path_terms_exclusive(&split, &c));
    cr_expect_eq(exclusive, path_terms_total(path_terms_inclusive(&split, &a)));
}

Test(online_model, one_activation_loses_its_own_and_its_descendants_overhead)
{
    cr_expect_eq(pcomp_compensate_activation(100, FIXED(30) + 1, FIXED(4)), FIXED(66) - 1);
    cr_expect_eq(pcomp_compensate_activation(3, FIXED(30), FIXED(4)), -31 * 1024, "negative results are kept");
    cr_expect_eq(pcomp_compensate_activation(-5, 0, 0), -5 * 1024, "a clock that stepped back is kept");
}

/* --- Laws -----------------------------------------------------------------------------------------------------------
 */

#define COUNTS      DataPoints(uint64_t, 0, 1, 7, 1000003, 100000000, UINT64_C(1) << 33)
#define FIXED_COSTS DataPoints(int64_t, 0, 1, -513, 25190, 50381, 1 << 20)
#define EVERY_MODEL DataPoints(int, PCOMP_MODEL_NONE, PCOMP_MODEL_PAPER, PCOMP_MODEL_SPLIT)

TheoryDataPoints(online_model, no_cost_is_the_identity) = {EVERY_MODEL, COUNTS, COUNTS, COUNTS};

Theory((int model, uint64_t n, uint64_t m, uint64_t l), online_model, no_cost_is_the_identity)
{
    static const struct pcomp_delta nothing[PCOMP_VARIANTS];
    struct path_counts counts = {.self = pcomp_calls_of_node(n, n / 3, 0, false),
                                 .descendants = pcomp_calls_of_node(m, m / 3, 0, false),
                                 .children = pcomp_calls_of_node(l, l / 3, 0, false)};
    struct pcomp_online_model online;

    pcomp_model_init(&online, (enum pcomp_model)model, nothing);
    assert_terms(path_terms_inclusive(&online, &counts), 0, 0, 0);
    assert_terms(path_terms_exclusive(&online, &counts), 0, 0, 0);
    cr_expect_eq(pcomp_compensate_activation((int64_t)n, 0, online.charge[REPEAT].own), FIXED(n));
}

TheoryDataPoints(online_model, none_takes_nothing_away) = {COUNTS, COUNTS, FIXED_COSTS};

Theory((uint64_t n, uint64_t m, int64_t cost), online_model, none_takes_nothing_away)
{
    struct pcomp_delta delta[PCOMP_VARIANTS];
    struct path_counts counts = {.self = pcomp_calls_of_node(n, n / 3, n, false),
                                 .descendants = pcomp_calls_of_node(m, m / 3, n, false),
                                 .children = pcomp_calls_of_node(m, m / 4, n, false)};
    struct pcomp_online_model none;

    for (int v = 0; v < PCOMP_VARIANTS; v++)
        delta[v] = (struct pcomp_delta){.own = cost, .descendant = 2 * cost, .direct = cost};
    pcomp_model_init(&none, PCOMP_MODEL_NONE, delta);
    assert_terms(path_terms_inclusive(&none, &counts), 0, 0, 0);
    assert_terms(path_terms_exclusive(&none, &counts), 0, 0, 0);
    cr_expect_eq(none.slow, 0);
}

TheoryDataPoints(online_model, terms_are_count_times_delta) = {COUNTS, COUNTS, FIXED_COSTS, FIXED_COSTS};

/* Raw less compensated equals the printed terms, for one variant: any N, M (of which L are direct), own, descendant. */
Theory((uint64_t n, uint64_t m, int64_t own, int64_t descendant), online_model, terms_are_count_times_delta)
{
    const uint64_t l = m / 3;
    const struct pcomp_delta delta[PCOMP_VARIANTS] = {{.own = own, .descendant = descendant, .direct = own / 5}};
    struct path_counts counts = {.self = repeats(n), .descendants = repeats(m), .children = repeats(l)};
    struct pcomp_online_model split, paper;

    pcomp_model_init(&split, PCOMP_MODEL_SPLIT, delta);
    assert_terms(path_terms_inclusive(&split, &counts), (int64_t)n * own, (int64_t)m * descendant, 0);
    assert_terms(path_terms_exclusive(&split, &counts), (int64_t)n * own, 0, (int64_t)l * (descendant - own));
    pcomp_model_init(&paper, PCOMP_MODEL_PAPER, delta);
    assert_terms(path_terms_inclusive(&paper, &counts), (int64_t)n * descendant, (int64_t)m * descendant,
                 (int64_t)l * (own / 5));
    assert_terms(path_terms_exclusive(&paper, &counts), 0, 0, (int64_t)l * (own / 5));
}

/* --- Damaged input, names -------------------------------------------------------------------------------------------
 */

Test(online_model, lookups_of_a_node_never_exceed_its_calls)
{
    struct pcomp_calls node = pcomp_calls_of_node(3, 4, 9, false);

    cr_expect_eq(node.calls[REPEAT], 0);
    cr_expect_eq(node.calls[LOOKUP], 3);
    cr_expect_eq(node.slow_ticks, 9);
}

Test(online_model, a_skipped_node_has_calls_only)
{
    struct pcomp_calls node = pcomp_calls_of_node(3, 2, 9, true);

    cr_expect_eq(node.calls[SKIP], 3);
    cr_expect_eq(node.calls[REPEAT] + node.calls[LOOKUP] + node.slow_ticks, 0);
}

Test(online_model, names_and_models_match)
{
    const char *names[] = {"none", "paper", "split"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enum pcomp_model model = (enum pcomp_model)77;

        cr_assert(pcomp_model_from_name(names[i], &model), "%s", names[i]);
        cr_assert_str_eq(pcomp_model_name(model), names[i]);
    }
}

Test(online_model, an_unknown_name_is_refused)
{
    const char *names[] = {"", "Split", "split ", "spli", "splitt"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enum pcomp_model model = PCOMP_MODEL_PAPER;

        cr_expect_not(pcomp_model_from_name(names[i], &model), "\"%s\"", names[i]);
        cr_expect_eq(model, PCOMP_MODEL_PAPER);
    }
}

Test(online_model, an_unknown_model_takes_nothing_away)
{
    struct pcomp_online_model online;
    struct path_counts a, b, c;

    memset(&online, 0xff, sizeof online);
    cr_expect_null(pcomp_model_name((enum pcomp_model)3));
    pcomp_model_init(&online, (enum pcomp_model)3, published);
    three_levels(&a, &b, &c);
    cr_expect_eq(online.model, PCOMP_MODEL_NONE);
    cr_expect_eq(path_terms_total(path_terms_inclusive(&online, &a)), 0);
}
