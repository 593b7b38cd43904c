#include "simulated_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 << 10 };

struct simulated_records {
    unsigned char *bytes;
    size_t at;
};

void *simulated_allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (!memory) {
        fputs("bench: no memory\n", stderr);
        exit(1);
    }
    return memory;
}

void simulated_trace_open(struct simulated_trace *trace, const struct simulation_program *program,
                          const struct simulation_result *measured, const int64_t *alpha)
{
    uint32_t count = measured->count;

    *trace = (struct simulated_trace){
        .measured = measured,
        .records = simulated_allocate(count, sizeof *trace->records),
        .places = simulated_allocate(count, sizeof *trace->places),
        .results = simulated_allocate(count, sizeof *trace->results),
    };
    for (uint32_t i = 0; i < count; i++) {
        trace->records[i].bytes = simulated_allocate(measured->traces[i].size, 1);
        trace->places[i] = (struct replay_location){
            .process = program->locations[i].process, .rank = program->locations[i].rank, .alpha = alpha};
    }
    simulated_trace_rewind(trace);
}

void simulated_trace_close(struct simulated_trace *trace)
{
    for (uint32_t i = 0; i < trace->measured->count; i++)
        free(trace->records[i].bytes);
    free(trace->records);
    free(trace->places);
    free(trace->results);
}

void simulated_trace_rewind(struct simulated_trace *trace)
{
    for (uint32_t i = 0; i < trace->measured->count; i++) {
        memcpy(trace->records[i].bytes, trace->measured->traces[i].records, trace->measured->traces[i].size);
        trace->records[i].at = 0;
    }
}

size_t simulated_trace_next(void *context, uint32_t location, void **block)
{
    struct simulated_trace *trace = context;
    struct simulated_records *records = &trace->records[location];
    size_t end = trace->measured->traces[location].size, size = 0;

    *block = records->bytes + records->at;
    while (records->at < end && size < BLOCK) {
        uint32_t record = pcomp_event_size((const void *)(records->bytes + records->at));

        records->at += record;
        size += record;
    }
    return size;
}

void simulated_trace_done(void *context, uint32_t location, void *block, size_t size)
{
    (void)context, (void)location, (void)block, (void)size;
}
