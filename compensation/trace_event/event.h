/* The event of a trace: the record in the file, what the recorder writes and what the replay reads and rewrites.
 *
 * A location (a thread, or the main thread of an MPI rank) has a sequence of records in time order:
 *
 *   short, 16 bytes   | time | kind << 56 | value |
 *   long,  32 bytes   | time | kind << 56 | value |  a  |  b  |        kinds from PCOMP_EVENT_LONG on
 *
 * Time is in ticks. A short record whose second word is 0 was not written: its hook was left by a jump, or the process
 * killed, in the instruction before. Readers pass over it.
 *
 * Where the overhead lies: the clock is read first, then alpha(kind) passes in this location, and only then happens
 * what the event announces (the post of a semaphore, the arrival at a barrier, the sending). An event that reports
 * something that has happened (an exit, a receive that is done) is stamped right after it. So between two successive
 * events of a location lies the alpha of the first one:
 *
 *   t_a(i) = t_a(i-1) + t_m(i) - t_m(i-1) - alpha(kind(i-1))        (2005, eq. 1)
 *
 * and between a cause in one location and its effect in another lies the alpha of the cause.
 *
 * Objects (barriers, semaphores, locks, conditions, advance variables) are named by their address in the process; two
 * processes have different objects, unless PCOMP_EVENT_SHARED is set in the name. */
#ifndef PCOMP_REPLAY_EVENT_H
#define PCOMP_REPLAY_EVENT_H

#include <stdint.h>

#define PCOMP_EVENT_VALUE 0x00ffffffffffffffull
#define PCOMP_EVENT_LONG  0x80u /* kinds from here on have a and b */
#define PCOMP_EVENT_SHARED                                                                                             \
    (1ull << 55) /* in the name of an object: the same object in all processes (named semaphore) */
#define PCOMP_EVENT_REGION (1ull << 55) /* in the value of ENTER and EXIT: a region, the rest is its name's address */
#define PCOMP_EVENT_MODULE (0x7full << 48) /* there, as readers mark it: which of the modules that lay there */
#define PCOMP_EVENT_ANY    0xffffffffu     /* peer or tag of a receive that takes any */
#define PCOMP_EVENT_KINDS  256

struct pcomp_event {
    uint64_t time; /* ticks */
    uint64_t what; /* kind << 56 | value */
};

struct pcomp_event_long {
    uint64_t time, what, a, b;
};

enum pcomp_event_kind {
    /* Independent of other locations. Value: */
    PCOMP_EVENT_ENTER = 1,       /* address of the function, or of the name of a region (bit 55: region) */
    PCOMP_EVENT_EXIT = 2,        /* the same */
    PCOMP_EVENT_FLUSH_BEGIN = 3, /* 0. What lies between the two is no time of the program */
    PCOMP_EVENT_FLUSH_END = 4,   /* what an ENTER or an EXIT costs from here on (mean of both), measured in the flush,
                                    1/1024 tick; 0: not measured, all is as before */
    PCOMP_EVENT_LOST = 5,        /* number of records that could not be kept between the one before and the next */
    PCOMP_EVENT_PAUSE = 6,       /* 0. pcomp_pause(): no enters and exits until RESUME */
    PCOMP_EVENT_RESUME = 7,      /* 0 */
    PCOMP_EVENT_UNWIND = 8,      /* number of activations that a jump left without their exit */
    PCOMP_EVENT_CLOCK_SET = 9,   /* ticks, signed: from here on the location's clock is that much later. No time of the
                                    program passes. Only between two passes of a replay that re-maps events, in traces
                                    with PCOMP_TRACE_REMAPPED; not counted as an event */

    PCOMP_EVENT_COUNTED = 12, /* address of a function whose calls are counted in place from here on: its activations
                                 that are open end here or, where others lie within, with the innermost of these; none
                                 has an EXIT. Its alpha is what a call counted in place costs */

    PCOMP_EVENT_EXTERNAL_BEGIN = 10, /* enum pcomp_external: about to wait for what no record tells */
    PCOMP_EVENT_EXTERNAL_END = 11,   /* the same, and above PCOMP_EXTERNAL_BITS by how many ticks the wait was longer */

    /* Threads. Value: token of the thread, unique in the process, never 0; of a parallel region, one for all its
       threads; with PCOMP_EVENT_SHARED, of a child process */
    PCOMP_EVENT_CREATE = 16,     /* before the thread is created, or the region begun */
    PCOMP_EVENT_START = 17,      /* first event of the thread, or of a pool thread's part of the region: after CREATE */
    PCOMP_EVENT_END = 18,        /* last event of a thread */
    PCOMP_EVENT_JOIN_BEGIN = 19, /* before waiting for the END of the thread with this token, or for the ENDs of all
                                    threads of the region; without a JOIN_END: timed out, or cancelled */
    PCOMP_EVENT_JOIN_END = 20,

