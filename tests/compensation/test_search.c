/* The search on simulated programs whose bottlenecks are known. */
#include "compensation/search/search.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

enum { WHOLE, PLACE };

static double unit(uint64_t *state)
{
    return (double)(prng_next(state) >> 11) / 9007199254740992.0;
}

static struct pcomp_hypothesis about(uint32_t parent, uint32_t why, uint32_t axis, uint32_t focus)
{
    return (struct pcomp_hypothesis){.parent = parent, .why = why, .axis = axis, .focus = focus, .threshold = 0.2};
}

/* A program that is in state 0 for most of the time, at one of `places`, each with its share. */
struct program {
    const double *shares;
    uint32_t places;
};

/* Searches for `seconds` with 1000 samples a second. Returns the time when `wanted` places were true, INFINITY never.
 */
static double run(struct pcomp_search *search, const struct program *p, double seconds, uint32_t wanted, uint64_t seed)
{
    uint64_t state = seed * 2654435761u + 1;
    uint32_t found = 0, root = 0;
    struct pcomp_hypothesis h = about(PCOMP_SEARCH_NONE, 0, WHOLE, 0);
    root = pcomp_search_add(search, &h, 0);
    for (uint32_t why = 1; why < 6; why++) { /* what it never does */
        h = about(PCOMP_SEARCH_NONE, why, WHOLE, 0);
        pcomp_search_add(search, &h, 0);
    }
    for (int i = 0; i < (int)(seconds * 1000); i++) {
        double now = i / 1000.0, at = unit(&state);
        uint32_t place = 0;
        while (place < p->places && at >= p->shares[place])
            at -= p->shares[place++];
        pcomp_search_sample(search, 0, now);
        pcomp_search_begin(search, 0, PLACE, 0);
        pcomp_search_value(search, root, place < p->places);
        if (place < p->places) {
            uint32_t index = pcomp_search_find(search, 0, PLACE, place);
            h = about(root, 0, PLACE, place);
            if (index == PCOMP_SEARCH_NONE)
                index = pcomp_search_note(search, &h);
            if (index != PCOMP_SEARCH_NONE)
                pcomp_search_value(search, index, 1);
        }
        if (i % 20)
            continue;
        pcomp_search_decide(search, 1000000, now);
        for (uint32_t index; (index = pcomp_search_next_true(search)) != PCOMP_SEARCH_NONE;) {
            for (uint32_t k = 0; index == root && k < p->places; k++) {
                h = about(root, 0, PLACE, k);
                h.seen = p->shares[k];
                pcomp_search_add(search, &h, now);
            }
            if (pcomp_search_at(search, index)->axis == PLACE && ++found == wanted)
                return now;
        }
    }
    return INFINITY;
}

static const double two_hot[] = {0.03, 0.02, 0.01, 0.4, 0.05, 0.02, 0.03, 0.35, 0.04, 0.02};
static const struct program two_hot_places = {two_hot, 10};

static uint32_t count_in(const struct pcomp_search *search, enum pcomp_hypothesis_state state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pcomp_search_count(search); i++)
        count += pcomp_search_at(search, i)->state == state;
    return count;
}

Test(search, finds_the_places_where_the_time_goes_and_no_others)
{
    for (uint32_t at_most = 0; at_most < 4; at_most++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            struct pcomp_search *search = pcomp_search_new(at_most, 1000);
            run(search, &two_hot_places, 4, 99, seed);
            cr_expect_eq(pcomp_search_at(search, 0)->state, PCOMP_HYPOTHESIS_TRUE);
            cr_expect_eq(count_in(search, PCOMP_HYPOTHESIS_TRUE), 3, "%u: %u", at_most,
                         count_in(search, PCOMP_HYPOTHESIS_TRUE));
            cr_expect_eq(count_in(search, PCOMP_HYPOTHESIS_FALSE), 13);
            for (uint32_t why = 1; why < 6; why++)
                cr_expect_eq(pcomp_search_at(search, why)->state, PCOMP_HYPOTHESIS_FALSE);
            pcomp_search_free(search);
        }
}

