/* Laws of loop schedules, on random loops. */
#include "compensation/replay/schedule.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>

enum { LOOPS = 3000, UNITS = 200, LOCATIONS = 9 };

struct loop {
    uint64_t costs[UNITS], ready[LOCATIONS], sum, longest;
    uint32_t assigned[UNITS], locations;
    size_t count;
};

static struct loop random_loop(uint64_t seed, bool equal)
{
    struct loop l = {.locations = 1 + (uint32_t)prng_below(&seed, LOCATIONS), .count = prng_below(&seed, UNITS)};
    for (size_t i = 0; i < l.count; i++) {
        l.costs[i] = equal ? 7 : prng_below(&seed, 1000);
        l.sum += l.costs[i];
        l.longest = l.costs[i] > l.longest ? l.costs[i] : l.longest;
    }
    return l;
}

static uint64_t makespan(struct loop *l, enum schedule_policy policy, size_t chunk)
{
    uint64_t last = 0;
    cr_assert(
        schedule_assign(&(struct schedule){policy, chunk}, l->costs, l->count, l->ready, l->locations, l->assigned));
    for (uint32_t i = 0; i < l->locations; i++)
        last = l->ready[i] > last ? l->ready[i] : last;
    return last;
}

Test(schedule, no_policy_beats_the_bounds_or_loses_a_unit)
{
    for (uint64_t seed = 1; seed <= LOOPS; seed++) {
        struct loop l = random_loop(seed, false);
        uint64_t sums[LOCATIONS] = {0};
        enum schedule_policy policy = (enum schedule_policy)(seed % 3);
        uint64_t span = makespan(&l, policy, seed / 3 % 4);
        for (size_t i = 0; i < l.count; i++) {
            cr_assert_lt(l.assigned[i], l.locations, "seed %lu", (unsigned long)seed);
            sums[l.assigned[i]] += l.costs[i];
        }
        cr_assert_arr_eq(sums, l.ready, l.locations * sizeof *sums, "seed %lu", (unsigned long)seed);
        cr_assert_leq(span, l.sum, "seed %lu", (unsigned long)seed);
        cr_assert_geq(span, l.longest, "seed %lu", (unsigned long)seed);
        cr_assert_geq(span * l.locations, l.sum, "seed %lu", (unsigned long)seed);
    }
}

/* Whoever takes a unit was free no later than all others: list scheduling, at most one unit above the mean. */
Test(schedule, dynamic_ends_at_most_the_longest_unit_above_the_mean)
{
    for (uint64_t seed = 1; seed <= LOOPS; seed++) {
        struct loop l = random_loop(seed, false);
        uint64_t span = makespan(&l, SCHEDULE_DYNAMIC, 0);
        cr_assert_leq(span * l.locations, l.sum + l.longest * (l.locations - 1), "seed %lu", (unsigned long)seed);
    }
}

Test(schedule, equal_units_are_shared_as_evenly_as_can_be)
{
    for (uint64_t seed = 1; seed <= LOOPS; seed++) {
        struct loop l = random_loop(seed, true);
        uint64_t ideal = (l.count + l.locations - 1) / l.locations * 7;
        struct loop dynamic = l, blocks = l, turns = l;
        cr_assert_eq(makespan(&dynamic, SCHEDULE_DYNAMIC, 1), ideal, "seed %lu", (unsigned long)seed);
        cr_assert_eq(makespan(&blocks, SCHEDULE_STATIC, 0), ideal, "seed %lu", (unsigned long)seed);
        cr_assert_eq(makespan(&turns, SCHEDULE_STATIC, 1), ideal, "seed %lu", (unsigned long)seed);
    }
}

static void expect_assigned(enum schedule_policy policy, size_t chunk, const uint32_t expected[10])
{
    static const uint64_t costs[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    uint64_t ready[3] = {0, 0, 5};
    uint32_t assigned[10];
    cr_assert(schedule_assign(&(struct schedule){policy, chunk}, costs, 10, ready, 3, assigned));
    for (int i = 0; i < 10; i++)
        cr_expect_eq(assigned[i], expected[i], "policy %d, unit %d: %u", (int)policy, i, assigned[i]);
}

Test(schedule, by_hand_with_one_location_that_comes_later)
{
    expect_assigned(SCHEDULE_DYNAMIC, 0, (uint32_t[]){0, 1, 0, 1, 0, 1, 0, 1, 0, 1});
    expect_assigned(SCHEDULE_DYNAMIC, 4, (uint32_t[]){0, 0, 0, 0, 1, 1, 1, 1, 0, 0});
    expect_assigned(SCHEDULE_GUIDED, 0, (uint32_t[]){0, 0, 0, 0, 1, 1, 1, 1, 0, 1}); /* 4, 2, 2, 1, 1 */
    expect_assigned(SCHEDULE_STATIC, 0, (uint32_t[]){0, 0, 0, 0, 1, 1, 1, 2, 2, 2});
    expect_assigned(SCHEDULE_STATIC, 2, (uint32_t[]){0, 0, 1, 1, 2, 2, 0, 0, 1, 1});
}