    PCOMP_EVENT_BARRIER_EXIT = 24, /* value: object. Its enter is a long event */

    /* Semaphores. Value: object. A P is P_S, then P_P (passed at once) or P_W (has to wait), then P_E or P_F */
    PCOMP_EVENT_SEM_V = 32,       /* before the post */
    PCOMP_EVENT_SEM_REQUEST = 33, /* about to test */
    PCOMP_EVENT_SEM_WAIT = 34,    /* about to wait */
    PCOMP_EVENT_SEM_PASSED = 35,  /* taken without waiting */
    PCOMP_EVENT_SEM_TAKEN = 36,   /* leaves with it */
    PCOMP_EVENT_SEM_FAILED = 37,  /* leaves without it: time-out, interrupted, or a trywait that failed */

    /* Mutexes and rwlocks. Value: object, bit 0: shared (reader) */
    PCOMP_EVENT_LOCK_REQUEST = 40,
    PCOMP_EVENT_LOCK_WAIT = 41,     /* not free: about to wait */
    PCOMP_EVENT_LOCK_ACQUIRED = 42, /* held from here */
    PCOMP_EVENT_LOCK_FAILED = 43,   /* trylock or time-out: not held */
    PCOMP_EVENT_LOCK_RELEASE = 44,  /* before the unlock */

    /* Condition variables. Value: object */
    PCOMP_EVENT_COND_SIGNAL = 48,    /* before it; wakes at most one */
    PCOMP_EVENT_COND_BROADCAST = 49, /* before it; wakes all who wait */

    PCOMP_EVENT_WAIT_ENTER =
        56, /* MPI wait and test families: value 0; nothing is recorded of a test that finds nothing */
    PCOMP_EVENT_WAIT_EXIT = 57,

    PCOMP_EVENT_BARRIER_ENTER = 0x80, /* before the arrival. Value: object; a: number of participants, 0 not known; b: 1
                                         older than the recording: who entered before is in no trace */
    PCOMP_EVENT_SEM_INIT = 0x81,      /* value: object; a: initial value */
    PCOMP_EVENT_COND_WAIT = 0x82,     /* value: condition; a: its mutex, which is released after this event */
    PCOMP_EVENT_COND_WOKEN = 0x83,    /* value: condition; a: mutex, held again; b: 1 timed out */

    /* Of functions that --budget-trace holds back: their calls are counted instead of recorded, and what they do counts
       as their callers'. No time of the program passes in recording these */
    PCOMP_EVENT_SUPPRESSED = 0x84, /* value: function; a: calls of it that were not recorded since tick b */
    PCOMP_EVENT_UNRECORDED = 0x85, /* value: ticks; a: enters and exits that are not recorded in the b ticks which begin
                                      so many ticks after the event. Its alpha is what one of them costs */

    /* value: ticks that recording it took. b > 0: a stretch between two waits begins. a: ticks in which the thread was
       ready and had no processor, of the b ticks from then on. b 0: before a wait; a: ticks that it ran within it, or
       the stretch is not known */
    PCOMP_EVENT_PREEMPTED = 0x86,

    PCOMP_EVENT_CALLS = 0x87, /* value: ticks; a: calls counted in place (COUNTED) in the b ticks which begin so many
                                 ticks after the event */

    /* value: object; a: index. await of an index that is never advanced to ends with AWAIT_END and b = 1 */
    PCOMP_EVENT_ADVANCE = 0x88, /* before it takes effect */
    PCOMP_EVENT_AWAIT_BEGIN = 0x89,
    PCOMP_EVENT_AWAIT_END = 0x8a,

    /* Streams: pipes, pairs of sockets, eventfds. Value: object, PCOMP_EVENT_SHARED set; a: bytes (of an eventfd: what
       it counts). What was written first is read first */
    PCOMP_EVENT_STREAM_WRITE = 0x8c,   /* before: about to write */
    PCOMP_EVENT_STREAM_WRITTEN = 0x8d, /* behind it, only where fewer bytes were written: a less than asked for */
    PCOMP_EVENT_STREAM_READ = 0x8e,    /* before: about to read; a: 0 */
    PCOMP_EVENT_STREAM_DONE = 0x8f,    /* so many were read; 0: none, at the end or after a failure */