Test(search, is_faster_the_more_it_may_test_at_a_time)
{
    double times[3] = {0};
    static const uint32_t at_most[] = {1, 3, 0};
    for (int i = 0; i < 3; i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            struct pcomp_search *search = pcomp_search_new(at_most[i], 1000);
            times[i] += run(search, &two_hot_places, 20, 2, seed);
            pcomp_search_free(search);
        }
    cr_expect(times[2] < times[1] && times[1] < times[0], "%g %g %g s", times[0], times[1], times[2]);
}

Test(search, tests_no_more_at_a_time_than_it_may)
{
    struct pcomp_search *search = pcomp_search_new(3, 1000);
    for (uint32_t i = 0; i < 10; i++) {
        struct pcomp_hypothesis h = about(PCOMP_SEARCH_NONE, 0, PLACE, i);
        pcomp_search_add(search, &h, 0);
        cr_assert_eq(pcomp_search_add(search, &h, 0), i); /* known */
    }
    pcomp_search_decide(search, 100, 0);
    cr_expect_eq(pcomp_search_testing(search), 3);
    cr_expect_eq(pcomp_search_queued(search), 7);
    pcomp_search_free(search);
    search = pcomp_search_new(0, 1000);
    for (uint32_t i = 0; i < 10; i++) {
        struct pcomp_hypothesis h = about(PCOMP_SEARCH_NONE, 0, PLACE, i);
        pcomp_search_add(search, &h, 0);
    }
    pcomp_search_decide(search, 6, 0);
    cr_expect_eq(pcomp_search_testing(search), 6);
    pcomp_search_free(search);
}

Test(search, one_that_stays_near_its_threshold_does_not_keep_others_waiting)
{
    struct pcomp_search *search = pcomp_search_new(1, 200);
    uint64_t state = 3;
    for (uint32_t i = 0; i < 3; i++) {
        struct pcomp_hypothesis h = about(PCOMP_SEARCH_NONE, 0, PLACE, i);
        h.seen = 3 - i;
        pcomp_search_add(search, &h, 0);
    }
    for (int i = 0; i < 3000; i++) {
        pcomp_search_sample(search, 0, i * 1e-3);
        if (unit(&state) < 0.2)
            pcomp_search_value(search, 0, 1);
        pcomp_search_value(search, 1, 1);
        pcomp_search_decide(search, 100, i * 1e-3);
    }
    cr_expect_eq(pcomp_search_at(search, 1)->state, PCOMP_HYPOTHESIS_TRUE);
    cr_expect_eq(pcomp_search_at(search, 2)->state, PCOMP_HYPOTHESIS_FALSE);
    double samples;
    pcomp_search_share(search, 0, &samples);
    cr_expect_gt(samples, 200); /* and is taken up again */
    pcomp_search_free(search);
}

Test(search, what_is_not_known_makes_nothing_false)
{
    struct pcomp_search *search = pcomp_search_new(0, 1000);
    for (uint32_t i = 0; i < 2; i++) {
        struct pcomp_hypothesis h = about(PCOMP_SEARCH_NONE, i, PLACE, 0);
        pcomp_search_add(search, &h, 0);
    }
    pcomp_search_decide(search, 100, 0);
    for (int i = 0; i < 1000; i++) {
        pcomp_search_sample(search, 0, i * 1e-3);
        if (i % 2)
            pcomp_search_unknown(search, 0, PLACE, 1);
        pcomp_search_decide(search, 100, i * 1e-3);
    }
    double samples;
    cr_expect_eq(pcomp_search_at(search, 0)->state, PCOMP_HYPOTHESIS_TESTING);
    cr_expect_eq(pcomp_search_at(search, 1)->state, PCOMP_HYPOTHESIS_FALSE);
    struct pcomp_share share = pcomp_search_share(search, 0, &samples);
    cr_expect(share.low == 0 && share.high > 0.5);
    pcomp_search_free(search);
}

