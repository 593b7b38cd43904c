/* A simulated machine that runs parallel programs with and without measurement: the truth that the replay is held to.
 *
 * A program is a script of operations for each location. The machine runs it by the semantics of its synchronisation,
 * each location on a processor of its own; every time follows as below. Each event costs alpha as
 * compensation/trace_event/event.h says. With alpha 0 the run is the actual execution, with alpha above 0 a measured
 * one. Both name their events alike, so that each measured event is found in the actual run.
 *
 * Operations that only make sense together (both ends of a message, the enters of one barrier) carry one group number:
 * what is left after a group is removed everywhere is a program again, and a failing program shrinks that way.
 *
 * The location with the least time does its next step; at equal times the lower location goes first. A step with an
 * effect on others is one by itself. Below, x+ is the stamp of x plus alpha; a delay belongs to the operation and is
 * the same in both runs.
 * Threads
 *   compute    its ticks. call, return: stamped. flush: ticks that the actual run has not.
 *   barrier    exit_i = max_j enter_j+ + delay_i
 *   ladder     exit of the i-th of P to arrive = max_j enter_j+ + (P - i + 1) * delay (1993 §3.2)
 *   semaphore  a P tests at P_S+. With a unit: P_P, P_E = P_P+ + delay. Without: P_W, P_E = max(P_W+, V+) + delay.
 *              Units are taken in the order of the Vs, waiters served in the order of their tests.
 *   lock       tried at REQUEST+. Free and without waiters: ACQUIRED there. Else LOCK_WAIT, and ACQUIRED =
 *              max(WAIT+, RELEASE+); first come, first served, readers together.
 *   monitor    put: lock, add one, signal or broadcast, unlock. take: lock, COND_WAIT while there is none, take
 *              one, unlock. WOKEN = max(WAIT+, SIGNAL+, RELEASE+).
 *   await      AWAIT_END = max(AWAIT_BEGIN+, ADVANCE+ of that index) + delay
 *   create     START = CREATE+ + delay. join: JOIN_END = max(JOIN_BEGIN+, END+) + delay.
 * Messages: c(n) is the copy time of n bytes, D(n) the communication time of the protocol (comm_model.h); D >= 2 c.
 *   eager      SEND_DONE = SEND_POST+ + c; RECV_DONE = max(SEND_POST+ + D, RECV_POST+ + c)
 *   rendezvous (synchronous, or from the threshold on) SEND_DONE = RECV_DONE = max(SEND_POST+, RECV_POST+) + D
 *   wait       nonblocking operations complete by the same rules. The first DONE = max(WAIT_ENTER+, completions),
 *              the others follow at once (their alpha apart), then WAIT_EXIT.
 *   matching   a message goes to the first posted receive that takes it, a receive takes the first sent message; a
 *              blind receive takes the message that was sent first.
 * Collectives
 *   n-to-n     and barrier: exit_i = max_j enter_j+ + delay_i. prefix: the same over j <= i.
 *   1-to-n     root: enter+ + delay. Others: max(enter_root+ + delay_i, enter_i+ + c), delay_i >= 2 c.
 *   n-to-1     root: max_j enter_j+ + delay. Others: enter_i+ + delay_i. */
#ifndef PCOMP_TEST_SIMULATION_H
#define PCOMP_TEST_SIMULATION_H

#include "compensation/cost/comm_model.h"
#include "compensation/trace_event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum simulation_op_kind {
    SIMULATION_COMPUTE, /* amount: ticks */
    SIMULATION_CALL,    /* object: function */
    SIMULATION_RETURN,
    SIMULATION_FLUSH,          /* amount: ticks that the recorder spends, not the program */
    SIMULATION_BARRIER,        /* participants: who has an operation of the group; delay: after the last arrival */
    SIMULATION_BARRIER_LADDER, /* leaves in the reverse order of arrival, delay ticks one after the other */
    SIMULATION_SEM_INIT,       /* amount: initial value */
    SIMULATION_V,
    SIMULATION_P, /* delay: from having it to leaving */
    SIMULATION_LOCK,
    SIMULATION_LOCK_SHARED,
    SIMULATION_UNLOCK,
    SIMULATION_PUT,  /* a monitor: lock object, add one, signal (amount 1: broadcast), unlock; condition object + 1 */
    SIMULATION_TAKE, /* lock, wait while there is none, take one, unlock */
    SIMULATION_ADVANCE, /* amount: index */
    SIMULATION_AWAIT,
    SIMULATION_CREATE, /* object: location; delay: until its first event */
    SIMULATION_JOIN,
    SIMULATION_SEND,  /* peer, tag, object: communicator, amount: bytes, mode: kind of the event */
    SIMULATION_ISEND, /* delay: in the call */
    SIMULATION_RECV,
    SIMULATION_IRECV,
    SIMULATION_WAIT,      /* for the oldest request */
    SIMULATION_WAIT_LAST, /* for the newest */
    SIMULATION_WAITALL,   /* for all */
    SIMULATION_COLLECTIVE /* object: communicator, mode: enum pcomp_collective, peer: root, amount: bytes */
};

