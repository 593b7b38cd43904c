/* Work of the experiments' programs: a call that takes about so long, and time that the program itself measures. The
 * build without instrumentation has the same calls. */
#ifndef PCOMP_ELEMENT_WORK_H
#define PCOMP_ELEMENT_WORK_H

#include "bench_clock.h"

#include <inttypes.h>
#include <stdio.h>

/* One link of a chain of dependent operations takes a few cycles, whatever else the processor does. */
BENCH_PLAIN static inline uint64_t element_chain(uint64_t x, unsigned links)
{
    for (unsigned i = 0; i < links; i++)
        x = x * 6364136223846793005u + 1442695040888963407u;
    return x;
}

/* Reproducible and uneven: 0 .. bound - 1. */
BENCH_PLAIN static inline unsigned element_random(unsigned a, unsigned b, unsigned bound)
{
    return (unsigned)(element_chain((uint64_t)a << 32 | (b + 1), 3) >> 40) % bound;
}

BENCH_PLAIN static inline int64_t element_now(void)
{
    return bench_clock_ns(CLOCK_MONOTONIC);
}

BENCH_PLAIN static inline void element_tell(int64_t begin)
{
    printf("elapsed_ns %" PRId64 "\n", element_now() - begin);
}

#endif
