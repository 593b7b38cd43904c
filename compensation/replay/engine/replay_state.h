/* Inside the replay: what its driver (replay.c), the scan of independent events (event_scan.c) and the rules share.
 *
 * Each location scans its independent events alone and rewrites them, up to its next dependent event, its head. The
 * event queue (event_queue.c) holds the heads of all locations by measured time; at equal times causes come before
 * effects. The driver takes the first one and calls the rule of its kind (rules/). The rule does one of three things:
 *   - It commits the event: one of replay_commit* gives the event its approximated time, and the rule returns the
 *     result. Of an event that is a cause of others, the rule then keeps replay_stamp_here(). It may report waiting and
 *     wake other locations.
 *   - It suspends the location, where a cause of the event has not been seen: returns replay_suspend(r, p, list, rule)
 *     with nothing changed. The rule that brings the cause calls replay_wake(r, list), and the suspended one is called
 *     again. Causes are measured before their effects: this happens where clocks are skewed or records are missing.
 *     Where only suspended events are left, the earliest is forced: its rule is called with p->forced, and
 *     replay_suspend reports the violation and commits the event by its own time.
 *   - It defers the process of the location, where the time depends on what others do until some approximated time:
 *     returns REPLAY_DEFERRED after replay_must_defer() said so, with nothing changed. It is called again later.
 *
 * Remote locations belong to another replay (remote_locations.c). Only their messages and collectives become heads. An
 * update carries the state that the rules need, so that each replay computes the same times.
 *
 * Units. Times are relative to r->origin, the first event of all. "ticks": uint64_t. "fixed": int64_t,
 * PCOMP_FIX_SHIFT. */
#ifndef PCOMP_REPLAY_STATE_H
#define PCOMP_REPLAY_STATE_H

#include "compensation/numeric/delta.h"
#include "compensation/replay/engine/replay_memory.h"
#include "compensation/replay/engine/replay_types.h"
#include "compensation/replay/engine/wake_delay.h"
#include "compensation/trace_event/alpha.h"

#define REPLAY_NOBODY UINT32_MAX
#define REPLAY_NEVER  (INT64_MIN / 4) /* fixed: before everything, and still room to subtract from */
#define REPLAY_NO_WAIT                                                                                                 \
    REPLAY_WAIT_KINDS /* for replay_commit_*: waiting that has no kind of its own                                      \
                       */

enum replay_step {
    REPLAY_COMMITTED,
    REPLAY_SUSPENDED,
    REPLAY_DEFERRED,
    REPLAY_FAILED /* r->end and what belongs to it say how */
};

/* When something took effect, in both executions; or, merged, when the last of several did. All zero: nothing did. */
struct replay_stamp {
    int64_t approximated;    /* fixed; of the last one in the approximated execution */
    struct replay_path path; /* to it, of the same one */
    int64_t measured;        /* fixed: stamp + alpha, when its recording was over; of the last one as measured */
    uint64_t stamp;          /* ticks: as recorded, of the same one */
    uint64_t event;          /* its number */
    uint64_t written;        /* ticks: the latest approximated time written for any of them */
    uint32_t location;       /* of the one as measured */
    bool happened;
    uint32_t node; /* of options->graph; with `happened` */
};

struct replay_waiters { /* locations that wait for one thing; all zero: none */
    uint32_t first;     /* index + 1 */
};

struct replay_span { /* from tick to tick: a share of it is no time of the program */
    uint64_t begin, end;
    double share;
    int64_t taken; /* fixed: so far */
    bool counts;   /* calls counted in place */
    double doubt;  /* standard deviation of what is taken, as a share of it */
    double sites;  /* no-op sites, as a share of it */
};

struct location_state { /* what every event needs comes first */
    /* The head: the dependent event at hand. */
    struct pcomp_event *event; /* NULL: at its end. The time in it is not to be used */
    uint32_t kind;
    uint64_t time;       /* ticks, measured */
    int64_t independent; /* fixed: its approximated time as if it were independent */
    uint64_t number;     /* in its location */
    bool forced;
    struct replay_stretch stretch; /* since the event before */