    /* Messages. Value: bytes; a: peer (rank in MPI_COMM_WORLD) << 32 | tag; b: request << 24 | communicator (24 bits).
     * Request 0: blocking. A blocking send is SEND_POST, SEND_DONE; a nonblocking one SEND_POST, and SEND_DONE where
     * its completion is seen (between WAIT_ENTER and WAIT_EXIT). The same for receives. sendrecv is two of each. */
    PCOMP_EVENT_SEND_POST = 0x90,      /* before: standard mode */
    PCOMP_EVENT_SEND_POST_SYNC = 0x91, /* synchronous: done when the receive has begun */
    PCOMP_EVENT_SEND_POST_BUFFER = 0x92,
    PCOMP_EVENT_SEND_POST_READY = 0x93,
    PCOMP_EVENT_SEND_DONE = 0x94,
    PCOMP_EVENT_RECV_POST = 0x95, /* peer, tag: as asked for, PCOMP_EVENT_ANY is blind; value: size of the buffer */
    PCOMP_EVENT_RECV_DONE = 0x96, /* peer, tag, bytes: as they came */
    PCOMP_EVENT_PROBE_ENTER = 0x97,
    PCOMP_EVENT_PROBE_EXIT = 0x98,
    PCOMP_EVENT_REQUEST_GONE = 0x99, /* a request that was cancelled or freed, or failed: no DONE will come. Only b;
                                        value: the kind of its POST */

    /* Collectives. Value: bytes this rank contributes or receives, the greater; a: communicator << 32 | root (rank in
     * MPI_COMM_WORLD; 0 where there is none); b: participants << 16 | enum pcomp_operation << 8 | enum
     * pcomp_collective. The n-th on a communicator is the same one in all its locations. */
    PCOMP_EVENT_COLLECTIVE_ENTER = 0xa0,
    PCOMP_EVENT_COLLECTIVE_EXIT = 0xa1
};

/* No kinds of events: entries of a location's alpha, beside those of the kinds. */
#define PCOMP_ALPHA_COUNTED_ERROR 0xfeu /* standard deviation of that of COUNTED, 1/1024 tick */
#define PCOMP_ALPHA_SAMPLING      0xffu /* share of a span that samples and wrappers of lone mutexes took, 2^-20 */
#define PCOMP_ALPHA_SAMPLING_ONE  (1 << 20)

#define PCOMP_EXTERNAL_BITS 8

enum pcomp_external { /* waits whose cause is not recorded: kept as measured; appended to, never renumbered */
                      PCOMP_EXTERNAL_SLEEP = 1,  /* sleeps as long as it was asked to */
                      PCOMP_EXTERNAL_POLL,       /* poll, select, epoll */
                      PCOMP_EXTERNAL_READ,       /* read, recv, accept of what another program writes */
                      PCOMP_EXTERNAL_WRITE,      /* write, send: the reader is slow */
                      PCOMP_EXTERNAL_CHILD,      /* wait for a process that is not recorded */
                      PCOMP_EXTERNAL_SIGNAL,     /* sigwait, sigsuspend, pause */
                      PCOMP_EXTERNAL_FILE_LOCK,  /* flock, fcntl */
                      PCOMP_EXTERNAL_TASKS,      /* OpenMP: taskwait, taskgroup, copyprivate, cancellable barriers */
                      PCOMP_EXTERNAL_COLLECTIVE, /* MPI: nonblocking and neighbourhood collectives, intercommunicators
                                                  */
                      PCOMP_EXTERNAL_WINDOW,     /* MPI: one-sided communication */
                      PCOMP_EXTERNAL_FILES,      /* MPI: files */
                      PCOMP_EXTERNAL_TEST,       /* MPI: from a test that found nothing to one that did */
                      PCOMP_EXTERNAL_MESSAGE,    /* MPI: message on an intercommunicator */
                      PCOMP_EXTERNAL_FUTEX,      /* the program's own waits on futexes, by syscall(); and for
                                                    semaphores and barriers of processes that share no parent here */
                      PCOMP_EXTERNAL_YIELD,      /* sched_yield() again and again */
                      PCOMP_EXTERNAL_SPIN,       /* samples hit a loop with a pause instruction */
                      PCOMP_EXTERNAL_KINDS
};

enum pcomp_collective { /* who waits for whom */
                        PCOMP_COLLECTIVE_BARRIER = 1,
                        PCOMP_COLLECTIVE_N_TO_N = 2, /* allreduce, allgather, alltoall, ...: each for all */
                        PCOMP_COLLECTIVE_1_TO_N = 3, /* bcast, scatter: each for the root */
                        PCOMP_COLLECTIVE_N_TO_1 = 4, /* reduce, gather: the root for each */
                        PCOMP_COLLECTIVE_PREFIX = 5  /* scan, exscan: each for those before it */
};

