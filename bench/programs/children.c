/* 1000 children of one parent, called the same one again, in round robin, and in random order.
 *
 *   children [ROUNDS]   prints CPU nanoseconds a call: best and median over the rounds
 *
 * Run it with the full and with the empty hooks; the difference is what the order costs the profiler. */
#include "bench/programs/bench_clock.h"
#include "bench/programs/many_functions.h"

#include <stdio.h>

#define DEFINE(n)                                                                                                      \
    BENCH_CALL static void child_##n(void)                                                                             \
    {                                                                                                                  \
        __asm__ volatile("" ::"i"(n));                                                                                 \
    }
#define NAME(n) child_##n,

THOUSAND(DEFINE, 1)
static void (*const child_table[])(void) = {THOUSAND(NAME, 1)};

enum { CHILDREN = sizeof child_table / sizeof *child_table, CALLS = 1000000 };
_Static_assert(CHILDREN == 1000, "one thousand children");

static uint16_t repeat_order[CALLS], robin_order[CALLS], random_order[CALLS];

BENCH_PLAIN __attribute__((noinline)) static double batch(const uint16_t *order)
{
    int64_t begin = bench_cpu_ns();
    for (int i = 0; i < CALLS; i++)
        child_table[order[i]]();
    return (double)(bench_cpu_ns() - begin) / CALLS;
}

int main(int argc, char **argv)
{
    enum { ORDERS = 3 };
    const uint16_t *const orders[ORDERS] = {repeat_order, robin_order, random_order};
    const char *const names[ORDERS] = {"repeat", "robin", "random"};
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 7;
    double *values = calloc(rounds * ORDERS, sizeof *values);
    if (!values || !rounds)
        return 1;
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < CALLS; i++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        repeat_order[i] = 500;
        robin_order[i] = (uint16_t)(i % CHILDREN);
        random_order[i] = (uint16_t)(state % CHILDREN);
    }
    batch(robin_order); /* every path has been seen before anything is timed */
    for (size_t r = 0; r < rounds; r++)
        for (int k = 0; k < ORDERS; k++)
            values[(size_t)k * rounds + r] = batch(orders[k]);
    for (int k = 0; k < ORDERS; k++) {
        double median = bench_median(values + (size_t)k * rounds, rounds);
        printf("%s_best %.3f\n%s_median %.3f\n", names[k], values[(size_t)k * rounds], names[k], median);
    }
    free(values);
    return 0;
}
