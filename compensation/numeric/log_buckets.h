/* Buckets of times, for their distribution: eight to an octave, so that a bucket is an eighth wide at most.
 *
 * Pure arithmetic on fixed-point ticks. Times are moved by PCOMP_BUCKET_BIAS before, which makes the buckets around
 * zero 2 ticks wide, and keeps small negative times (a compensation that took too much) beside small positive ones:
 *
 *   bucket   8 .. 487   times from -16 ticks on, ascending: octave of time + 16 ticks, then its three bits below the
 * first bucket 488 .. 495   times below -16 ticks, ascending: a reader puts them first
 *
 * A time t from 0 on lies in a bucket of at most (t + 16 ticks) / 8. */
#ifndef PCOMP_LOG_BUCKETS_H
#define PCOMP_LOG_BUCKETS_H

#include "compensation/numeric/delta.h"

#include <stdint.h>

#define PCOMP_BUCKET_BIAS  ((int64_t)16 << PCOMP_FIX_SHIFT)
#define PCOMP_BUCKET_FIRST 8u
#define PCOMP_BUCKET_BELOW 488u /* the first of the negative ones */
#define PCOMP_BUCKETS      496u

/* The bucket of a time. */
static inline uint32_t pcomp_bucket(int64_t time)
{
    uint64_t biased = (uint64_t)time + (uint64_t)PCOMP_BUCKET_BIAS;
    biased = biased < 8 ? 8 : biased;
    uint32_t shift = 60 - (uint32_t)__builtin_clzll(biased);
    return (uint32_t)(biased >> shift) + 8 * shift;
}

/* The least time of a bucket (PCOMP_BUCKET_FIRST <= bucket < PCOMP_BUCKETS). */
static inline int64_t pcomp_bucket_min(uint32_t bucket)
{
    uint64_t biased = (uint64_t)(bucket % 8 + 8) << (bucket / 8 - 1);
    return (int64_t)(biased - (uint64_t)PCOMP_BUCKET_BIAS);
}

/* How wide it is. */
static inline uint64_t pcomp_bucket_width(uint32_t bucket)
{
    return (uint64_t)1 << (bucket / 8 - 1);
}

/* The place of a bucket in the order of times, and the bucket at a place (< PCOMP_BUCKETS). */
static inline uint32_t pcomp_bucket_place(uint32_t bucket)
{
    return bucket >= PCOMP_BUCKET_BELOW ? bucket - PCOMP_BUCKET_BELOW : bucket + 8;
}

static inline uint32_t pcomp_bucket_at(uint32_t place)
{
    return place < 8 ? place + PCOMP_BUCKET_BELOW : place - 8;
}

#endif
