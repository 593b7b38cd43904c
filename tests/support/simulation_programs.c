/* Random programs for the simulated machine: a sequence of phases, each of which comes to its end by itself. */
#include "tests/compensation/prng.h"
#include "tests/support/simulation.h"

#include <stdlib.h>
#include <string.h>

enum { WORLD = 0 }; /* the communicator of all ranks; other objects follow */

struct generator {
    struct simulation_program program;
    const struct simulation_shape *shape;
    uint64_t random;
    uint32_t ranks; /* locations that run from the start */
};

static uint32_t below(struct generator *g, uint32_t bound)
{
    return bound ? (uint32_t)prng_below(&g->random, bound) : 0;
}

static bool chance(struct generator *g, uint32_t per_cent)
{
    return below(g, 100) < per_cent;
}

static uint32_t new_group(struct generator *g)
{
    return g->program.groups++;
}

static uint32_t new_objects(struct generator *g, uint32_t count)
{
    g->program.objects += count;
    return g->program.objects - count;
}

static void *grown(void *array, size_t size)
{
    array = realloc(array, size);
    if (!array)
        abort();
    return array;
}

struct simulation_op *simulation_add(struct simulation_program *program, uint32_t location, struct simulation_op op)
{
    struct simulation_script *script = &program->locations[location];

    if (script->count == script->capacity) {
        script->capacity = script->capacity ? script->capacity * 2 : 16;
        script->ops = grown(script->ops, script->capacity * sizeof *script->ops);
    }
    script->ops[script->count] = op;
    return &script->ops[script->count++];
}

static void add(struct generator *g, uint32_t location, struct simulation_op op)
{
    simulation_add(&g->program, location, op);
}

static void add_compute(struct generator *g, uint32_t location)
{
    add(g, location,
        (struct simulation_op){
            .kind = SIMULATION_COMPUTE, .group = new_group(g), .amount = 1 + below(g, g->shape->work)});
}

/* Computation, in calls or not. */
static void add_work(struct generator *g, uint32_t location)
{
    for (uint32_t calls = below(g, 4); calls > 0; calls--) {
        uint32_t group = new_group(g), function = below(g, 10);

        add(g, location, (struct simulation_op){.kind = SIMULATION_CALL, .group = group, .object = function});
        add_compute(g, location);
        if (chance(g, 20))
            add_work(g, location);
        add(g, location, (struct simulation_op){.kind = SIMULATION_RETURN, .group = group, .object = function});
    }
    if ((g->shape->phases & SIMULATE_FLUSHES) && chance(g, 10))
        add(g, location,
            (struct simulation_op){
                .kind = SIMULATION_FLUSH, .group = new_group(g), .amount = 1 + below(g, g->shape->work)});
    add_compute(g, location);
}

/* --- Threads --- */

static void phase_calls(struct generator *g)
{
    for (uint32_t i = 0; i < g->ranks; i++)
        add_work(g, i);
}

static void add_barrier(struct generator *g, uint32_t object, uint8_t kind, uint32_t same_delay)
{
    uint32_t group = new_group(g);

    for (uint32_t i = 0; i < g->ranks; i++)
        add(g, i,
            (struct simulation_op){
                .kind = kind, .group = group, .object = object, .delay = same_delay ? same_delay : below(g, 50)});
}

static void phase_barriers(struct generator *g)
{
    uint32_t object = new_objects(g, 1);

    for (uint32_t rounds = 1 + below(g, 3); rounds > 0; rounds--) {
        phase_calls(g);
        add_barrier(g, object, SIMULATION_BARRIER, 0);
    }
}

static void phase_ladders(struct generator *g)
{
    uint32_t object = new_objects(g, 1);

    for (uint32_t rounds = 1 + below(g, 3); rounds > 0; rounds--) {
        phase_calls(g);
        add_barrier(g, object, SIMULATION_BARRIER_LADDER, 1 + below(g, 20));
    }
}

