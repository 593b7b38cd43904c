/* Levels: when functions fall and return. test_levels.c has the laws of the allowance, test_simulated_default.c whole
 * programs. */
#include "compensation/control/level_machine.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define FUNCTIONS 8

struct looks {
    struct pcomp_level_machine machine;
    struct pcomp_level_function functions[FUNCTIONS];
    uint8_t levels[FUNCTIONS];
    double calls[FUNCTIONS], spent;
    uint32_t changes;
    struct pcomp_level_poll look;
};

static struct looks begin(void)
{
    return (struct looks){.look = {.timed_price = 50e-9,
                                   .counted_price = 1e-9,
                                   .limit = PCOMP_LEVEL_LIMIT,
                                   .burst = PCOMP_LEVEL_BURST,
                                   .rate = PCOMP_LEVEL_RATE}};
}

/* Looks once more, after so long with these rates. */
static void pass(struct looks *l, double seconds, const double *rates)
{
    uint64_t calls[FUNCTIONS];
    for (int i = 0; i < FUNCTIONS; i++) {
        double more = rates[i] * seconds;
        l->calls[i] += more;
        l->spent += more * (l->levels[i] == PCOMP_LEVEL_TIMED     ? l->look.timed_price
                            : l->levels[i] == PCOMP_LEVEL_COUNTED ? l->look.counted_price
                                                                  : 0);
        calls[i] = (uint64_t)l->calls[i];
    }
    l->look.seconds += seconds;
    l->changes += pcomp_levels_poll(&l->machine, l->functions, l->levels, calls, FUNCTIONS, &l->look);
}

static void pass_for(struct looks *l, double seconds, const double *rates)
{
    for (double end = l->look.seconds + seconds; l->look.seconds < end;)
        pass(l, fmax(l->machine.next, 0.0005), rates);
}

Test(level_machine, each_rate_has_its_level)
{
    static const double rates[FUNCTIONS] = {0, 1, 900, 1e5, 1e6, 1e7, 2e8, 8e8};
    struct looks l = begin();
    pass_for(&l, 1, rates);
    for (int i = 0; i < FUNCTIONS; i++) {
        uint8_t level = i < 3 ? PCOMP_LEVEL_TIMED : i < 6 ? PCOMP_LEVEL_COUNTED : PCOMP_LEVEL_SAMPLED;
        cr_assert_eq(l.levels[i], level, "function %d is %d", i, l.levels[i]);
    }
    cr_assert_eq(l.changes, 7);
}

Test(level_machine, a_thousand_million_calls_a_second_are_reined_in)
{
    static const double calm[FUNCTIONS] = {100}, hot[FUNCTIONS] = {100, 1e9};
    struct looks l = begin();
    for (int i = 0; i < FUNCTIONS; i++)
        l.levels[i] = PCOMP_LEVEL_COUNTED;
    pass_for(&l, 0.01, hot);
    cr_assert(l.levels[1] == PCOMP_LEVEL_SAMPLED && l.spent < 0.003, "from the start: %g s", l.spent);
    l = begin();
    for (int i = 0; i < FUNCTIONS; i++)
        l.levels[i] = PCOMP_LEVEL_COUNTED;
    pass_for(&l, 1, calm);
    double before = l.spent;
    pass_for(&l, 0.05, hot);
    cr_assert(l.levels[1] == PCOMP_LEVEL_SAMPLED && l.spent - before < 0.025, "later: %g s", l.spent - before);
}

Test(level_machine, waiting_earns_nothing_but_keeps_seldom_called_functions_timed)
{
    static const double rates[FUNCTIONS] = {9000, 2e7, 5e8}; /* of processor time: a tenth of that on the wall */
    struct looks l = begin();
    while (l.look.seconds < 0.1) {
        pass(&l, fmax(l.machine.next, 0.0005), rates);
        l.look.wall = 10 * l.look.seconds;
    }
    cr_assert_eq(l.levels[0], PCOMP_LEVEL_TIMED);
    cr_assert_eq(l.levels[1], PCOMP_LEVEL_COUNTED);
    cr_assert_eq(l.levels[2], PCOMP_LEVEL_SAMPLED);
    cr_assert_lt(l.spent, 2.5 * PCOMP_LEVEL_LIMIT * l.look.seconds);
}

Test(level_machine, exact_counts_stay_so)
{
    static const double rates[FUNCTIONS] = {1e9, 1e9, 1e9};
    struct looks l = begin();
    l.look.exact = true;
    pass_for(&l, 0.5, rates);
    cr_assert_eq(l.levels[0], PCOMP_LEVEL_COUNTED);
    l.levels[1] = PCOMP_LEVEL_SAMPLED;
    pass(&l, 0.001, rates);
    cr_assert_eq(l.levels[1], PCOMP_LEVEL_COUNTED);
}

Test(level_machine, the_hottest_fall_until_the_rest_fits)
{
    uint64_t random = 1;
    for (int round = 0; round < 200; round++) {
        struct looks l = begin();
        double rates[FUNCTIONS], left = 0, coolest = INFINITY, hottest = 0;
        for (int i = 0; i < FUNCTIONS; i++) {
            rates[i] = pow(10, 4 + (double)prng_below(&random, 5000) / 1000);
            l.levels[i] = PCOMP_LEVEL_COUNTED;
        }
        pass_for(&l, 20, rates); /* what hardly exceeds the limit lives on what was saved */
        for (int i = 0; i < FUNCTIONS; i++) {
            bool sampled = l.levels[i] == PCOMP_LEVEL_SAMPLED;
            left += sampled ? 0 : rates[i] * l.look.counted_price;
            coolest = sampled ? fmin(coolest, rates[i]) : coolest;
            hottest = sampled ? hottest : fmax(hottest, rates[i]);
        }
        cr_assert(left <= 1.001 * l.look.limit, "%g", left);
        cr_assert(coolest > 0.999 * hottest, "%g %g", coolest, hottest);
        cr_assert(coolest == INFINITY || left + coolest * l.look.counted_price > 0.5 * l.look.limit, "too many fell");
    }
}

