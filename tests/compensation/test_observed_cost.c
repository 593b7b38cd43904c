/* What measuring cost, from counts: laws of the sums. */
#include "compensation/observed_cost.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct pcomp_cost_events usual = {.counted = 2000, .stamped = 40, .hook = 9000, .slow = 1500};

Test(observed_cost, every_kind_has_a_name_of_its_own)
{
    for (int i = 0; i < PCOMP_COST_KINDS; i++) {
        cr_assert_not_null(pcomp_cost_kind_name(i));
        for (int k = 0; k < i; k++)
            cr_assert_str_neq(pcomp_cost_kind_name(i), pcomp_cost_kind_name(k));
    }
    cr_assert_null(pcomp_cost_kind_name(-1));
    cr_assert_null(pcomp_cost_kind_name(PCOMP_COST_KINDS));
}

Test(observed_cost, nothing_costs_nothing)
{
    struct pcomp_cost none = pcomp_cost_of_events(&(struct pcomp_cost_events){0}, 8, 40);
    cr_assert_eq(pcomp_cost_total(&none), 0);
    none = pcomp_cost_of_timed(0, 25, 0, 30, 0);
    cr_assert_eq(pcomp_cost_total(&none), 0);
}

Test(observed_cost, the_kinds_are_the_parts_of_the_total)
{
    struct pcomp_cost cost = pcomp_cost_of_events(&usual, 8, 40);
    cr_assert_eq(cost.of[PCOMP_COST_COUNTING], 8000); /* 2000 events, two a call */
    cr_assert_eq(cost.of[PCOMP_COST_TIMING], 40 * 40 + 7500);
    cr_assert_eq(cost.of[PCOMP_COST_NEW_PATHS], 1500);
    cr_assert_eq(pcomp_cost_total(&cost), 8000 + 1600 + 9000);
}

Test(observed_cost, slow_hooks_are_counted_once)
{
    /* of a file that is being written, one count may be ahead of the other */
    struct pcomp_cost_events events = {.hook = 100, .slow = 700};
    struct pcomp_cost cost = pcomp_cost_of_events(&events, 8, 40);
    cr_assert_eq(pcomp_cost_total(&cost), 100);
}

Test(observed_cost, parts_add_up)
{
    struct pcomp_cost_events half = {usual.counted / 2, usual.stamped / 2, usual.hook / 2, usual.slow / 2};
    struct pcomp_cost whole = pcomp_cost_of_events(&usual, 8, 40), sum = pcomp_cost_of_events(&half, 8, 40), part = sum;
    pcomp_cost_add(&sum, &part);
    for (int k = 0; k < PCOMP_COST_KINDS; k++)
        cr_assert_float_eq(sum.of[k], whole.of[k], 1e-9);
}

Test(observed_cost, timed_calls_cost_what_their_variant_does)
{
    struct pcomp_cost cost = pcomp_cost_of_timed(100, 25, 50, 31, 400);
    cr_assert_eq(cost.of[PCOMP_COST_TIMING], 100 * 25 + 50 * 31);
    cr_assert_eq(cost.of[PCOMP_COST_NEW_PATHS], 400);
}

Test(observed_cost, the_paths_of_a_thread_share_what_its_bursts_cost)
{
    struct pcomp_cost seen[2] = {pcomp_cost_of_events(&usual, 8, 40),
                                 pcomp_cost_of_events(&(struct pcomp_cost_events){.counted = 100}, 8, 40)};
    const double off_calls[2] = {9000, 400}, off_call = 0.5, lost = 30000;
    struct pcomp_cost_bursts thread = {.lost = lost, .off_calls = 9400, .off_call = off_call};
    for (int i = 0; i < 2; i++)
        thread.constant += seen[i].of[PCOMP_COST_COUNTING] + seen[i].of[PCOMP_COST_TIMING];
    double scale = pcomp_cost_burst_scale(&thread), total = 0, first_calls = 0;
    for (int i = 0; i < 2; i++) {
        struct pcomp_cost cost = pcomp_cost_of_bursts(&seen[i], scale, off_calls[i], off_call);
        cr_assert_eq(cost.of[PCOMP_COST_OFF], off_calls[i] * off_call);
        total += pcomp_cost_total(&cost);
        first_calls += cost.of[PCOMP_COST_NEW_PATHS];
    }
    cr_assert_float_eq(total - first_calls, lost, 1e-6);
}

Test(observed_cost, a_burst_in_which_nothing_was_counted_changes_nothing)
{
    cr_assert_eq(pcomp_cost_burst_scale(&(struct pcomp_cost_bursts){.lost = 100}), 1);
}

Test(observed_cost, the_share_of_no_time_is_unknown)
{
    cr_assert_eq(pcomp_cost_share(5, 100), 0.05);
    cr_assert(isnan(pcomp_cost_share(5, 0)));
    cr_assert(isnan(pcomp_cost_share(5, -1)));
}

Test(observed_cost, absurd_numbers_stay_finite)
{
    const double absurd[] = {0, -1e18, 1e18, 1};
    for (int i = 0; i < 256; i++) {
        double a = absurd[i & 3], b = absurd[i >> 2 & 3], c = absurd[i >> 4 & 3], d = absurd[i >> 6];
        struct pcomp_cost cost = pcomp_cost_of_events(&(struct pcomp_cost_events){a, b, c, d}, a, b);
        double scale = pcomp_cost_burst_scale(&(struct pcomp_cost_bursts){a, b, c, d});
        cr_assert(isfinite(pcomp_cost_total(&cost)));
        cr_assert(isfinite(scale));
        cost = pcomp_cost_of_bursts(&cost, scale, c, d);
        cr_assert(isfinite(pcomp_cost_total(&cost)));
    }
}