struct simulation_op {
    uint8_t kind, mode;
    uint32_t group, object, peer, tag, delay;
    uint64_t amount;
};

struct simulation_script {
    uint32_t process;
    int32_t rank; /* -1: none */
    bool created; /* begins when another location creates it */
    struct simulation_op *ops;
    uint32_t count, capacity;
};

struct simulation_program {
    struct simulation_script *locations;
    uint32_t count;
    uint32_t groups, objects; /* numbers in use are below */
    bool shared;              /* objects belong to all processes */
};

struct simulation_machine {
    int64_t alpha[PCOMP_EVENT_KINDS]; /* ticks */
    uint32_t jitter;                  /* per cent around alpha */
    bool drifts;   /* behind a flush all alphas are one to four times as great, as its FLUSH_END says */
    uint64_t seed; /* of the jitter */
    const struct comm_model *messages;
    double sites; /* share of running that replays are told sites take, in every other process: not simulated */
};

/* What a location recorded. */
struct simulation_trace {
    unsigned char *records; /* bytes */
    size_t size, capacity;
    uint64_t *names; /* of each event, ascending: the same name is the same event of the program */
    uint64_t *times;
    size_t events, event_capacity;
};

struct simulation_result {
    struct simulation_trace *traces; /* one a location */
    uint32_t count;
    uint64_t *order; /* one a location: who was served after whom; equal in two runs if nothing overtook */
    uint64_t first, last;
};

/* Runs the program; false when it does not come to its end (deadlock). Free the result in any case. */
bool simulation_run(const struct simulation_program *program, const struct simulation_machine *machine,
                    struct simulation_result *result);
void simulation_result_free(struct simulation_result *result);

/* The record of an event; a and b only where its kind has them. */
const struct pcomp_event_long *simulation_record(const struct simulation_trace *trace, size_t event);

/* Whether dependent operations were served in the same order in both runs. */
bool simulation_same_order(const struct simulation_result *one, const struct simulation_result *other);

/* --- Programs --- */

void simulation_program_free(struct simulation_program *program);
struct simulation_op *simulation_add(struct simulation_program *program, uint32_t location, struct simulation_op op);

/* Phases a random program is made of. */
enum {
    SIMULATE_CALLS = 1 << 0,
    SIMULATE_BARRIERS = 1 << 1,
    SIMULATE_LADDERS = 1 << 2,
    SIMULATE_FORK_JOIN = 1 << 3,
    SIMULATE_PIPELINE = 1 << 4, /* semaphores, each with one P and one V */
    SIMULATE_ADVANCE = 1 << 5,
    SIMULATE_SEMAPHORES = 1 << 6, /* several P and V */
    SIMULATE_LOCKS = 1 << 7,
    SIMULATE_MONITORS = 1 << 8,
    SIMULATE_MESSAGES = 1 << 9,    /* blocking, eager */
    SIMULATE_RENDEZVOUS = 1 << 10, /* blocking, waiting for the receiver */
    SIMULATE_NONBLOCKING = 1 << 11,
    SIMULATE_WILDCARDS = 1 << 12, /* master and workers */
    SIMULATE_N_TO_N = 1 << 13,
    SIMULATE_1_TO_N = 1 << 14,
    SIMULATE_N_TO_1 = 1 << 15, /* and prefixes */
    SIMULATE_FLUSHES = 1 << 16
};

struct simulation_shape {
    uint64_t seed;
    uint32_t phases; /* SIMULATE_* that may occur */
    uint32_t locations;
    uint32_t length; /* phases that do occur */
    uint32_t work;   /* ticks of a computation at most */
};

/* A random program; the same for the same shape. Free with simulation_program_free. */
struct simulation_program simulation_generate(const struct simulation_shape *shape);

/* Whether the program shows the failure that is looked for. */
typedef bool simulation_fails(const struct simulation_program *program, void *context);

/* Removes locations, groups and work from a failing program while it still fails. */
void simulation_shrink(struct simulation_program *program, simulation_fails *fails, void *context);

/* Prints the scripts on stderr, one location after the other. */
void simulation_print(const struct simulation_program *program);

#endif
