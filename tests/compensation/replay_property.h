/* Holds the replay to a property on many random programs. A program that breaks it is shrunk and printed with its seed.
 */
#ifndef PCOMP_TEST_REPLAY_PROPERTY_H
#define PCOMP_TEST_REPLAY_PROPERTY_H

#include "compensation/replay/replay.h"
#include "tests/support/simulation.h"

enum property_claim {
    CLAIM_EXACT,       /* the actual times, to the tick */
    CLAIM_BOUNDS,      /* no time of the lower bound is later than the actual one, none of the upper bound earlier */
    CLAIM_KNOWN,       /* where both bounds are the same, they are the actual times */
    CLAIM_FIXED_POINT, /* a trace whose recording cost nothing stays as it is */
    CLAIM_NEAR,        /* the total differs by at most 2 % */
    CLAIM_BLOCKS,      /* any size of blocks gives the same times, waits and violations */
    CLAIM_SPREAD       /* so does any number of replays that share the processes */
};

struct property {
    enum property_claim claim;
    uint32_t phases;               /* SIMULATE_* */
    struct replay_options options; /* messages are the machine's */
    bool drifts;                   /* alpha changes at flushes */
    double sites;                  /* of struct simulation_machine */
    bool protocols_unknown;        /* the replay is not told which sends wait */
    bool same_order;               /* only programs in which nothing overtook by being measured */
    uint32_t programs, locations;  /* 2 to `locations` */
    uint32_t length, work;
    uint64_t seed; /* of the first program; 0: 1 */
};

/* Asserts it. Returns how many programs the property was tried on: not on those of another order, or, for CLAIM_KNOWN,
 * with bounds that differ. */
uint32_t property_check(const struct property *property);

#endif
