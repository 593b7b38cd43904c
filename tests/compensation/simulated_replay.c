/* The replay's input and output in memory. */
#include "tests/compensation/simulated_replay.h"
#include "compensation/numeric/delta.h"
#include "tests/compensation/prng.h"
#include "tests/compensation/replay_hub.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct source {
    struct simulated_replay *replay;
    struct {
        unsigned char *records;
        size_t size, at;
        size_t event; /* next whose time comes back */
    } * locations;
    uint32_t block;
    uint64_t random;
    /* Of one replay among several. */
    struct replay_hub *hub; /* NULL: it is alone */
    uint32_t part;
    const struct replay_options *options;
    struct replay_location *places;
    pthread_t thread;
};

static size_t next_block(void *context, uint32_t location, void **block)
{
    struct source *source = context;
    unsigned char *begin = source->locations[location].records + source->locations[location].at;
    size_t left = source->locations[location].size - source->locations[location].at, size = 0;
    uint64_t records = source->block;

    if (source->random && records)
        records = 1 + prng_below(&source->random, records);
    if (!records)
        size = left;
    while (records-- > 0 && size < left)
        size += pcomp_event_size((const struct pcomp_event *)(const void *)(begin + size));
    if (source->hub)
        replay_hub_flush(source->hub, source->part);
    source->locations[location].at += size;
    *block = begin;
    return size;
}

static void block_done(void *context, uint32_t location, void *block, size_t size)
{
    struct source *source = context;

    for (size_t at = 0; at < size;) {
        const struct pcomp_event *event = (const void *)((unsigned char *)block + at);

        source->replay->times[location][source->locations[location].event++] = event->time;
        at += pcomp_event_size(event);
    }
}

static bool violated(void *context, const struct replay_violation *violation)
{
    struct source *source = context;

    if (source->replay->violations++ == 0)
        source->replay->first = *violation;
    return true;
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (!memory)
        abort();
    return memory;
}

static void publish(void *context, const struct replay_update *update)
{
    struct source *source = context;

    replay_hub_publish(source->hub, source->part, update);
}

static bool receive(void *context, struct replay_update *update)
{
    struct source *source = context;

    return replay_hub_receive(source->hub, source->part, update);
}

static void *run(void *context)
{
    struct source *source = context;
    struct simulated_replay *replay = source->replay;
    struct replay_io io = {.context = source,
                           .next = next_block,
                           .done = block_done,
                           .violation = violated,
                           .publish = source->hub ? publish : NULL,
                           .receive = source->hub ? receive : NULL};

    replay->end = replay_run(source->places, replay->count, source->options, &io, replay->locations, &replay->result);
    if (source->hub)
        replay_hub_leave(source->hub, source->part);
    return NULL;
}

/* The traces of `source`, of which the replay has those of processes whose number leaves `part` when divided by
 * `parts`. */
static struct simulated_replay begin(struct source *source, const struct simulation_program *program,
                                     const struct simulation_result *measured, const int64_t *alpha, uint32_t parts)
{
    struct simulated_replay replay = {.count = measured->count};

    source->locations = zeroed(measured->count, sizeof *source->locations);
    source->places = zeroed(measured->count, sizeof *source->places);
    replay.times = zeroed(measured->count, sizeof *replay.times);
    replay.locations = zeroed(measured->count, sizeof *replay.locations);
    for (uint32_t i = 0; i < measured->count; i++) {
        const struct simulation_trace *trace = &measured->traces[i];

        source->places[i] = (struct replay_location){.process = program->locations[i].process,
                                                     .rank = program->locations[i].rank,
                                                     .alpha = alpha,
                                                     .remote = program->locations[i].process % parts != source->part};
        replay.times[i] = zeroed(trace->events, sizeof **replay.times);
        if (source->places[i].remote)
            continue;
        source->locations[i].records = zeroed(trace->size, 1);
        source->locations[i].size = trace->size;
        if (trace->size)
            memcpy(source->locations[i].records, trace->records, trace->size);
    }
    return replay;
}

static void end(struct source *source)
{
    for (uint32_t i = 0; i < source->replay->count; i++)
        free(source->locations[i].records);
    free(source->locations);
    free(source->places);
}

/* Moves what the owners know of their locations into the first one. */
static void gather(struct simulated_replay *into, struct simulated_replay *from, const struct source *source)
{
    if (into->end == REPLAY_DONE)
        into->end = from->end;
    into->violations += from->violations;
    into->result.violations += from->result.violations;
    for (size_t k = 0; k < REPLAY_WAIT_KINDS; k++) {
        into->result.waiting_measured[k] += from->result.waiting_measured[k];
        into->result.waiting_approximated[k] += from->result.waiting_approximated[k];
    }
    for (uint32_t i = 0; i < into->count; i++) {
        uint64_t *times = into->times[i];

        if (source->places[i].remote)
            continue;
        into->times[i] = from->times[i];
        from->times[i] = times;
    }
}