/* One after the other, each until it has fallen: what that cost, over what timed calls may cost until then. */
static double turned_hot(bool keeps_fallen)
{
    struct looks l = begin();
    l.look.burst = 1e9; /* what it costs decides alone */
    l.look.counted_price = 0;
    l.look.keeps_fallen = keeps_fallen;
    for (int hot = 0; hot < FUNCTIONS; hot++) {
        double rates[FUNCTIONS] = {0};
        rates[hot] = 1e6;
        for (int looks = 0; l.levels[hot] == PCOMP_LEVEL_TIMED && looks < 10000; looks++)
            pass(&l, 1e-4, rates);
    }
    return l.spent / (PCOMP_LEVEL_START + PCOMP_LEVEL_SHARE * l.look.seconds);
}

Test(level_machine, what_fallen_functions_cost_is_kept_in_mind_where_asked)
{
    double forgotten = turned_hot(false), kept = turned_hot(true);
    cr_assert_lt(kept, 0.6 * forgotten, "%g, %g", kept, forgotten);
}

Test(level_machine, sites_that_are_off_leave_less_to_counted_calls_but_not_nothing)
{
    static const double rates[FUNCTIONS] = {3.4e7, 2e7, 8e6};
    static const double sites[] = {0, 0.03, 0.5};
    for (int i = 0; i < 3; i++) {
        struct looks l = begin();
        l.look.sites = sites[i];
        pass_for(&l, 6, rates);
        uint8_t hottest = i == 0 ? PCOMP_LEVEL_COUNTED : PCOMP_LEVEL_SAMPLED;
        cr_assert_eq(l.levels[0], hottest, "sites %g: %d", sites[i], l.levels[0]);
        cr_assert_eq(l.levels[1], PCOMP_LEVEL_COUNTED, "sites %g", sites[i]);
        cr_assert_eq(l.levels[2], PCOMP_LEVEL_COUNTED, "sites %g", sites[i]);
    }
}

Test(level_machine, what_cools_down_returns_after_a_while)
{
    static const double hot[FUNCTIONS] = {0, 5e8}, warm[FUNCTIONS] = {0, 6e7}, cool[FUNCTIONS] = {0, 1e7};
    struct looks l = begin();
    pass_for(&l, 0.3, hot);
    cr_assert_eq(l.levels[1], PCOMP_LEVEL_SAMPLED);
    pass_for(&l, 3, warm);
    cr_assert_eq(l.levels[1], PCOMP_LEVEL_SAMPLED, "it would fit, but not with a wide margin");
    pass_for(&l, PCOMP_LEVEL_CALM / 2, cool);
    cr_assert_eq(l.levels[1], PCOMP_LEVEL_SAMPLED, "not yet");
    pass_for(&l, 2 * PCOMP_LEVEL_CALM, cool);
    cr_assert_eq(l.levels[1], PCOMP_LEVEL_COUNTED);
}

Test(level_machine, levels_do_not_flip_for_ever)
{
    static const double hot[FUNCTIONS] = {1e8, 5e8, 2e8}, cool[FUNCTIONS] = {1e3};
    struct looks l = begin();
    for (int i = 0; i < 200; i++) {
        pass_for(&l, 0.2, hot);
        pass_for(&l, 10, cool);
    }
    cr_assert(l.changes <= 3 * (2 + 2 * PCOMP_LEVEL_RETURNS), "%u changes", l.changes);
    cr_assert(l.functions[1].returns <= PCOMP_LEVEL_RETURNS);
}

Test(level_machine, what_is_on_average_affordable_is_counted)
{
    static const double more[FUNCTIONS] = {1.3e8}, less[FUNCTIONS] = {2e7};
    struct looks l = begin();
    l.levels[0] = PCOMP_LEVEL_COUNTED;
    for (int i = 0; i < 20; i++) {
        pass_for(&l, 0.2, less);
        pass_for(&l, 0.02, more);
    }
    cr_assert_eq(l.levels[0], PCOMP_LEVEL_COUNTED);
}

Test(level_machine, looks_may_be_seconds_apart_or_together)
{
    static const double rates[FUNCTIONS] = {10, 1e6, 5e8};
    struct looks l = begin();
    double times[] = {0, 3, 0, 0.001, 5, 0, 2};
    for (int i = 0; i < 7; i++)
        pass(&l, times[i], rates);
    cr_assert_eq(l.levels[0], PCOMP_LEVEL_TIMED);
    cr_assert_eq(l.levels[1], PCOMP_LEVEL_COUNTED);
    cr_assert_eq(l.levels[2], PCOMP_LEVEL_SAMPLED);
    cr_assert(isfinite(l.machine.balance) && isfinite(l.machine.next));
}

Test(level_machine, estimates_may_decrease)
{
    static const double rates[FUNCTIONS] = {5e8};
    struct looks l = begin();
    pass_for(&l, 0.1, rates);
    l.calls[0] /= 2;
    static const double none[FUNCTIONS] = {0};
    pass(&l, 0.01, none);
    cr_assert(l.functions[0].last == 0 && l.functions[0].rate >= 0);
}
