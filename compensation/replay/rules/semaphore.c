/* Counting semaphores (1991 §4.3.2, for POSIX). With the initial value v0 the i-th P that succeeds depends on the
 * (i - v0)-th V, both in measured order. A semaphore without SEM_INIT is older than the recording, and its value is not
 * known: a P that comes when every recorded V is taken depends on none.
 *   case A: passed as measured, the V comes later as approximated: t_a(P_P) = t_a(V), P_E as long after it as measured;
 *   case B: waited as measured: t_a(P_E) = max(t_a(P_W), t_a(V)) + t_m(P_E) - t_m(V) - alpha;
 *   case C: a later V comes before the one that a P is made to wait for. The pairing of the measured execution is kept,
 *           and logged as a violation: the actual execution would have paired otherwise;
 *   case C as printed (REPLAY_SEMAPHORE_SINGLE): a semaphore with one location that posts and one that takes, whose Vs
 *           came one at a time as measured, never has two Vs before a P. A V that is approximated before the P_E of the
 * V before it is logged, and moved behind that. */
#include "compensation/replay/rules/semaphore.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"

struct semaphore {
    uint64_t initial;            /* Ps to come that need no V */
    bool known;                  /* it began with that */
    struct replay_queue posts;   /* that no P has taken */
    struct replay_stamp awaited; /* the last V, in approximated order, that a P waits for in the approximation */
    struct replay_waiters takers;
    struct replay_stamp taken; /* the last P_E; has not happened: none since the last V, or not by one alone */
    uint32_t poster, taker;    /* index + 1 of the only one so far */
    bool several;              /* there is more than one of either */
};

static const char order_rule[] = "a P ends after its V (1991 §4.3.2)";
static const char case_c_rule[] = "a V comes before an earlier one that a P waits for (1991 §4.3.2, case C)";

static enum replay_step init(struct replay *r, struct location_state *p, struct semaphore *s)
{
    s->initial = replay_a(p);
    s->known = true;
    s->posts.count = 0;
    s->awaited = (struct replay_stamp){0};
    replay_wake(r, &s->takers);
    return replay_commit(r, p);
}

static const char printed_rule[] = "a V comes before the P of the V before it (1991 §4.3.2, case C as printed)";

static void note_only(struct semaphore *s, uint32_t *only, const struct location_state *p)
{
    s->several |= *only && *only != p->index + 1;
    *only = p->index + 1;
}

/* The V at hand is case C as printed. */
static bool is_too_early(const struct replay *r, const struct location_state *p, const struct semaphore *s)
{
    return r->options->semaphore == REPLAY_SEMAPHORE_SINGLE && !s->several && !s->initial && !s->posts.count &&
           s->taken.happened && p->independent < s->taken.approximated;
}

static enum replay_step commit_behind_p(struct replay *r, struct location_state *p, const struct replay_stamp *taken)
{
    struct replay_stamp early = {
        .approximated = p->independent, .stamp = p->time, .event = p->number, .location = p->index};
    if (!replay_violated(r, printed_rule, &early, taken))
        return REPLAY_FAILED;
    replay_depends(r, p, CORE_PASS, taken, p->independent, 0);
    return replay_commit_at(r, p, taken->approximated, &taken->path, taken->written);
}

/* Within a location a later time may be smaller where an alpha, which is a mean, was: nothing is overtaken. */
static bool overtakes(const struct replay_stamp *later, const struct replay_stamp *earlier)
{
    return later->approximated < earlier->approximated && later->location != earlier->location;
}

static enum replay_step post(struct replay *r, struct location_state *p, struct semaphore *s)
{
    note_only(s, &s->poster, p);
    enum replay_step step = is_too_early(r, p, s) ? commit_behind_p(r, p, &s->taken) : replay_commit(r, p);
    if (step == REPLAY_FAILED)
        return step;
    s->taken.happened = false;
    struct replay_stamp here = replay_stamp_here(p);
    if (!replay_queue_push(r, &s->posts, &here))
        return replay_no_memory(r);
    replay_wake(r, &s->takers);
    if (s->awaited.happened && overtakes(&here, &s->awaited) && !replay_violated(r, case_c_rule, &here, &s->awaited))
        return REPLAY_FAILED;
    return REPLAY_COMMITTED;
}