/* A parent creates children, which may be parents, and waits for them. */
static void add_family(struct generator *g, uint32_t parent, uint32_t depth)
{
    uint32_t children = 1 + below(g, depth ? 4 : 2), first = g->program.count, groups = g->program.groups;

    g->program.count += children;
    g->program.groups += children;
    g->program.locations = grown(g->program.locations, g->program.count * sizeof *g->program.locations);
    for (uint32_t i = 0; i < children; i++) {
        g->program.locations[first + i] =
            (struct simulation_script){.process = g->program.locations[parent].process, .rank = -1, .created = true};
        add(g, parent,
            (struct simulation_op){
                .kind = SIMULATION_CREATE, .group = groups + i, .object = first + i, .delay = below(g, 50)});
        if (chance(g, 50))
            add_compute(g, parent);
    }
    for (uint32_t i = 0; i < children; i++) {
        add_work(g, first + i);
        if (depth && chance(g, 25))
            add_family(g, first + i, depth - 1);
        add_work(g, first + i);
    }
    add_work(g, parent);
    for (uint32_t i = 0; i < children; i++)
        add(g, parent,
            (struct simulation_op){
                .kind = SIMULATION_JOIN, .group = groups + i, .object = first + i, .delay = below(g, 20)});
}

static void phase_fork_join(struct generator *g)
{
    phase_calls(g);
    for (uint32_t parents = 1 + below(g, 2); parents > 0; parents--)
        add_family(g, below(g, g->ranks), 2);
}

/* Stage after stage, full and free slots counted by semaphores between two of them. */
static void phase_pipeline(struct generator *g)
{
    uint32_t full = new_objects(g, 2 * g->ranks), free_slots = full + g->ranks, items = 1 + below(g, 4);
    uint32_t slots = below(g, 3); /* 0: no bound */

    if (slots) {
        for (uint32_t i = 0; i + 1 < g->ranks; i++)
            add(g, 0,
                (struct simulation_op){
                    .kind = SIMULATION_SEM_INIT, .group = new_group(g), .object = free_slots + i, .amount = slots});
        add_barrier(g, new_objects(g, 1), SIMULATION_BARRIER, 0);
    }
    for (uint32_t item = 0; item < items; item++) {
        for (uint32_t i = 0; i + 1 < g->ranks; i++) {
            uint32_t group = new_group(g);

            add_work(g, i);
            if (slots)
                add(g, i,
                    (struct simulation_op){
                        .kind = SIMULATION_P, .group = group, .object = free_slots + i, .delay = below(g, 9)});
            add(g, i, (struct simulation_op){.kind = SIMULATION_V, .group = group, .object = full + i});
            add(g, i + 1,
                (struct simulation_op){.kind = SIMULATION_P, .group = group, .object = full + i, .delay = below(g, 9)});
            if (slots)
                add(g, i + 1, (struct simulation_op){.kind = SIMULATION_V, .group = group, .object = free_slots + i});
        }
        add_work(g, g->ranks - 1);
    }
}

static void phase_advance(struct generator *g)
{
    uint32_t variable = new_objects(g, 1), iterations = g->ranks + below(g, 2 * g->ranks), distance = 1 + below(g, 2);
    uint32_t groups = g->program.groups;

    g->program.groups += iterations;
    for (uint32_t k = 0; k < iterations; k++) {
        uint32_t location = k % g->ranks;

        add_work(g, location);
        if (k >= distance)
            add(g, location,
                (struct simulation_op){.kind = SIMULATION_AWAIT,
                                       .group = groups + k - distance,
                                       .object = variable,
                                       .amount = k - distance,
                                       .delay = below(g, 9)});
        add_compute(g, location);
        add(g, location,
            (struct simulation_op){.kind = SIMULATION_ADVANCE, .group = groups + k, .object = variable, .amount = k});
    }
}

/* Even locations give, odd ones take. */
static void add_giving(struct generator *g, struct simulation_op give, struct simulation_op take)
{
    for (uint32_t count = 1 + below(g, 2 * g->ranks); count > 0; count--) {
        uint32_t giver = 2 * below(g, g->ranks / 2), taker = 2 * below(g, g->ranks / 2) + 1;

        give.group = take.group = new_group(g);
        add_work(g, giver);
        add(g, giver, give);
        add_work(g, taker);
        add(g, taker, take);
    }
}

static void phase_semaphores(struct generator *g)
{
    uint32_t object = new_objects(g, 1);

    add_giving(g, (struct simulation_op){.kind = SIMULATION_V, .object = object},
               (struct simulation_op){.kind = SIMULATION_P, .object = object, .delay = below(g, 9)});
}

static void phase_monitors(struct generator *g)
{
    uint32_t object = new_objects(g, 2);

    add_giving(g, (struct simulation_op){.kind = SIMULATION_PUT, .object = object, .amount = below(g, 2)},
               (struct simulation_op){.kind = SIMULATION_TAKE, .object = object});
}

