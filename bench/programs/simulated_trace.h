/* What the simulated machine of the tests recorded, as the input of a replay: in memory, in blocks of 64 KiB of whole
 * records, which the replay rewrites. The process ends where there is no memory. */
#ifndef BENCH_SIMULATED_TRACE_H
#define BENCH_SIMULATED_TRACE_H

#include "compensation/replay/replay.h"
#include "tests/support/simulation.h"

struct simulated_records;

struct simulated_trace {
    const struct simulation_result *measured;
    struct simulated_records *records; /* one a location */
    struct replay_location *places;
    struct replay_location_result *results;
};

/* `alpha`: fixed-point ticks, by kind; the caller's, as are the others, until simulated_trace_close. */
void simulated_trace_open(struct simulated_trace *trace, const struct simulation_program *program,
                          const struct simulation_result *measured, const int64_t *alpha);
void simulated_trace_close(struct simulated_trace *trace);

/* All times as measured again. */
void simulated_trace_rewind(struct simulated_trace *trace);

/* For replay_io.next and .done; context: the simulated_trace. */
size_t simulated_trace_next(void *context, uint32_t location, void **block);
void simulated_trace_done(void *context, uint32_t location, void *block, size_t size);

/* calloc that does not fail. */
void *simulated_allocate(size_t count, size_t size);

#endif
