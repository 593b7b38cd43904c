/* replay_scaling time|event PROGRAM LOCATIONS EVENTS
 *
 * The speed of the replay alone: the trace of a simulated parallel program, in memory, in blocks of 64 KiB, each handed
 * over and taken back. PROGRAM: threads (calls, barriers, semaphores, locks), messages (calls, point to point,
 * collectives), calls. Prints million events a second of processor time. */
#include "compensation/numeric/delta.h"
#include "compensation/replay/replay.h"
#include "tests/support/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5, BLOCK = 64 << 10 };

static const struct comm_model messages = {
    .eager = {.start = 900, .per_byte = 1},
    .rendezvous = {.start = 3000, .per_byte = 0.75},
    .threshold = 50000,
    .copies = 1,
    .copy = {{.bytes = 1000, .time = 300}},
};

struct records {
    unsigned char *bytes;
    size_t at;
};

struct source {
    const struct simulation_result *measured;
    struct records *locations;
};

static void die(const char *what)
{
    fprintf(stderr, "replay_scaling: %s\n", what);
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = calloc(size ? size : 1, 1);

    if (!memory)
        die("no memory");
    return memory;
}

/* Blocks hold whole records. */
static size_t next_block(void *context, uint32_t location, void **block)
{
    struct source *source = context;
    struct records *records = &source->locations[location];
    size_t end = source->measured->traces[location].size, size = 0;

    *block = records->bytes + records->at;
    while (records->at < end && size < BLOCK) {
        uint32_t record = pcomp_event_size((const void *)(records->bytes + records->at));

        records->at += record;
        size += record;
    }
    return size;
}

static void block_done(void *context, uint32_t location, void *block, size_t size)
{
    (void)context, (void)location, (void)block, (void)size;
}

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint32_t phases_of(const char *program)
{
    if (strcmp(program, "threads") == 0)
        return SIMULATE_CALLS | SIMULATE_BARRIERS | SIMULATE_PIPELINE | SIMULATE_LOCKS;
    if (strcmp(program, "messages") == 0)
        return SIMULATE_CALLS | SIMULATE_MESSAGES | SIMULATE_RENDEZVOUS | SIMULATE_NONBLOCKING | SIMULATE_N_TO_N |
               SIMULATE_1_TO_N | SIMULATE_N_TO_1;
    if (strcmp(program, "calls") == 0)
        return SIMULATE_CALLS;
    die("PROGRAM: threads, messages or calls");
    return 0;
}

static uint64_t events_of(const struct simulation_result *result)
{
    uint64_t events = 0;

    for (uint32_t i = 0; i < result->count; i++)
        events += result->traces[i].events;
    return events;
}

/* A program that makes about `events` events: twice as long until it does. */
static struct simulation_program program_of(uint32_t phases, uint32_t locations, uint64_t events,
                                            const struct simulation_machine *machine,
                                            struct simulation_result *measured)
{
    struct simulation_shape shape = {.seed = 1, .phases = phases, .locations = locations, .length = 1, .work = 1000};

    for (;;) {
        struct simulation_program program = simulation_generate(&shape);

        if (!simulation_run(&program, machine, measured))
            die("the simulated program does not end");
        if (events_of(measured) >= events)
            return program;
        uint64_t longer = shape.length * events / (events_of(measured) + 1) * 9 / 8 + 1;
        shape.length = longer > 2ull * shape.length ? (uint32_t)longer : 2 * shape.length;
        simulation_result_free(measured);
        simulation_program_free(&program);
    }
}

static uint64_t dependent_events(const struct simulation_result *measured)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < measured->count; i++) {
        const struct simulation_trace *trace = &measured->traces[i];

        for (size_t at = 0; at < trace->size;) {
            const struct pcomp_event *event = (const void *)(trace->records + at);

            count += !pcomp_event_is_independent(pcomp_event_kind(event));
            at += pcomp_event_size(event);
        }
    }
    return count;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static int64_t alpha[PCOMP_EVENT_KINDS];
    struct simulation_machine machine = {.messages = &messages};
    struct simulation_result measured;
    struct replay_options options = {.model = REPLAY_EVENT, .comm = REPLAY_COMM_MODEL, .messages = messages};
    struct replay_result result;
    double rates[REPEATS];

    if (argc != 5)
        die("replay_scaling time|event PROGRAM LOCATIONS EVENTS");
    uint32_t locations = (uint32_t)strtoul(argv[3], NULL, 10);
    uint64_t events = strtoull(argv[4], NULL, 10);
    if (strcmp(argv[1], "time") == 0)
        options.model = REPLAY_TIME;
    if (locations < 2 || events < 1)
        die("LOCATIONS must be 2 at least, EVENTS 1");
    for (int i = 0; i < PCOMP_EVENT_KINDS; i++) {
        machine.alpha[i] = 20;
        alpha[i] = 20 << PCOMP_FIX_SHIFT;
    }
    struct simulation_program program = program_of(phases_of(argv[2]), locations, events, &machine, &measured);
    struct source source = {.measured = &measured, .locations = allocate(measured.count * sizeof(struct records))};
    struct replay_io io = {.context = &source, .next = next_block, .done = block_done};
    struct replay_location *places = allocate(measured.count * sizeof *places);
    struct replay_location_result *results = allocate(measured.count * sizeof *results);
    for (uint32_t i = 0; i < measured.count; i++) {
        source.locations[i].bytes = allocate(measured.traces[i].size);
        places[i] = (struct replay_location){
            .process = program.locations[i].process, .rank = program.locations[i].rank, .alpha = alpha};
    }
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (uint32_t i = 0; i < measured.count; i++) {
            memcpy(source.locations[i].bytes, measured.traces[i].records, measured.traces[i].size);
            source.locations[i].at = 0;
        }
        double begin = processor_seconds();
        if (replay_run(places, measured.count, &options, &io, results, &result) != REPLAY_DONE)
            die(result.error ? result.error : "the replay did not come to its end");
        rates[repeat] = (double)result.events / (processor_seconds() - begin) / 1e6;
    }
    qsort(rates, REPEATS, sizeof *rates, by_value);
    printf("events %llu\nlocations %u\ndependent_percent %.1f\nrate_median %.2f\nrate_best %.2f\nheld_bytes %llu\n",
           (unsigned long long)result.events, measured.count,
           100.0 * (double)dependent_events(&measured) / (double)result.events, rates[REPEATS / 2], rates[REPEATS - 1],
           (unsigned long long)result.held_most);
    for (uint32_t i = 0; i < measured.count; i++)
        free(source.locations[i].bytes);
    free(source.locations);
    free(places);
    free(results);
    simulation_result_free(&measured);
    simulation_program_free(&program);
    return 0;
}
