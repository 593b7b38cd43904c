/* What a replay is given, and what it tells: options, locations, input and output, results. */
#ifndef PCOMP_REPLAY_TYPES_H
#define PCOMP_REPLAY_TYPES_H

#include "compensation/cost/comm_model.h"
#include "compensation/replay/cores/core_schedule.h"
#include "compensation/trace_event/alpha.h"
#include "compensation/trace_event/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum replay_model { REPLAY_TIME, REPLAY_EVENT };
enum replay_barrier { /* 1991 §4.2.2; the others 1993 §3.2 (exit_order.h) */
                      REPLAY_BARRIER_AFTER,
                      REPLAY_BARRIER_BETA,
                      REPLAY_BARRIER_SEQUENTIAL,
                      REPLAY_BARRIER_LOGARITHMIC
};
enum replay_semaphore { REPLAY_SEMAPHORE_COUNTING, REPLAY_SEMAPHORE_SINGLE }; /* POSIX; 1991 §4.3.2 as printed */
enum replay_receive { REPLAY_RECEIVE_PRESERVE, REPLAY_RECEIVE_FIFO, REPLAY_RECEIVE_LIFO }; /* 1993 §4.2 */
enum replay_comm { REPLAY_COMM_LOWER, REPLAY_COMM_UPPER, REPLAY_COMM_MODEL };              /* 2005 §3.2; 1993 §3.3 */

struct replay_options {
    enum replay_model model;
    enum replay_barrier barrier;
    enum replay_semaphore semaphore;
    enum replay_receive receive;
    enum replay_comm comm;
    struct comm_model messages;   /* times in ticks */
    struct comm_model between;    /* of messages between nodes; nothing known: as `messages` */
    uint64_t clock_error;         /* ticks: times of two locations are known to each other to so much */
    uint32_t processors;          /* of the measured execution, for all locations; 0: not known */
    struct core_graph *graph;     /* gets what the replay finds of dependences; NULL: not wanted */
    const struct core_plan *plan; /* of an equal replay's graph: when events happen; NULL: each location has a processor
                                     of its own */
    /* What if functions were faster: the factor of the time that a function (as in its ENTER) spends in its own code.
       NULL: all is as it is. Called by the thread that replays */
    double (*own_time)(void *context, uint32_t process, uint64_t function);
    void *own_time_context;
    struct wake_memory *wakes; /* what this replay finds, for one with own_time, which uses it; NULL: neither */
    bool constant_alpha; /* a FLUSH_END does not change it: for traces whose events were given to other locations */
    bool partial;        /* beginnings or other records are known to be missing (a ring that has gone round): what
                          * began before them is no bad input, and no event waits for a cause that was not seen */
};

/* What the sites of a location take as no-ops. Standard deviations are relative: of a process alike. */
struct replay_sites {
    double call, call_doubt;   /* fixed-point ticks of a call counted in place */
    double share, share_doubt; /* share of the time that it runs: of calls that are not counted */
};

struct replay_location {
    uint32_t process;     /* locations of one process share its objects */
    int32_t rank;         /* MPI rank in MPI_COMM_WORLD of the process; -1 none */
    const int64_t *alpha; /* overhead by kind, PCOMP_EVENT_KINDS of them, fixed-point ticks; the caller's. Until a
                           * FLUSH_END says that it changed */
    struct alpha_context context;
    struct comm_protocols protocols; /* of its sends, as seen while the program ran */
    uint64_t machine;                /* that it ran on: equal ones are the same; 0: not known */
    struct replay_sites sites;
    bool remote; /* of another replay; so are all locations of its process */
};

/* What lies on a path of dependences that leads to an event. */
struct replay_path {
    int64_t removed;  /* fixed-point ticks: overhead */
    int64_t external; /* fixed-point ticks: waits for what is not recorded, which were kept as measured */
    double counted; /* fixed-point ticks, of `removed`: calls counted in place, samples of them, and no-op sites ... */
    double doubt; /* ... and its standard deviation, with that of the context of events (alpha.h): of all such calls and
                   * events of a process alike */
    double sites; /* of `counted`: no-op sites */
    double scatter; /* squared fixed-point ticks: variance of the wake-up delays that were put in or taken out */
};

/* Of the time between two events of a location, fixed-point ticks. */
struct replay_stretch {
    int64_t kept; /* missing as approximated, and no overhead: without a processor, or saved by a what-if */
    double counted, doubt, sites; /* as in a path */
};

/* What one replay tells the others of a location of its own: they receive it as it is. Times are
 * as inside the replay. */
struct replay_update {
    uint32_t location;
    uint32_t what; /* enum update_kind, of remote_locations.c */
    struct pcomp_event_long event;
    uint64_t number, time, measured, written, lost, first, flush_next, flush_begin;
    int64_t independent, running, pending, first_approximated, flush_running, flush_done, flush_length;
    struct replay_path path, flush_path;
    double alpha_factor;
    struct replay_stretch stretch;
};

