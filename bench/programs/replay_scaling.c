/* replay_scaling time|event PROGRAM LOCATIONS EVENTS
 *
 * The speed of the replay alone: the trace of a simulated parallel program, in memory, in blocks of 64 KiB, each handed
 * over and taken back. PROGRAM: threads (calls, barriers, semaphores, locks), messages (calls, point to point,
 * collectives), calls. Prints million events a second of processor time. */
#include "compensation/numeric/delta.h"
#include "simulated_trace.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };

static const struct comm_model messages = {
    .eager = {.start = 900, .per_byte = 1},
    .rendezvous = {.start = 3000, .per_byte = 0.75},
    .threshold = 50000,
    .copies = 1,
    .copy = {{.bytes = 1000, .time = 300}},
};

static void die(const char *what)
{
    fprintf(stderr, "replay_scaling: %s\n", what);
    exit(1);
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

int main(int argc, char **argv)
{
    static int64_t alpha[PCOMP_EVENT_KINDS];
    struct simulation_machine machine = {.messages = &messages};
    struct simulation_result measured;
    struct replay_options options = {.model = REPLAY_EVENT, .comm = REPLAY_COMM_MODEL, .messages = messages};
    struct replay_result result;
    double best = 0;

    /* What one replay gives back serves the next: on a virtual machine, faults on fresh pages were half of the time. */
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2000 << 20);
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
    struct simulated_trace trace;
    struct replay_io io = {.context = &trace, .next = simulated_trace_next, .done = simulated_trace_done};
    simulated_trace_open(&trace, &program, &measured, alpha);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        simulated_trace_rewind(&trace);
        double begin = processor_seconds();
        if (replay_run(trace.places, measured.count, &options, &io, trace.results, &result) != REPLAY_DONE)
            die(result.error ? result.error : "the replay did not come to its end");
        double rate = (double)result.events / (processor_seconds() - begin) / 1e6;
        best = rate > best ? rate : best;
    }
    printf("events %llu\nlocations %u\ndependent_percent %.1f\nrate_best %.2f\nheld_bytes %llu\n",
           (unsigned long long)result.events, measured.count,
           100.0 * (double)dependent_events(&measured) / (double)result.events, best,
           (unsigned long long)result.bytes_max);
    simulated_trace_close(&trace);
    simulation_result_free(&measured);
    simulation_program_free(&program);
    return 0;
}
