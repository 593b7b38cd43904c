/* Which functions stay timed: laws of the allowance, on calls at random. */
#include "compensation/control/level_machine.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <math.h>

#define FUNCTIONS 200
#define ROUNDS    2000

static uint64_t calls[FUNCTIONS];
static uint8_t levels[FUNCTIONS];

/* Calls over nine orders of magnitude. */
static void draw(uint64_t *state)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        calls[i] = prng_next(state) >> (34 + prng_next(state) % 30);
        levels[i] = prng_next(state) % 4 != 0 ? PCOMP_LEVEL_TIMED : PCOMP_LEVEL_COUNTED;
    }
}

static double allowance_of(const uint64_t *of, const uint8_t *at, uint32_t count, double seconds, double price)
{
    return pcomp_levels_affordable(of, at, count, PCOMP_LEVEL_BURST + PCOMP_LEVEL_RATE * seconds, seconds, price, 0);
}

static double cost_of(double allowance, double cost)
{
    double sum = 0;
    for (int i = 0; i < FUNCTIONS; i++)
        sum += levels[i] == PCOMP_LEVEL_TIMED && (double)calls[i] <= allowance ? (double)calls[i] * cost : 0;
    return sum;
}

Test(levels, calls_of_fallen_functions_leave_less_to_others_but_a_part)
{
    const uint64_t of[] = {100, 1000, 5000};
    const uint8_t at[] = {PCOMP_LEVEL_TIMED, PCOMP_LEVEL_TIMED, PCOMP_LEVEL_TIMED};
    const double price = 1e-6, seconds = 1, all = (PCOMP_LEVEL_START + PCOMP_LEVEL_SHARE * seconds) / price;
    double last = INFINITY;
    for (double fallen = 0; fallen < 2 * all; fallen += all / 16) {
        double allowance = pcomp_levels_affordable(of, at, 3, 1e5, seconds, price, fallen);
        cr_assert_leq(allowance, last);
        last = allowance;
    }
    cr_assert_eq(pcomp_levels_affordable(of, at, 3, 1e5, seconds, price, all / 4), 1e5);
    cr_assert_geq(PCOMP_LEVEL_REST * all, 100 + 1000, "the test's numbers");
    cr_assert_lt(last, 5000);
    cr_assert_geq(last, 1000);
}

Test(levels, what_costs_nothing_has_burst_and_rate)
{
    uint64_t state = 1;
    for (int i = 0; i < ROUNDS; i++) {
        draw(&state);
        double seconds = (double)(prng_next(&state) % 100000) / 1000;
        cr_assert_float_eq(allowance_of(calls, levels, FUNCTIONS, seconds, 0),
                           PCOMP_LEVEL_BURST + PCOMP_LEVEL_RATE * seconds, 1e-6);
        cr_assert_float_eq(allowance_of(calls, levels, 0, seconds, 1), PCOMP_LEVEL_BURST + PCOMP_LEVEL_RATE * seconds,
                           1e-6, "no function");
    }
}

Test(levels, what_stays_timed_costs_its_share_at_most)
{
    uint64_t state = 2;
    for (int i = 0; i < ROUNDS; i++) {
        draw(&state);
        double seconds = (double)(prng_next(&state) % 100000) / 1000, cost = 1e-9 * (double)(prng_next(&state) % 10000);
        double allowance = allowance_of(calls, levels, FUNCTIONS, seconds, cost);
        cr_assert(allowance <= PCOMP_LEVEL_BURST + PCOMP_LEVEL_RATE * seconds);
        cr_assert(allowance < 1 || cost_of(allowance, cost) <= PCOMP_LEVEL_START + PCOMP_LEVEL_SHARE * seconds);
    }
}

/* A level falls, and does not fall again for the time alone. */
Test(levels, what_stayed_timed_stays_so_while_it_is_not_called)
{
    uint64_t state = 3;
    for (int i = 0; i < ROUNDS; i++) {
        draw(&state);
        double seconds = (double)(prng_next(&state) % 1000) / 1000, cost = 1e-9 * (double)(prng_next(&state) % 1000);
        double before = allowance_of(calls, levels, FUNCTIONS, seconds, cost);
        for (int k = 0; k < FUNCTIONS; k++)
            if ((double)calls[k] > before)
                levels[k] = PCOMP_LEVEL_COUNTED;
        double after = allowance_of(calls, levels, FUNCTIONS, seconds + 0.05, cost);
        cr_assert(after >= before || cost_of(before, cost) == 0 || before < 1);
        for (int k = 0; k < FUNCTIONS; k++)
            cr_assert(levels[k] != PCOMP_LEVEL_TIMED || (double)calls[k] <= after || before < 1);
    }
}

Test(levels, a_dearer_call_never_allows_more)
{
    uint64_t state = 4;
    for (int i = 0; i < ROUNDS; i++) {
        draw(&state);
        double cost = 1e-9 * (double)(prng_next(&state) % 1000);
        cr_assert(allowance_of(calls, levels, FUNCTIONS, 0.1, cost * 2) <=
                  allowance_of(calls, levels, FUNCTIONS, 0.1, cost));
    }
}
