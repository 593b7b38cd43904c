/* Replays what the simulated machine recorded, in memory, and holds the result to the actual execution. */
#ifndef PCOMP_TEST_SIMULATED_REPLAY_H
#define PCOMP_TEST_SIMULATED_REPLAY_H

#include "compensation/replay/replay.h"
#include "tests/support/simulation.h"

struct simulated_replay {
    enum replay_end end;
    struct replay_result result;
    struct replay_location_result *locations;
    uint64_t **times; /* approximated, of each event of each location */
    uint64_t violations;
    struct replay_violation first; /* of them */
    uint32_t count;
};

/* Replays the trace with the machine's alphas. `block`: records handed over at a time, 0: all; `random`: any number up
 * to that. Free with simulated_replay_free. */
struct simulated_replay simulated_replay_run(const struct simulation_program *program,
                                             const struct simulation_machine *machine,
                                             const struct simulation_result *measured,
                                             const struct replay_options *options, uint32_t block, uint64_t random);
/* The same by several replays at once, which share the processes; a program of one process leaves most with nothing. */
struct simulated_replay simulated_replay_spread(const struct simulation_program *program,
                                                const struct simulation_machine *machine,
                                                const struct simulation_result *measured,
                                                const struct replay_options *options, uint32_t block, uint64_t random,
                                                uint32_t parts);
void simulated_replay_free(struct simulated_replay *replay);

/* Where an approximated time is farthest from the actual one. */
struct simulated_error {
    uint64_t ticks;
    uint32_t location;
    size_t event; /* in the measured trace */
    uint64_t measured, approximated, actual;
};

/* Compares all events that both executions have. `sign`: 0 any difference, 1 only times above the actual ones count,
 * -1 only those below. Events that end a multiple wait before its last are left out (docs/internals/simulator.md). */
struct simulated_error simulated_replay_error(const struct simulation_result *measured,
                                              const struct simulation_result *actual,
                                              const struct simulated_replay *replay, int sign);

#endif