    /* The event before it. */
    uint64_t measured;       /* ticks */
    int64_t running;         /* fixed: its approximated time, not clamped */
    int64_t pending;         /* fixed: alpha that passes after it */
    struct replay_path path; /* to it, what is pending not included */
    uint64_t written;        /* ticks: its approximated time as written, never stepping back */

    /* Of the scan. */
    unsigned char *block;
    size_t size, at;
    uint32_t flushing;   /* depth */
    double alpha_factor; /* factor of all alphas from here on (alpha.h) */

    /* Constant. */
    uint32_t index, process;
    int32_t rank;
    const int64_t *alpha; /* fixed, by kind: to be had from replay_alpha() */
    struct alpha_context context;
    const struct comm_protocols *protocols;
    uint64_t machine; /* 0: not known */
    struct replay_sites sites;
    bool remote;

    bool operates; /* the program has called an operation that may wait: followed where sites.share is above 0 */

    /* What the location is in the middle of, for rules that are begun by one event and ended by another. */
    struct {
        uint32_t kind;   /* of the event that began it; 0 nothing */
        uint64_t object; /* its value */
        uint64_t order;  /* r->handled then */
        bool waits;      /* it waits, as approximated only */
        void *thing;
    } open;

    struct { /* of exit_order.c: between an enter and its exit */
        const void *order;
        uint32_t position; /* from 1 */
    } leaving;

    /* A flush that lies between an event and the head, with the state before it: whether the location waited before or
     * after the flush is decided when the cause is known. */
    struct {
        uint64_t next;         /* number of the first event after it */
        int64_t running, done; /* fixed: approximated time of the event before; measured time when its alpha was over */
        struct replay_path path; /* with its alpha */
        int64_t length;          /* fixed: of the flushes */
        uint64_t begin;          /* ticks: when the first one began */
    } flush;

    struct replay_span span; /* in which events are not recorded: their overhead */
    struct replay_span off;  /* between two waits: without a processor */
    struct {                 /* of replay_what_if.c: active functions, and factor of the innermost */
        struct replay_active *stack;
        uint32_t depth, room;
        double factor;
    } what_if;
    bool runs; /* it needs a processor: it is not in a wait that a rule covers */

    struct { /* of options->graph: the last node, when it was, external waits since, what waiting takes of a processor,
                and the events that have nodes */
        uint32_t last;
        int64_t time, idle, cost;
        uint64_t events;
        bool begun;
    } node;

    struct {                  /* of replay_defer.c */
        int64_t until;        /* fixed: what others do before this must be known */
        uint32_t watch, next; /* the first of the others who have not come as far; next deferred one, index + 1 */
        bool waits, released; /* it is deferred; it was the one to go on */
    } deferral;
    struct {           /* between EXTERNAL_BEGIN and EXTERNAL_END */
        int64_t since; /* fixed */
        bool waits;
    } outside;
    bool deferred;         /* out of the order, because a location of the process is deferred */
    uint64_t deferred_key; /* where it would stand */
    uint32_t next_of_process;

    struct wake_delays *delays[REPLAY_WAIT_STREAM + 1]; /* of its process, by kind of wait; NULL: not looked for yet */
    void *forked; /* of fork_join.c: the process that the location is the main thread of; NULL: none that was forked */
    void *messages;     /* of the rules of messages and collectives: what they keep by location */
    void *remote_state; /* of remote_locations.c: updates */
    uint64_t lost;
    struct replay_waiters *suspended_on;
    uint32_t next_suspended; /* index + 1 */
    uint64_t first;          /* ticks, not from the origin */
    int64_t first_approximated;
};

enum replay_family { /* of objects that have a name */
                     REPLAY_THREADS,
                     REPLAY_BARRIERS,
                     REPLAY_SEMAPHORES,
                     REPLAY_LOCKS,
                     REPLAY_CONDITIONS,
                     REPLAY_ADVANCES,
                     REPLAY_WAKE_DELAYS, /* by kind of wait */
                     REPLAY_COLLECTIVES,
                     REPLAY_STREAMS,
                     REPLAY_FAMILIES
};

