/* Threads and parallel regions (1991 §3.2.2): the only dependences that the time-based model knows.
 *
 *   CREATE ---------------- JOIN_BEGIN ~~~~ JOIN_END        ~ waits
 *        \                                  /
 *         START ---------------------- END
 *
 * A pool thread goes on when the region has begun and it has ended its part of the one before. */
#include "compensation/replay/rules/fork_join.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"

struct thread {
    struct replay_stamp create, end; /* end: the last of the ends */
    uint32_t starts, ends;
    bool outside; /* a process that goes on after its last event */
    struct replay_waiters waiting_to_start, waiting_to_join;
};

static const char start_rule[] = "a thread starts after its creation (1991 §3.2.2)";
static const char join_rule[] = "a join ends after the thread (1991 §3.2.2)";

static enum replay_step create(struct replay *r, struct location_state *p, struct thread *t)
{
    enum replay_step step = replay_commit(r, p);
    t->create = replay_stamp_here(p);
    replay_wake(r, &t->waiting_to_start);
    return step;
}

static enum replay_step start(struct replay *r, struct location_state *p, struct thread *t)
{
    if (!t->create.happened)
        return replay_suspend(r, p, &t->waiting_to_start, start_rule);
    t->starts++;
    if (replay_value(p) & PCOMP_EVENT_SHARED)
        p->forked = t;
    return replay_commit_waited(r, p, &t->create, REPLAY_NO_WAIT, start_rule);
}

void fork_join_ends(struct replay *r, struct location_state *p)
{
    struct thread *t = p->forked;
    if (!t || !p->number)
        return;
    struct replay_stamp here = replay_stamp_here(p);
    replay_stamp_merge(r, &t->end, &here);
    t->ends++;
    t->outside = p->outside.waits; /* it went on as another program */
    p->forked = NULL;
    replay_wake(r, &t->waiting_to_join);
}

static enum replay_step end(struct replay *r, struct location_state *p, struct thread *t)
{
    enum replay_step step = replay_commit(r, p);
    struct replay_stamp here = replay_stamp_here(p);
    replay_stamp_merge(r, &t->end, &here);
    t->ends++;
    replay_wake(r, &t->waiting_to_join);
    return step;
}

static enum replay_step join(struct replay *r, struct location_state *p, struct thread *t)
{
    p->open.kind = 0;
    if (t->ends < t->starts)
        return replay_suspend(r, p, &t->waiting_to_join, join_rule);
    uint64_t token = replay_value(p);
    enum replay_step step = (t->end.happened && !t->outside) || !(token & PCOMP_EVENT_SHARED)
                                ? replay_commit_waited(r, p, &t->end, REPLAY_WAIT_JOIN, join_rule)
                                : replay_commit_external(r, p, PCOMP_EXTERNAL_CHILD); /* it is not recorded */
    if (!t->waiting_to_start.first && !t->waiting_to_join.first)
        replay_object_remove(r, REPLAY_THREADS, p, token);
    return step;
}

enum replay_step fork_join_rule(struct replay *r, struct location_state *p)
{
    struct thread *t = replay_object(r, REPLAY_THREADS, p, replay_value(p), sizeof *t);
    if (!t)
        return replay_no_memory(r);
    switch (p->kind) {
    case PCOMP_EVENT_CREATE:
        return create(r, p, t);
    case PCOMP_EVENT_START:
        return start(r, p, t);
    case PCOMP_EVENT_END:
        return end(r, p, t);
    case PCOMP_EVENT_JOIN_BEGIN:
        return replay_commit(r, p);
    default:
        return join(r, p, t);
    }
}