struct simulated_replay simulated_replay_spread(const struct simulation_program *program,
                                                const struct simulation_machine *machine,
                                                const struct simulation_result *measured,
                                                const struct replay_options *options, uint32_t block, uint64_t random,
                                                uint32_t parts)
{
    struct replay_hub *hub = parts > 1 ? replay_hub_new(parts) : NULL;
    struct source *sources = zeroed(parts, sizeof *sources);
    struct simulated_replay *replays = zeroed(parts, sizeof *replays), replay;
    int64_t alpha[PCOMP_EVENT_KINDS];

    for (size_t i = 0; i < PCOMP_EVENT_KINDS; i++)
        alpha[i] = (int64_t)((uint64_t)machine->alpha[i] << PCOMP_FIX_SHIFT);
    for (uint32_t k = 0; k < parts; k++) {
        sources[k] = (struct source){
            .replay = &replays[k], .block = block, .random = random, .hub = hub, .part = k, .options = options};
        replays[k] = begin(&sources[k], program, measured, alpha, parts);
        for (uint32_t i = 0; i < measured->count; i++) /* no replay needs those of remote locations */
            if (!sources[k].places[i].remote && sources[k].places[i].process % 2 == 0)
                sources[k].places[i].sites.share = sources[k].places[i].sites.share_doubt = machine->sites;
    }
    for (uint32_t k = 1; k < parts; k++)
        if (pthread_create(&sources[k].thread, NULL, run, &sources[k]) != 0)
            abort();
    run(&sources[0]);
    for (uint32_t k = 1; k < parts; k++) {
        pthread_join(sources[k].thread, NULL);
        gather(&replays[0], &replays[k], &sources[k]);
        end(&sources[k]);
        simulated_replay_free(&replays[k]);
    }
    end(&sources[0]);
    replay = replays[0];
    replay_hub_free(hub);
    free(sources);
    free(replays);
    return replay;
}

struct simulated_replay simulated_replay_run(const struct simulation_program *program,
                                             const struct simulation_machine *machine,
                                             const struct simulation_result *measured,
                                             const struct replay_options *options, uint32_t block, uint64_t random)
{
    return simulated_replay_spread(program, machine, measured, options, block, random, 1);
}

void simulated_replay_free(struct simulated_replay *replay)
{
    for (uint32_t i = 0; i < replay->count; i++)
        free(replay->times[i]);
    free(replay->times);
    free(replay->locations);
    *replay = (struct simulated_replay){0};
}

/* One of several requests that one call waits for, but not the last: the replay learns of the others only later. */
static bool is_early_completion(const struct pcomp_event *event)
{
    const struct pcomp_event *next = (const void *)((const unsigned char *)event + pcomp_event_size(event));
    uint32_t kind = pcomp_event_kind(event), following;

    if (kind != PCOMP_EVENT_SEND_DONE && kind != PCOMP_EVENT_RECV_DONE)
        return false;
    if (((const struct pcomp_event_long *)(const void *)event)->b >> 24 == 0)
        return false;
    following = pcomp_event_kind(next); /* never the last record: WAIT_EXIT follows */
    return following == PCOMP_EVENT_SEND_DONE || following == PCOMP_EVENT_RECV_DONE;
}

struct simulated_error simulated_replay_error(const struct simulation_result *measured,
                                              const struct simulation_result *actual,
                                              const struct simulated_replay *replay, int sign)
{
    struct simulated_error worst = {0};

    for (uint32_t i = 0; i < measured->count; i++) {
        const struct simulation_trace *ours = &measured->traces[i], *theirs = &actual->traces[i];
        const unsigned char *record = ours->records;
        size_t k = 0;

        for (size_t event = 0; event < ours->events; event++) {
            const struct pcomp_event *e = (const void *)record;
            bool early = is_early_completion(e);

            record += pcomp_event_size(e);
            while (k < theirs->events && theirs->names[k] < ours->names[event])
                k++;
            if (k == theirs->events || theirs->names[k] != ours->names[event] || early)
                continue;
            int64_t error = (int64_t)(replay->times[i][event] - theirs->times[k]);
            if ((sign > 0 && error < 0) || (sign < 0 && error > 0))
                continue;
            error = error < 0 ? -error : error;
            if ((uint64_t)error > worst.ticks)
                worst = (struct simulated_error){.ticks = (uint64_t)error,
                                                 .location = i,
                                                 .event = event,
                                                 .measured = ours->times[event],
                                                 .approximated = replay->times[i][event],
                                                 .actual = theirs->times[k]};
        }
    }
    return worst;
}