enum pcomp_operation { /* which one it is, for reports; the v and w forms are the same */
                       PCOMP_OPERATION_BARRIER = 1,
                       PCOMP_OPERATION_BCAST = 2,
                       PCOMP_OPERATION_REDUCE = 3,
                       PCOMP_OPERATION_ALLREDUCE = 4,
                       PCOMP_OPERATION_GATHER = 5,
                       PCOMP_OPERATION_SCATTER = 6,
                       PCOMP_OPERATION_ALLGATHER = 7,
                       PCOMP_OPERATION_ALLTOALL = 8,
                       PCOMP_OPERATION_SCAN = 9,
                       PCOMP_OPERATION_EXSCAN = 10,
                       PCOMP_OPERATION_REDUCE_SCATTER = 11,
                       PCOMP_OPERATION_CREATE = 12 /* of a communicator, counted on the one it is made from */
};

static inline uint32_t pcomp_event_kind(const struct pcomp_event *e)
{
    return (uint32_t)(e->what >> 56);
}

static inline uint64_t pcomp_event_value(const struct pcomp_event *e)
{
    return e->what & PCOMP_EVENT_VALUE;
}

/* Of a CLOCK_SET: its ticks. */
static inline int64_t pcomp_event_clock_set(const struct pcomp_event *e)
{
    return (int64_t)(e->what << 8) / 256;
}

/* Bytes of the record that begins with `e`: 16 or 32. */
static inline uint32_t pcomp_event_size(const struct pcomp_event *e)
{
    return e->what >> 63 ? 32 : 16;
}

/* Messages and collectives: what concerns other processes. */
static inline int pcomp_event_is_message(uint32_t kind)
{
    return kind == PCOMP_EVENT_WAIT_ENTER || kind == PCOMP_EVENT_WAIT_EXIT || kind >= PCOMP_EVENT_SEND_POST;
}

/* Whether an operation of a library that may wait begins with a record of this kind, or ends with it, or goes on in
 * another way. That a message was posted begins none, since it may be nonblocking. */
static inline int pcomp_event_begins_operation(uint32_t kind)
{
    return kind == PCOMP_EVENT_EXTERNAL_BEGIN || kind == PCOMP_EVENT_JOIN_BEGIN || kind == PCOMP_EVENT_SEM_REQUEST ||
           kind == PCOMP_EVENT_SEM_WAIT || kind == PCOMP_EVENT_LOCK_REQUEST || kind == PCOMP_EVENT_LOCK_WAIT ||
           kind == PCOMP_EVENT_WAIT_ENTER || kind == PCOMP_EVENT_BARRIER_ENTER || kind == PCOMP_EVENT_COND_WAIT ||
           kind == PCOMP_EVENT_AWAIT_BEGIN || kind == PCOMP_EVENT_STREAM_READ || kind == PCOMP_EVENT_PROBE_ENTER ||
           kind == PCOMP_EVENT_COLLECTIVE_ENTER;
}

static inline int pcomp_event_ends_operation(uint32_t kind)
{
    return kind == PCOMP_EVENT_EXTERNAL_END || kind == PCOMP_EVENT_JOIN_END || kind == PCOMP_EVENT_BARRIER_EXIT ||
           (kind >= PCOMP_EVENT_SEM_WAIT && kind <= PCOMP_EVENT_SEM_FAILED) ||
           (kind >= PCOMP_EVENT_LOCK_WAIT && kind <= PCOMP_EVENT_LOCK_FAILED) || kind == PCOMP_EVENT_WAIT_EXIT ||
           kind == PCOMP_EVENT_COND_WOKEN || kind == PCOMP_EVENT_AWAIT_END || kind == PCOMP_EVENT_STREAM_WRITTEN ||
           kind == PCOMP_EVENT_STREAM_DONE || kind == PCOMP_EVENT_SEND_DONE || kind == PCOMP_EVENT_RECV_DONE ||
           kind == PCOMP_EVENT_PROBE_EXIT || kind == PCOMP_EVENT_COLLECTIVE_EXIT;
}

/* True for kinds that the replay treats by the time of their own location alone. */
static inline int pcomp_event_is_independent(uint32_t kind)
{
    return kind < PCOMP_EVENT_CREATE || (kind >= PCOMP_EVENT_SUPPRESSED && kind <= PCOMP_EVENT_CALLS);
}

#endif