static void phase_locks(struct generator *g)
{
    uint32_t locks = 1 + below(g, 2), object = new_objects(g, locks), readers = chance(g, 50) ? 40 : 0;

    for (uint32_t i = 0; i < g->ranks; i++) {
        for (uint32_t rounds = below(g, 3); rounds > 0; rounds--) {
            uint32_t group = new_group(g), lock = object + below(g, locks);

            add_work(g, i);
            add(g, i,
                (struct simulation_op){.kind = chance(g, readers) ? SIMULATION_LOCK_SHARED : SIMULATION_LOCK,
                                       .group = group,
                                       .object = lock});
            add_work(g, i);
            add(g, i, (struct simulation_op){.kind = SIMULATION_UNLOCK, .group = group, .object = lock});
        }
    }
}

/* --- Messages --- */

#define SMALL 4000u /* bytes; always eager */
#define LARGE 64000u

static struct simulation_op message(struct generator *g, uint8_t kind, uint32_t group, uint32_t peer, uint32_t tag)
{
    return (struct simulation_op){.kind = kind,
                                  .mode = PCOMP_EVENT_SEND_POST,
                                  .group = group,
                                  .object = WORLD,
                                  .peer = peer,
                                  .tag = tag,
                                  .amount = 4 * below(g, SMALL / 4)};
}

static struct simulation_op message_back(struct simulation_op sent, uint8_t kind, uint32_t peer)
{
    sent.kind = kind;
    sent.peer = peer;
    return sent;
}

/* A blocking message; `slow`: one that waits for its receiver. */
static void add_message(struct generator *g, uint32_t from, uint32_t to, uint32_t tag, bool slow)
{
    struct simulation_op sent = message(g, SIMULATION_SEND, new_group(g), to, tag);

    if (slow && chance(g, 50))
        sent.mode = PCOMP_EVENT_SEND_POST_SYNC;
    else if (slow)
        sent.amount += LARGE;
    else if (chance(g, 20))
        sent.mode = PCOMP_EVENT_SEND_POST_BUFFER;
    add(g, from, sent);
    add(g, to, message_back(sent, SIMULATION_RECV, from));
}

static void add_blocking(struct generator *g, bool slow)
{
    uint32_t pattern = below(g, 3), tag = below(g, 3);

    for (uint32_t item = 1 + below(g, 3); item > 0; item--) {
        phase_calls(g);
        if (pattern == 0) { /* down a chain */
            for (uint32_t i = 0; i + 1 < g->ranks; i++) {
                add_message(g, i, i + 1, tag, slow);
                add_work(g, i + 1);
            }
        } else if (pattern == 1) { /* between neighbours */
            for (uint32_t i = item % 2; i + 1 < g->ranks; i += 2) {
                add_message(g, i, i + 1, tag, slow);
                add_work(g, i + below(g, 2));
                add_message(g, i + 1, i, tag, slow);
            }
        } else { /* a master deals out work and collects results */
            for (uint32_t i = 1; i < g->ranks; i++) {
                add_message(g, 0, i, tag, slow);
                add_work(g, i);
            }
            for (uint32_t i = 1; i < g->ranks; i++)
                add_message(g, i, 0, tag, slow);
        }
    }
}

static void phase_messages(struct generator *g)
{
    add_blocking(g, false);
}

static void phase_rendezvous(struct generator *g)
{
    add_blocking(g, true);
}

/* Everybody sends something to one neighbour in the ring and gets something from the other. */
static void add_ring(struct generator *g, bool forward, bool large)
{
    uint32_t groups = g->program.groups;

    g->program.groups += g->ranks;
    for (uint32_t to = 0; to < g->ranks; to++) {
        uint32_t from = (to + (forward ? g->ranks - 1 : 1)) % g->ranks;
        struct simulation_op sent = message(g, SIMULATION_ISEND, groups + to, to, forward);

        sent.delay = below(g, 20);
        sent.amount += large ? LARGE : 0;
        add(g, to, message_back(sent, SIMULATION_IRECV, from));
        add(g, from, sent);
    }
}

/* Each second one sends to the next one; one of the two blocks. */
static void add_half_blocking(struct generator *g, bool large)
{
    for (uint32_t i = 0; i + 1 < g->ranks; i += 2) {
        bool sender_blocks = chance(g, 50);
        struct simulation_op sent =
            message(g, sender_blocks ? SIMULATION_SEND : SIMULATION_ISEND, new_group(g), i + 1, 2);

        sent.amount += large ? LARGE : 0;
        add_work(g, i);
        add_work(g, i + 1);
        add(g, i, sent);
        add(g, i + 1, message_back(sent, sender_blocks ? SIMULATION_IRECV : SIMULATION_RECV, i));
    }
}