#define REPLAY_NO_KEY (UINT64_MAX / 2)

struct replay_entry { /* of the order */
    uint64_t key;     /* time << 2 | rank of the kind; REPLAY_NO_KEY: the location has no head, or is suspended */
    uint64_t location;
};

struct replay {
    const struct replay_options *options;
    const struct replay_io *io;
    struct location_state *locations;
    uint32_t count;
    uint64_t origin;  /* ticks: all times count from it */
    uint64_t handled; /* dependent events so far: a number that grows in the order of measured time */
    uint8_t action[PCOMP_EVENT_KINDS];
    struct replay_memory memory;
    struct replay_map objects[REPLAY_FAMILIES];
    void *messages;                   /* of the rules of messages: what they keep in all */
    struct replay_advances *advances; /* of advance_await.c */
    struct replay_waiters woken;
    uint32_t deferred;         /* first deferred location, index + 1 */
    bool spread;               /* others have remote locations of these locations, or this one of theirs */
    uint32_t running;          /* locations that need a processor */
    int64_t freed;             /* fixed, measured: when one last left a processor while there was none to spare */
    struct core_node link;     /* of the event at hand, for commit_at; kind CORE_BEGIN: by its own time */
    uint32_t link_lock, locks; /* its lock; locks that have a number */
    uint32_t unopened;         /* remote locations of which not even the beginning is known */
    struct replay_entry *tree; /* of replay.c, by which it finds the least head */
    uint32_t leaves;
    enum replay_end end; /* after REPLAY_FAILED */
    struct replay_result *result;
};

/* --- the event at hand ---------------------------------------------------------------------------------------------
 */

static inline uint64_t replay_value(const struct location_state *p)
{
    return pcomp_event_value(p->event);
}

static inline uint64_t replay_a(const struct location_state *p) /* of a long event */
{
    return ((const struct pcomp_event_long *)(const void *)p->event)->a;
}

static inline uint64_t replay_b(const struct location_state *p)
{
    return ((const struct pcomp_event_long *)(const void *)p->event)->b;
}

static inline int64_t replay_fixed(uint64_t ticks)
{
    return (int64_t)(ticks << PCOMP_FIX_SHIFT);
}

/* Fixed: what an event of this kind costs where the location is now. */
static inline int64_t replay_alpha(const struct location_state *p, uint32_t kind)
{
    return alpha_in_context(p->alpha[kind], p->alpha_factor, &p->context);
}

/* Fixed: how far that of so many events may be off, in the same direction. */
static inline double replay_alpha_doubt(const struct location_state *p, uint64_t events)
{
    return (double)p->context.error * (double)events;
}

/* Fixed: what a span holds until `time`, in the ticks since the event before. */
static inline int64_t replay_span_until(const struct replay_span *span, uint64_t time)
{
    uint64_t until = time < span->end ? time : span->end;
    if (until <= span->begin)
        return 0;
    return (int64_t)((double)replay_fixed(until - span->begin) * span->share) - span->taken;
}

/* After a record of this kind. An operation that ends without a record ends before the next call of the program. */
static inline void replay_operation_follow(struct location_state *p, uint32_t kind)
{
    if (!(p->sites.share > 0))
        return;
    if (pcomp_event_begins_operation(kind))
        p->operates = true;
    else if (kind <= PCOMP_EVENT_EXIT || pcomp_event_ends_operation(kind))
        p->operates = false;
}

static inline void replay_path_doubt(struct replay_path *path, const struct replay_stretch *stretch)
{
    path->counted += stretch->counted;
    path->doubt += stretch->doubt;
    path->sites += stretch->sites;
}

/* A path, and so much overhead (fixed) behind it. */
static inline struct replay_path replay_path_after(const struct replay_path *path, int64_t removed)
{
    struct replay_path after = *path;
    after.removed += removed;
    return after;
}

#endif
