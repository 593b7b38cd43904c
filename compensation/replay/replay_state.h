/* Inside the replay: what its driver (replay.c), the walk over independent events (replay_place.c) and the rules share.
 *
 * How it works. Each location is a "place". It walks over its independent events alone, rewriting them, up to its next
 * dependent event, its head. The heads of all places are in order of measured time; at equal times causes come before
 * effects. The driver takes the least one and calls the rule of its kind (replay_rule). The rule
 *   - settles the event: gives it its approximated time, with one of replay_settle*, and returns what that returned. To
 *     be a cause of others, it then keeps replay_stamp_here(). It may report waiting and wake others; or
 *   - parks the place, when a cause that the event needs has not been seen: returns replay_park(r, p, list, rule).
 *     Nothing may have been changed by then: the rule is called again after replay_wake(r, list), which whoever brings
 *     the cause calls. Causes are measured before their effects, so this happens only where clocks are skewed or
 *     records are missing. When nothing is left to do but parked events, the earliest is forced: called once more with
 *     p->forced, replay_park then reports the violation and settles it by its own time; or
 *   - holds the place's process, when it must know what others do until some approximated time: returns REPLAY_HELD
 *     after replay_must_hold() said so, with nothing changed. The rule is called again when they have come so far.
 *
 * Ghosts are places of another replay (ghosts.c). Only their messages and collectives become heads, announced with the
 * state that the rules need, so that the same rule gives them the same times everywhere.
 *
 * Units. Times are relative to r->origin, the first event of all. "ticks": uint64_t. "fixed": int64_t,
 * PCOMP_FIX_SHIFT. */
#ifndef PCOMP_REPLAY_STATE_H
#define PCOMP_REPLAY_STATE_H

#include "compensation/numeric/delta.h"
#include "compensation/replay/replay.h"
#include "compensation/replay/replay_memory.h"
#include "compensation/replay/wake_delay.h"
#include "compensation/trace_event/alpha.h"

#define REPLAY_NOBODY UINT32_MAX
#define REPLAY_NEVER  (INT64_MIN / 4) /* fixed: before everything, and still room to subtract from */
#define REPLAY_NO_WAIT                                                                                                 \
    REPLAY_WAIT_KINDS /* for replay_settle_*: waiting that has no kind of its own                                      \
                       */

enum replay_step {
    REPLAY_SETTLED,
    REPLAY_PARKED,
    REPLAY_HELD,
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
};

struct replay_parked { /* places that wait for one thing; all zero: none */
    uint32_t first;    /* index + 1 */
};

struct replay_place { /* what every event needs comes first */
    /* The head: the dependent event at hand. */
    struct pcomp_event *event; /* NULL: at its end. The time in it is not to be used */
    uint32_t kind;
    uint64_t time;       /* ticks, measured */
    int64_t independent; /* fixed: its approximated time as if it were independent */
    uint64_t number;     /* in its location */
    bool forced;

    /* The event before it. */
    uint64_t measured;       /* ticks */
    int64_t running;         /* fixed: its approximated time, not clamped */
    int64_t pending;         /* fixed: alpha that passes after it */
    struct replay_path path; /* to it, what is pending not included */
    uint64_t written;        /* ticks: its approximated time as written, never stepping back */

    /* Of the walk. */
    unsigned char *block;
    size_t size, at;
    uint32_t flushing; /* depth */
    double dearer;     /* factor of all alphas from here on (alpha.h) */

    /* Constant. */
    uint32_t index, process;
    int32_t rank;
    const int64_t *alpha; /* fixed, by kind: to be had from replay_alpha() */
    const struct comm_protocols *protocols;
    bool ghost;

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

    struct { /* in which events are not recorded: from tick to tick, their overhead's share of it, and (fixed) what of
                it was taken off */
        uint64_t begin, end;
        double share;
        int64_t taken;
    } span;

    struct {                  /* of replay_hold.c */
        int64_t until;        /* fixed: what others do before this must be known */
        uint32_t watch, next; /* the first of the others who have not come as far; next that is held, index + 1 */
        bool waits, released; /* it is held; it was the one to go on */
    } hold;
    struct {           /* between EXTERNAL_BEGIN and EXTERNAL_END */
        int64_t since; /* fixed */
        bool waits;
    } outside;
    bool held;         /* out of the order, because a place of the process is held */
    uint64_t held_key; /* where it would stand */
    uint32_t next_of_process;

