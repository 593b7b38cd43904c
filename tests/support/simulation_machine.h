/* Inside of the simulated machine: shared by simulation.c, simulation_threads.c and simulation_messages.c.
 *
 * A discrete-event simulation: the location with the earliest time does its next step. A step that has an effect on
 * others is one of its own, so effects happen in the order of time. */
#ifndef PCOMP_TEST_SIMULATION_MACHINE_H
#define PCOMP_TEST_SIMULATION_MACHINE_H

#include "tests/support/simulation.h"

#define NOBODY UINT32_MAX

enum step {
    STEP_AGAIN,   /* go on with the next step of the operation when the location's time has come */
    STEP_BLOCKED, /* somebody else will wake it: the next step of the operation then */
    STEP_DONE     /* the operation is over */
};

struct request {
    uint32_t id; /* 0: blocking */
    bool is_send, complete;
    uint64_t at; /* completion, when complete */
    uint32_t peer, tag, communicator;
    uint64_t bytes;
};

struct runner { /* a location */
    uint64_t now;
    uint64_t alpha_factor; /* factor of alpha */
    uint32_t op, phase, iteration;
    uint32_t next; /* in the queue it waits in */
    bool started, ended;
    uint64_t ended_at; /* when the end takes effect */
    uint32_t joiner;   /* NOBODY: none waits */
    /* Messages */
    struct request blocking, *requests;
    uint32_t first_request, end_request, request_capacity;
    uint32_t fresh;                 /* id of the request that is being made */
    uint32_t awaited, awaited_from; /* how many requests are waited for, the first of them; 0: the blocking one */
    bool in_wait;
};

struct waiters {
    uint32_t first, last;
};

struct object {
    struct waiters waiters;
    uint32_t arrived;
    int64_t value;   /* of a semaphore; items of a monitor */
    uint64_t *posts; /* who posted each unit; from post_first on they are free */
    uint32_t post_first, post_end;
    uint32_t post_capacity;
    uint32_t readers;
    bool writer;
    uint64_t readers_served, writers_served;
    uint64_t *advanced; /* indices */
    uint32_t advanced_count, advanced_capacity;
};

struct mailbox;      /* simulation_messages.c */
struct communicator; /* simulation_messages.c */

struct simulation {
    const struct simulation_program *program;
    const struct simulation_machine *machine;
    struct simulation_result *result;
    uint64_t jitter_state;
    struct runner *runners;
    struct object *objects;
    uint32_t *group_size;
    uint32_t *heap; /* of locations, by time */
    uint32_t heap_count;
    struct mailbox *mailboxes; /* one a rank */
    struct communicator *communicators;
    uint32_t last_request;
};

/* Records an event of the operation at hand; alpha passes. `role` tells the events of one operation apart. */
void machine_stamp(struct simulation *s, uint32_t location, uint32_t role, uint32_t kind, uint64_t value);
void machine_stamp_long(struct simulation *s, uint32_t location, uint32_t role, uint32_t kind, uint64_t value,
                        uint64_t a, uint64_t b);

/* Begins a location that was created. */
void machine_start(struct simulation *s, uint32_t location, uint64_t time);

/* Lets a blocked location do its next step at a time that is not past. */
void machine_wake(struct simulation *s, uint32_t location, uint64_t time);

/* Notes after whom the location was served. */
void machine_order(struct simulation *s, uint32_t location, uint64_t whom);

/* Name of the operation a location is at. */
uint64_t machine_op_name(const struct simulation *s, uint32_t location);

void *machine_grow(void *array, uint32_t *capacity, uint32_t needed, size_t size);

enum step machine_thread_step(struct simulation *s, uint32_t location, const struct simulation_op *op);
enum step machine_message_step(struct simulation *s, uint32_t location, const struct simulation_op *op);
void machine_end_thread(struct simulation *s, uint32_t location);

void machine_messages_init(struct simulation *s);
void machine_messages_free(struct simulation *s);

#endif
