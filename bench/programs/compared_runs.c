/* What sets of runs are compared of: a dozen functions of different kinds and shares, some 0.3 s in all.
 *
 *   compared_runs          SLOWED_PERCENT, a definition: `convolve`, a fifth of the time, does so much more work */
#include "bench/programs/bench_clock.h"

#include <stdlib.h>
#include <string.h>

#ifndef SLOWED_PERCENT
#define SLOWED_PERCENT 0
#endif

enum { CELLS = 1 << 12, TABLE = 1 << 16, ROUNDS = 100, STEPS = 60000 };

static uint32_t cells[CELLS], table[TABLE];
static double samples[CELLS];

BENCH_CALL static uint64_t scramble(uint64_t x)
{
    return (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
}

BENCH_CALL static uint64_t fill(uint64_t x)
{
    for (int i = 0; i < CELLS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        cells[i] = (uint32_t)(x >> 32);
        samples[i] = (double)(x >> 40);
    }
    return x;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

BENCH_CALL static uint64_t sort(uint64_t x)
{
    qsort(cells, CELLS, sizeof *cells, by_value);
    return x + cells[CELLS / 2];
}

BENCH_CALL static uint64_t convolve(uint64_t x)
{
    double sum = 0;
    for (long i = 0; i < STEPS * 6L * (100 + SLOWED_PERCENT) / 100; i++)
        sum = sum * 0.999 + samples[i % CELLS];
    return x + (uint64_t)sum;
}

BENCH_CALL static uint64_t look_up(uint64_t x)
{
    for (long i = 0; i < STEPS * 2L; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        table[x >> 48]++;
        x += table[x >> 33 & (TABLE - 1)] & 1;
    }
    return x;
}

BENCH_CALL static uint64_t divide(uint64_t x)
{
    uint64_t sum = x;
    for (long i = 0; i < STEPS; i++)
        sum += (sum | 1u << 20) / (i + 3);
    return sum;
}

BENCH_CALL static uint64_t copy(uint64_t x)
{
    static uint32_t other[TABLE];
    for (int i = 0; i < 8; i++) {
        memmove(other, table, sizeof other);
        other[i] += (uint32_t)x;
        __asm__ volatile("" : : "r"(other) : "memory");
    }
    return x + other[7];
}

BENCH_CALL static uint64_t many_small(uint64_t x)
{
    for (long i = 0; i < STEPS; i++)
        x = scramble(x);
    return x;
}

BENCH_CALL static uint64_t work(uint64_t x)
{
    x = fill(x);
    x = sort(x);
    x = convolve(x);
    x = look_up(x);
    x = divide(x);
    x = copy(x);
    return many_small(x);
}

int main(void)
{
    uint64_t x = 1;
    for (int round = 0; round < ROUNDS; round++)
        x = work(x);
    return (int)(x >> 63) & 0;
}