enum replay_wait_kind {
    REPLAY_WAIT_JOIN,
    REPLAY_WAIT_BARRIER,
    REPLAY_WAIT_SEMAPHORE,
    REPLAY_WAIT_LOCK,
    REPLAY_WAIT_CONDITION,
    REPLAY_WAIT_AWAIT,
    REPLAY_WAIT_STREAM,        /* a pipe, a pair of sockets or an eventfd was empty */
    REPLAY_WAIT_PROCESSOR,     /* ready, and others had all processors */
    REPLAY_WAIT_LATE_SENDER,   /* the receiver was there first */
    REPLAY_WAIT_LATE_RECEIVER, /* the sender blocked */
    REPLAY_WAIT_N_TO_N,
    REPLAY_WAIT_1_TO_N,
    REPLAY_WAIT_N_TO_1,
    REPLAY_WAIT_EXTERNAL, /* and from here on, by enum pcomp_external: kept as measured */
    REPLAY_WAIT_KINDS = REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_KINDS
};

/* Half-width of the 95 % interval of the time of the event to which the path leads, fixed-point ticks: of the overhead
 * that was removed (alpha_uncertainty, prices); of what is not overhead: wake-up delays, and waits of which nothing is
 * known but that they cannot be shorter than nothing; and of both. */
double replay_removal_uncertainty(const struct replay_path *path);
double replay_outside_uncertainty(const struct replay_path *path);
double replay_uncertainty(const struct replay_path *path);

/* "barrier", "late-sender", ...: as in JSON and reports. */
const char *replay_wait_name(enum replay_wait_kind kind);

struct replay_wait {
    uint32_t location;
    enum replay_wait_kind kind;
    uint64_t event;                 /* number of the event in its location (from 0) that ended the waiting */
    uint32_t cause;                 /* location that was waited for, in the measured execution; UINT32_MAX not known */
    uint64_t cause_event;           /* number of its event; with `cause` */
    int64_t measured, approximated; /* fixed-point ticks, never negative */
};

struct replay_violation {
    const char *rule;        /* static text, with the paper and section */
    uint32_t location[2];    /* [1] may be UINT32_MAX: none */
    uint64_t event[2];       /* numbers in their locations */
    uint64_t measured[2];    /* ticks */
    int64_t approximated[2]; /* fixed-point ticks from the origin, before the repair */
};

struct replay_io {
    void *context;
    /* The next block of a location: sets *block to whole records, 8-byte aligned, which may be rewritten until `done`
     * is called with them; returns their size in bytes, 0 at the end of the location. A block of one record is allowed.
     */
    size_t (*next)(void *context, uint32_t location, void **block);
    /* All times in the block are approximated ones now. Called in order within a location; after the end of a replay
     * that was not REPLAY_DONE it is not called for the blocks that were under way. */
    void (*done)(void *context, uint32_t location, void *block, size_t size);
    /* A wait that has ended; called before the block of its event is done. NULL: not wanted. */
    void (*wait)(void *context, const struct replay_wait *wait);
    /* Returns false to stop the replay. NULL: go on. */
    bool (*violation)(void *context, const struct replay_violation *violation);

    /* Both NULL in a replay that has all locations. For remote locations, nothing above is called: violations and waits
     * in the result are those of the replay's own locations, all else is that of all. */
    /* Publishes an update to all other replays, at the latest when `next` or `receive` is called, or the replay ends.
     */
    void (*publish)(void *context, const struct replay_update *update);
    /* Waits for an update of another replay; those of one replay come in order. False: there will be none,
     * the replay ends with REPLAY_STOPPED. */
    bool (*receive)(void *context, struct replay_update *update);
};

struct replay_location_result {
    uint64_t events; /* records, LOST and FLUSH included */
    uint64_t lost;
    uint64_t first, last;                          /* measured, ticks; both 0 without events */
    int64_t first_approximated, last_approximated; /* fixed-point ticks from the origin */
};

enum replay_end {
    REPLAY_DONE,
    REPLAY_STOPPED,   /* a violation, and its callback said so */
    REPLAY_BAD_INPUT, /* result->error says what, result->error_location and _event where */
    REPLAY_NO_MEMORY
};

struct replay_result {
    uint64_t events, lost, violations, blind;
    uint64_t undecided;  /* ends of messages that depend on whether a send waits, which is not known */
    uint64_t unpriced;   /* messages of whose time neither the trace, nor others like them, nor a model tells */
    uint64_t suppressed; /* calls of functions that were not recorded (record SUPPRESSED) */
    uint64_t counted;    /* calls counted in place (CALLS) */
    uint64_t bytes_max;  /* bytes of bookkeeping, the most at a time, blocks not counted */
    uint64_t origin;     /* ticks: the first event of all, in both executions */
    uint64_t measured;   /* ticks from the first to the last event over all locations */
    int64_t approximated, direct_perturbation;     /* fixed-point ticks; DP: alpha on the critical path (1991 §2.2) */
    struct replay_path critical_path;              /* to the last event of the approximated execution */
    uint64_t external_calls[PCOMP_EXTERNAL_KINDS]; /* by enum pcomp_external, over all locations */
    int64_t waiting_measured[REPLAY_WAIT_KINDS], waiting_approximated[REPLAY_WAIT_KINDS];
    const char *error;                    /* static text */
    uint32_t error_location, error_other; /* UINT32_MAX none */
    uint64_t error_event, error_other_event;
};

#endif
