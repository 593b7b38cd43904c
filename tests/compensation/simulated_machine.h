/* The machine of the property tests: whole ticks, so that the truth can be met to the tick. */
#ifndef PCOMP_TEST_SIMULATED_MACHINE_H
#define PCOMP_TEST_SIMULATED_MACHINE_H

#include "tests/compensation/prng.h"
#include "tests/support/simulation.h"

/* Messages are eager below 50,000 bytes; copying costs 60 ticks and a quarter of a tick a byte, the whole way at least
 * twice that. */
static const struct comm_model simulated_messages = {
    .eager = {.start = 900, .per_byte = 1},
    .rendezvous = {.start = 3000, .per_byte = 0.75},
    .threshold = 50000,
    .has_protocols = true,
    .copies = 2,
    .copy = {{.bytes = 0, .time = 60}, {.bytes = 100000, .time = 25060}},
};

/* Every kind has an alpha of its own between 1 and `most`; 0: the actual execution. */
static inline struct simulation_machine simulated_machine(uint64_t seed, uint32_t max, uint32_t jitter)
{
    struct simulation_machine machine = {.messages = &simulated_messages, .jitter = jitter, .seed = seed};

    for (int i = 0; i < PCOMP_EVENT_KINDS; i++)
        machine.alpha[i] = max ? 1 + (int64_t)prng_below(&seed, max) : 0;
    return machine;
}

#endif