    struct wake_delays *delays[REPLAY_WAIT_STREAM + 1]; /* of its process, by kind of wait; NULL: not looked for yet */
    void *forked;   /* of fork_join.c: the process that the place is the main thread of; NULL: none that was forked */
    void *messages; /* of the rules of messages and collectives: what they keep by location */
    void *news;     /* of ghosts.c: what has been announced */
    uint64_t lost;
    struct replay_parked *parked_on;
    uint32_t next_parked; /* index + 1 */
    uint64_t first;       /* ticks, not from the origin */
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
    uint64_t key;     /* time << 2 | rank of the kind; REPLAY_NO_KEY: the place has no head, or is parked */
    uint64_t place;
};

struct replay {
    const struct replay_options *options;
    const struct replay_io *io;
    struct replay_place *places;
    uint32_t count;
    uint64_t origin;  /* ticks: all times count from it */
    uint64_t handled; /* dependent events so far: a number that grows in the order of measured time */
    uint8_t action[PCOMP_EVENT_KINDS];
    struct replay_memory memory;
    struct replay_map objects[REPLAY_FAMILIES];
    void *messages;                   /* of the rules of messages: what they keep in all */
    struct replay_advances *advances; /* of advance_await.c */
    struct replay_parked woken;
    uint32_t holding;          /* first place that is held, index + 1 */
    bool spread;               /* others have ghosts of these places, or this one of theirs */
    uint32_t unheard;          /* ghosts of which not even the beginning is known */
    struct replay_entry *tree; /* of replay.c, by which it finds the least head */
    uint32_t leaves;
    enum replay_end end; /* after REPLAY_FAILED */
    struct replay_result *result;
};

/* --- the event at hand ---------------------------------------------------------------------------------------------
 */

static inline uint64_t replay_value(const struct replay_place *p)
{
    return pcomp_event_value(p->event);
}

static inline uint64_t replay_a(const struct replay_place *p) /* of a long event */
{
    return ((const struct pcomp_event_long *)(const void *)p->event)->a;
}

static inline uint64_t replay_b(const struct replay_place *p)
{
    return ((const struct pcomp_event_long *)(const void *)p->event)->b;
}

static inline int64_t replay_fixed(uint64_t ticks)
{
    return (int64_t)(ticks << PCOMP_FIX_SHIFT);
}

/* Fixed: what an event of this kind costs where the place is now. */
static inline int64_t replay_alpha(const struct replay_place *p, uint32_t kind)
{
    return alpha_times(p->alpha[kind], p->dearer);
}

/* Fixed: overhead of what is not recorded until `time`, in the ticks since the event before. */
static inline int64_t replay_span_until(const struct replay_place *p, uint64_t time)
{
    uint64_t until = time < p->span.end ? time : p->span.end;
    if (until <= p->span.begin)
        return 0;
    return (int64_t)((double)replay_fixed(until - p->span.begin) * p->span.share) - p->span.taken;
}

/* A path, and so much overhead (fixed) behind it. */
static inline struct replay_path replay_path_after(const struct replay_path *path, int64_t removed)
{
    struct replay_path after = *path;
    after.removed += removed;
    return after;
}

/* --- settling: each settles the event at hand, once, and returns REPLAY_SETTLED or REPLAY_FAILED --------------------
 */

/* By its own time alone. */
enum replay_step replay_settle(struct replay *r, struct replay_place *p);

/* At a time that the rule knows. `path`: that to it; `written`: the time written is not less. */
enum replay_step replay_settle_at(struct replay *r, struct replay_place *p, int64_t approximated,
                                  const struct replay_path *path, uint64_t written);

/* The event ended a wait for `cause`: it comes as long after the later of "ready" (the event before it) and "cause" as
 * it did in the measured execution, and not before the cause:
 *   t_a(e) = max(t_a(ready), t_a(cause)) + t_m(e) - max(t_m(ready) + alpha, t_m(cause) + alpha).
 * A wait between threads that appears or vanishes has the delay of its kind (wake_delay.h).
 * Reports the waiting. A cause that was measured after its effect is a violation of `rule`. */
