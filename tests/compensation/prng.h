/* Reproducible random numbers for tests (splitmix64): a failing test prints the seed it started from. */
#ifndef PCOMP_TEST_PRNG_H
#define PCOMP_TEST_PRNG_H

#include <stdint.h>

static inline uint64_t prng_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* 0 .. bound - 1 */
static inline uint64_t prng_below(uint64_t *state, uint64_t bound)
{
    return prng_next(state) % bound;
}

/* Mean 0, standard deviation 1, near enough to normal: a sum of twelve uniform numbers. */
static inline double prng_normal(uint64_t *state)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += (double)(prng_next(state) >> 11) / 9007199254740992.0;
    return sum;
}

#endif
