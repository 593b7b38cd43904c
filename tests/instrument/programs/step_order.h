/* A sequence of calls that the test program makes and check_trace expects: what both compute alike. */
#ifndef STEP_ORDER_H
#define STEP_ORDER_H

#include <stdint.h>
#include <stdio.h>

#define STEP_SEED  88172645463325252u
#define STEP_KINDS 8

/* The index of the next function step_<index>. */
static inline __attribute__((no_instrument_function)) unsigned step_next(uint64_t *order)
{
    *order ^= *order << 13; /* xorshift64 */
    *order ^= *order >> 7;
    *order ^= *order << 17;
    return (unsigned)(*order >> 40) % STEP_KINDS;
}

static inline __attribute__((no_instrument_function)) void step_name(unsigned index, char name[16])
{
    snprintf(name, 16, "step_%u", index);
}

/* Takes one enter or exit into the hash of a thread's sequence, which begins with 0. */
static inline __attribute__((no_instrument_function)) uint64_t step_hash(uint64_t hash, int enter, const char *name)
{
    hash = hash * 31 + (enter ? 1 : 2);
    for (; *name; name++)
        hash = hash * 31 + (unsigned char)*name;
    return hash;
}

#endif