/* Several messages are on their way while everybody computes; they are waited for in any order. */
static void phase_nonblocking(struct generator *g)
{
    static const uint8_t waits[] = {SIMULATION_WAIT, SIMULATION_WAIT_LAST, SIMULATION_WAITALL};
    bool large = (g->shape->phases & SIMULATE_RENDEZVOUS) && chance(g, 50);
    uint32_t messages = 1 + below(g, 4);

    phase_calls(g);
    for (uint32_t k = 0; k < messages; k++) {
        if (chance(g, 60))
            add_ring(g, chance(g, 50), large);
        else
            add_half_blocking(g, large);
    }
    for (uint32_t i = 0; i < g->ranks; i++) {
        uint8_t wait = waits[below(g, 3)];

        for (uint32_t k = wait == SIMULATION_WAITALL ? 1 : 2 * messages; k > 0; k--) {
            add_work(g, i);
            add(g, i, (struct simulation_op){.kind = wait, .group = new_group(g)});
        }
    }
}

/* The master takes results as they come, then answers everybody. */
static void phase_wildcards(struct generator *g)
{
    for (uint32_t rounds = 1 + below(g, 2); rounds > 0; rounds--) {
        for (uint32_t i = 1; i < g->ranks; i++) {
            struct simulation_op sent = message(g, SIMULATION_SEND, new_group(g), 0, 7);

            add_work(g, i);
            add(g, i, sent);
            add_work(g, 0);
            add(g, 0, message_back(sent, SIMULATION_RECV, PCOMP_EVENT_ANY));
        }
        for (uint32_t i = 1; i < g->ranks; i++)
            add_message(g, 0, i, 8, false);
    }
}

static void add_collective(struct generator *g, uint8_t mode)
{
    uint32_t group = new_group(g), root = below(g, g->ranks), bytes = 4 * below(g, 100);

    for (uint32_t i = 0; i < g->ranks; i++) {
        add_work(g, i);
        add(g, i,
            (struct simulation_op){.kind = SIMULATION_COLLECTIVE,
                                   .mode = mode,
                                   .group = group,
                                   .object = WORLD,
                                   .peer = root,
                                   .amount = bytes,
                                   .delay = 1 + below(g, 400)});
    }
}

static void phase_n_to_n(struct generator *g)
{
    add_collective(g, chance(g, 30) ? PCOMP_COLLECTIVE_BARRIER : PCOMP_COLLECTIVE_N_TO_N);
}

static void phase_1_to_n(struct generator *g)
{
    add_collective(g, PCOMP_COLLECTIVE_1_TO_N);
}

static void phase_n_to_1(struct generator *g)
{
    add_collective(g, chance(g, 30) && g->ranks <= 64 ? PCOMP_COLLECTIVE_PREFIX : PCOMP_COLLECTIVE_N_TO_1);
}

/* In the order of the bits of SIMULATE_*. */
static void (*const phases[])(struct generator *g) = {
    phase_calls,      phase_barriers, phase_ladders,  phase_fork_join, phase_pipeline,   phase_advance,
    phase_semaphores, phase_locks,    phase_monitors, phase_messages,  phase_rendezvous, phase_nonblocking,
    phase_wildcards,  phase_n_to_n,   phase_1_to_n,   phase_n_to_1,
};

struct simulation_program simulation_generate(const struct simulation_shape *shape)
{
    struct generator g = {.shape = shape, .random = shape->seed, .ranks = shape->locations};
    uint32_t count = sizeof phases / sizeof phases[0];

    g.program = (struct simulation_program){.count = g.ranks, .objects = 1, .groups = 1, .shared = chance(&g, 50)};
    g.program.locations = grown(NULL, g.ranks * sizeof *g.program.locations);
    for (uint32_t i = 0; i < g.ranks; i++)
        g.program.locations[i] = (struct simulation_script){.process = g.program.shared ? i : 0, .rank = (int32_t)i};
    for (uint32_t length = 0; length < shape->length;) {
        uint32_t phase = below(&g, count);

        if (shape->phases >> phase & 1) {
            phases[phase](&g);
            length++;
        }
    }
    return g.program;
}

void simulation_program_free(struct simulation_program *program)
{
    for (uint32_t i = 0; i < program->count; i++)
        free(program->locations[i].ops);
    free(program->locations);
    *program = (struct simulation_program){0};
}