enum replay_step replay_settle_waited(struct replay *r, struct replay_place *p, const struct replay_stamp *cause,
                                      enum replay_wait_kind kind, const char *rule);

/* The approximated time, fixed, that replay_settle_waited() would give the event. */
int64_t replay_waited_time(const struct replay_place *p, const struct replay_stamp *cause);

/* The event found what it needs already there, so its measured time tells nothing of the cause:
 *   t_a(e) = max(own time, t_a(cause)),
 * and where waits of the kind are known to take a wake-up delay, that much after the cause. */
enum replay_step replay_settle_passed(struct replay *r, struct replay_place *p, const struct replay_stamp *cause,
                                      enum replay_wait_kind kind, const char *rule);

/* The event ends an operation that did not have to wait as measured: after the event before it, at which its cause was
 * there, or came (`waits`, replay_settle_passed). Not for REPLAY_NO_WAIT and waits for messages. */
enum replay_step replay_settle_passing(struct replay *r, struct replay_place *p, enum replay_wait_kind kind,
                                       bool waits);

/* The event ended a wait for what is not recorded, which began at the event before it: by its own time, and reported.
 */
enum replay_step replay_settle_external(struct replay *r, struct replay_place *p, enum pcomp_external what);

/* So much time (fixed) at the event at hand is such a wait; *path is to have it. How long a sleep lasts is known. */
void replay_report_external(struct replay *r, const struct replay_place *p, enum pcomp_external what, int64_t time,
                            struct replay_path *path);

/* The settled event as a cause of others: call it after replay_settle*. */
struct replay_stamp replay_stamp_here(const struct replay_place *p);

/* *into becomes the later of both, in each execution. */
void replay_stamp_merge(struct replay_stamp *into, const struct replay_stamp *other);

/* When the place was ready to wait, if the event at hand ended a wait for `cause`: the event before it; REPLAY_NEVER
 * when there is none. *measured: fixed, the event at hand, less a flush between the end of the wait and it. */
struct replay_stamp replay_ready(const struct replay_place *p, const struct replay_stamp *cause, int64_t *measured);

/* The path to the event at hand if its own location determines its time. */
struct replay_path replay_own_path(const struct replay_place *p);

/* --- reporting; call it before or after settling -------------------------------------------------------------------
 */

/* The event at hand ended a wait. Both times fixed; negative ones count as 0, two zeroes are no wait. */
void replay_report_wait(struct replay *r, const struct replay_place *p, enum replay_wait_kind kind,
                        const struct replay_stamp *cause, int64_t measured, int64_t approximated);

/* False: the replay is to stop; return REPLAY_FAILED. `other` may be NULL, or nothing. */
bool replay_violated(struct replay *r, const char *rule, const struct replay_stamp *effect,
                     const struct replay_stamp *other);

/* False after a violation of `rule` at which the replay is to stop: the cause of the event at hand, which has got the
 * time `approximated`, was measured after it. */
bool replay_follows(struct replay *r, const struct replay_place *p, const struct replay_stamp *cause,
                    int64_t approximated, const char *rule);

/* The event does not fit what the location did before: bad input; where records were lost, it is settled by its own
 * time. */
enum replay_step replay_out_of_place(struct replay *r, struct replay_place *p, const char *error);

enum replay_step replay_bad_input(struct replay *r, const struct replay_place *p, const char *error);
enum replay_step replay_no_memory(struct replay *r);

/* --- parking -------------------------------------------------------------------------------------------------------
 */

enum replay_step replay_park(struct replay *r, struct replay_place *p, struct replay_parked *list, const char *rule);
void replay_wake(struct replay *r, struct replay_parked *list);

/* --- holding (replay_hold.c) ---------------------------------------------------------------------------------------
 */

/* True: the rule is to return REPLAY_HELD, because others may still do something before `until` (fixed, approximated).
 */
bool replay_must_hold(struct replay *r, struct replay_place *p, int64_t until);