/* A V behind the one that `taken` was, and earlier than it in the approximation. */
static const struct replay_stamp *overtaking(const struct semaphore *s, const struct replay_stamp *taken)
{
    for (uint32_t i = 0; i < s->posts.count; i++) {
        const struct replay_stamp *later = replay_queue_at(&s->posts, i);
        if (overtakes(later, taken))
            return later;
    }
    return NULL;
}

/* Whether its value may be from before the recording. Of one that processes share, another may have said it; the
 * beginning of a ring is overwritten. */
static bool is_older(const struct replay *r, const struct location_state *p, const struct semaphore *s)
{
    return !s->known && !(replay_value(p) & PCOMP_EVENT_SHARED) && !r->options->partial;
}

static enum replay_step take(struct replay *r, struct location_state *p, struct semaphore *s, bool waited)
{
    if (s->initial) {
        s->initial--;
        return replay_commit(r, p);
    }
    if (!s->posts.count && is_older(r, p, s))
        return replay_commit(r, p);
    if (!s->posts.count)
        return replay_suspend(r, p, &s->takers, order_rule);
    struct replay_stamp post = *replay_queue_at(&s->posts, 0);
    replay_queue_pop(&s->posts);
    int64_t measured, could = waited ? replay_ready(p, &post, &measured).approximated : p->independent;
    enum replay_step step = waited ? replay_commit_waited(r, p, &post, REPLAY_WAIT_SEMAPHORE, order_rule)
                                   : replay_commit_passed(r, p, &post, REPLAY_WAIT_SEMAPHORE, order_rule);
    p->open.waits = could < post.approximated;
    if (step != REPLAY_COMMITTED || !p->open.waits)
        return step;
    if (!s->awaited.happened || s->awaited.approximated < post.approximated)
        s->awaited = post;
    const struct replay_stamp *other = overtaking(s, &post);
    return !other || replay_violated(r, case_c_rule, other, &post) ? REPLAY_COMMITTED : REPLAY_FAILED;
}

enum replay_step semaphore_rule(struct replay *r, struct location_state *p)
{
    uint64_t object = replay_value(p);
    struct semaphore *s = replay_object(r, REPLAY_SEMAPHORES, p, object, sizeof *s);
    if (!s)
        return replay_no_memory(r);
    if (p->kind == PCOMP_EVENT_SEM_INIT)
        return init(r, p, s);
    if (p->kind == PCOMP_EVENT_SEM_V)
        return post(r, p, s);

    uint32_t phase = p->kind;
    bool begun =
        p->open.object == object && p->open.kind >= PCOMP_EVENT_SEM_REQUEST && p->open.kind <= PCOMP_EVENT_SEM_PASSED;
    if (phase != PCOMP_EVENT_SEM_REQUEST && !begun)
        return replay_unexpected(r, p, "a phase of a P without its beginning");
    bool waited = p->open.kind == PCOMP_EVENT_SEM_WAIT, takes = phase == PCOMP_EVENT_SEM_PASSED;
    if (phase == PCOMP_EVENT_SEM_TAKEN)
        takes = p->open.kind != PCOMP_EVENT_SEM_PASSED; /* else it was taken before */
    bool passes = phase == PCOMP_EVENT_SEM_TAKEN && !takes;
    enum replay_step step = takes    ? take(r, p, s, waited)
                            : passes ? replay_commit_passing(r, p, REPLAY_WAIT_SEMAPHORE, p->open.waits)
                                     : replay_commit(r, p);
    if (step == REPLAY_SUSPENDED)
        return step;
    if (phase == PCOMP_EVENT_SEM_TAKEN) {
        note_only(s, &s->taker, p);
        s->taken = replay_stamp_here(p);
    }
    p->open.waits = takes && p->open.waits;
    p->open.kind = phase == PCOMP_EVENT_SEM_TAKEN || phase == PCOMP_EVENT_SEM_FAILED ? 0 : phase;
    p->open.object = object;
    return step;
}