Test(search, values_of_one_sample_are_one_together)
{
    struct pcomp_search *search = pcomp_search_new(0, 1000);
    struct pcomp_hypothesis h = about(PCOMP_SEARCH_NONE, 0, WHOLE, 0);
    uint32_t index = pcomp_search_add(search, &h, 0);
    pcomp_search_decide(search, 1, 0);
    double samples;
    for (int i = 0; i < 10; i++) {
        pcomp_search_sample(search, 0, i);
        for (int k = 0; k < 4; k++)
            pcomp_search_value(search, index, i < 5 ? 0.25 : 0.5);
    }
    cr_expect_float_eq(pcomp_search_share(search, index, &samples).value, 1, 1e-9);
    pcomp_search_free(search);
}

/* A share of `before` until `change`, then of `after`. */
static size_t phases_of(double before, double after, double change, uint64_t seed, struct pcomp_search_phase *phases)
{
    struct pcomp_search *search = pcomp_search_new(0, 1000);
    struct pcomp_hypothesis h = about(PCOMP_SEARCH_NONE, 0, WHOLE, 0);
    uint64_t state = seed * 7919 + 1;
    pcomp_search_add(search, &h, 0);
    pcomp_search_decide(search, 1, 0);
    for (int i = 0; i < 10000; i++) {
        double now = i * 1e-3;
        pcomp_search_sample(search, 0, now);
        if (unit(&state) < (now < change ? before : after))
            pcomp_search_value(search, 0, 1);
    }
    size_t count = pcomp_search_phases(search, 0, phases, PCOMP_SEARCH_SLICES);
    pcomp_search_free(search);
    return count;
}

Test(search, phases_are_found_where_the_share_changes)
{
    struct pcomp_search_phase phases[PCOMP_SEARCH_SLICES];
    cr_assert_eq(phases_of(0.1, 0.6, 4, 1, phases), 2);
    cr_expect_float_eq(phases[0].to_s, 4, 0.4);
    cr_expect_float_eq(phases[1].from_s, 4, 0.4);
    cr_expect_float_eq(phases[0].value, 0.1, 0.04);
    cr_expect_float_eq(phases[1].value, 0.6, 0.04);
}

Test(search, a_share_that_does_not_change_has_no_phases)
{
    struct pcomp_search_phase phases[PCOMP_SEARCH_SLICES];
    int found = 0;
    for (uint64_t seed = 0; seed < 40; seed++)
        found += phases_of(0.3, 0.3, 0, seed, phases) > 0;
    cr_expect_leq(found, 2);
}

Test(search, a_phase_that_comes_late_makes_true_what_was_false)
{
    struct pcomp_search *search = pcomp_search_new(0, 1000);
    struct pcomp_hypothesis h = about(PCOMP_SEARCH_NONE, 0, WHOLE, 0);
    pcomp_search_add(search, &h, 0);
    for (int i = 0; i < 1000; i++) {
        pcomp_search_sample(search, 0, i * 1e-3);
        pcomp_search_value(search, 0, i > 500);
        pcomp_search_decide(search, 1, i * 1e-3);
        if (i == 500)
            cr_expect_eq(pcomp_search_at(search, 0)->state, PCOMP_HYPOTHESIS_FALSE);
    }
    cr_expect_eq(pcomp_search_at(search, 0)->state, PCOMP_HYPOTHESIS_TRUE);
    for (int i = 1000; i < 6000; i++) { /* and again */
        pcomp_search_sample(search, 0, i * 1e-3);
        pcomp_search_decide(search, 1, i * 1e-3);
    }
    cr_expect_eq(pcomp_search_at(search, 0)->state, PCOMP_HYPOTHESIS_FALSE);
    pcomp_search_free(search);
}

Test(search, the_plan_stays_within_the_budget)
{
    uint64_t state = 9;
    for (int i = 0; i < 1000; i++) {
        struct pcomp_search_cost cost = {unit(&state) * 1e-4, unit(&state) * 1e-6, 0.01 + unit(&state) * 0.5, 2e-4};
        struct pcomp_search_plan plan = pcomp_search_plan_of(&cost);
        cr_assert_geq(plan.distance, cost.min);
        cr_assert_geq(plan.breadth, 1);
        cr_assert(plan.breadth == 1 || cost.sample + plan.breadth * cost.each <= cost.budget * plan.distance * 1.001);
        struct pcomp_search_cost more = cost;
        more.budget *= 1.5;
        cr_assert_leq(pcomp_search_plan_of(&more).distance, plan.distance);
    }
}