/* For the driver. Holds the place's process. */
void replay_hold(struct replay *r, struct replay_place *p);
/* The place has gone on: releases whom that lets go on. */
void replay_hold_passed(struct replay *r, const struct replay_place *p);
/* Nothing else can go on: releases one. False: none is held. */
bool replay_hold_release(struct replay *r);
/* Before the first of these. False: no memory. */
bool replay_hold_prepare(struct replay *r);

/* --- objects -------------------------------------------------------------------------------------------------------
 */

/* The object with this name in the place's process, made (zeroed, `size` bytes) when it is new. NULL: no memory, return
 * replay_no_memory(). */
void *replay_object(struct replay *r, enum replay_family family, const struct replay_place *p, uint64_t name,
                    size_t size);
void replay_object_remove(struct replay *r, enum replay_family family, const struct replay_place *p, uint64_t name);

/* A queue of stamps. All zero: empty. */
struct replay_queue {
    struct replay_stamp *stamps;
    uint32_t room, first, count; /* room: power of two */
};

bool replay_queue_push(struct replay *r, struct replay_queue *queue, const struct replay_stamp *stamp);

static inline struct replay_stamp *replay_queue_at(const struct replay_queue *queue, uint32_t i)
{
    return &queue->stamps[(queue->first + i) & (queue->room - 1)];
}

static inline void replay_queue_pop(struct replay_queue *queue)
{
    queue->first++;
    queue->count--;
}

/* --- the order (replay.c) ------------------------------------------------------------------------------------------
 */

/* Where the head of a place stands in the order. */
uint64_t replay_key(const struct replay_place *p);
/* Puts a place there; REPLAY_NO_KEY takes it out. */
void replay_order_put(struct replay *r, uint32_t place, uint64_t key);

/* --- ghosts (ghosts.c): only where r->spread -----------------------------------------------------------------------
 */

/* Tells the others when the own places begin, and waits until they have told the same. False: failed. */
bool replay_ghosts_open(struct replay *r);

/* The own place has a new head, or has come to its end. */
void replay_tell_head(struct replay *r, struct replay_place *p);

/* Tells what is known of the own places' next events; `walking` is about to read its next block. */
void replay_tell_bounds(struct replay *r, const struct replay_place *walking);

/* The ghost's head was settled: on to what is known of its next one. */
void replay_ghost_passed(struct replay *r, struct replay_place *p);

/* The least of the own heads, if nobody else need be waited for to settle it. NULL: none. */
struct replay_place *replay_own_head(struct replay *r);

/* Waits for one announcement. False: failed. */
bool replay_learn(struct replay *r);

/* --- the walk (replay_place.c) -------------------------------------------------------------------------------------
 */

/* Fills r->action for the model. */
void replay_classify(struct replay *r);

/* Gets the first block. False: failed. */
bool replay_place_open(struct replay *r, struct replay_place *p);

/* Walks to the next dependent event, which becomes the head (p->event NULL: there is none). False: failed. */
bool replay_place_walk(struct replay *r, struct replay_place *p);

/* --- the rules, one a file -----------------------------------------------------------------------------------------
 */

/* The place has come to its end: so has its process, if that was forked. */
void fork_join_ends(struct replay *r, struct replay_place *p);
enum replay_step fork_join_rule(struct replay *r, struct replay_place *p);  /* CREATE ... JOIN_END */
enum replay_step barrier_rule(struct replay *r, struct replay_place *p);    /* BARRIER_* */
enum replay_step semaphore_rule(struct replay *r, struct replay_place *p);  /* SEM_* */
enum replay_step lock_rule(struct replay *r, struct replay_place *p);       /* LOCK_* */
enum replay_step condition_rule(struct replay *r, struct replay_place *p);  /* COND_* */
enum replay_step advance_rule(struct replay *r, struct replay_place *p);    /* ADVANCE, AWAIT_* */
enum replay_step stream_rule(struct replay *r, struct replay_place *p);     /* STREAM_* */
enum replay_step message_rule(struct replay *r, struct replay_place *p);    /* SEND_* ... REQUEST_GONE, WAIT_* */
enum replay_step collective_rule(struct replay *r, struct replay_place *p); /* COLLECTIVE_* */

#endif
