/* Total times by the time-based models of 1991 §3.1, from counts alone: what an execution took without its measurement
 * when all perturbation is direct, and its events neither wait for each other nor change their order. Pure. */
#ifndef PCOMP_TIME_TOTALS_H
#define PCOMP_TIME_TOTALS_H

#include <stddef.h>
#include <stdint.h>

struct time_part {     /* what one thread does in one phase */
    uint64_t measured; /* ticks */
    uint64_t events;   /* whose overhead lies in it */
};

struct time_phase { /* one part: sequential. Several: concurrent, from a fork to its join */
    const struct time_part *parts;
    size_t count;
};

/* T_a = T_m - alpha * N (1991 §3.1.1). alpha and the result are fixed-point ticks. */
int64_t time_total_sequential(struct time_part part, int64_t alpha);

/* Sequential parts one after the other, and of each concurrent phase the thread that takes longest when its overhead is
 * gone (1991 §3.1.2, for several phases). */
int64_t time_total_concurrent(const struct time_phase *phases, size_t count, int64_t alpha);

#endif
