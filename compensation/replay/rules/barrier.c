/* Barriers. A generation is the enters of as many as take part, in measured order; of all that enter before the first
 * exit where their number is not known, or some may have entered before the recording began. With l the last to enter
 * (measured order for t_m, approximated for t_a):
 *   after (1991 §4.2.2): t_a(exit) = t_a(enter_l) + t_m(exit) - t_m(enter_l) - alpha(enter)
 *   an exit order that is known (1993 §3.2): exit_order.h */
#include "compensation/replay/rules/barrier.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"
#include "compensation/replay/rules/exit_order.h"

struct generation {
    uint64_t participants; /* 0: not known */
    bool older;            /* than the recording */
    uint32_t entered, left;
    bool complete;
    struct replay_stamp last; /* enter */
    struct exit_order order;
    struct generation *unused; /* next in the list of those that can be used again */
};

struct barrier {
    struct generation *filling;
    struct generation *unused;
    struct replay_waiters waiting;
};

static const char order_rule[] = "an exit comes after the last enter (1991 §4.2.2)";

static struct generation *new_generation(struct replay *r, struct barrier *b)
{
    struct generation *g = b->unused;
    if (!g)
        return replay_allocate(&r->memory, sizeof *g);
    b->unused = g->unused;
    exit_order_clear(&g->order);
    *g = (struct generation){.order = g->order};
    return g;
}

static void close_generation(struct replay *r, struct barrier *b)
{
    b->filling->complete = true;
    b->filling = NULL;
    replay_wake(r, &b->waiting);
}

static enum replay_step enter(struct replay *r, struct location_state *p, struct barrier *b, uint64_t object)
{
    struct generation *g = b->filling ? b->filling : new_generation(r, b);
    if (!g)
        return replay_no_memory(r);
    b->filling = g;
    g->participants = replay_a(p);
    g->older = replay_b(p) != 0;
    replay_commit(r, p);
    struct replay_stamp here = replay_stamp_here(p);
    replay_stamp_merge(r, &g->last, &here);
    if (exit_order_is_used(r) && !exit_order_enter(r, &g->order, p))
        return replay_no_memory(r);
    p->open.kind = PCOMP_EVENT_BARRIER_ENTER;
    p->open.object = object;
    p->open.thing = g;
    if (++g->entered == g->participants)
        close_generation(r, b);
    return REPLAY_COMMITTED;
}

static enum replay_step leave(struct replay *r, struct location_state *p, struct barrier *b, uint64_t object)
{
    struct generation *g = p->open.thing;
    enum replay_step step;
    if (p->open.kind != PCOMP_EVENT_BARRIER_ENTER || p->open.object != object)
        return replay_unexpected(r, p, "an exit from a barrier that was not entered");
    if (!g->complete && (!g->participants || g->older))
        close_generation(r, b);
    if (!g->complete) {
        step = replay_suspend(r, p, &b->waiting, order_rule);
        if (step == REPLAY_SUSPENDED)
            return step;
        close_generation(r, b); /* forced: nobody else will come */
    } else if (exit_order_is_used(r)) {
        step = exit_order_leave(r, &g->order, p, &g->last, REPLAY_WAIT_BARRIER, order_rule);
    } else {
        step = replay_commit_waited(r, p, &g->last, REPLAY_WAIT_BARRIER, order_rule);
    }
    p->open.kind = 0;
    if (++g->left == g->entered) {
        g->unused = b->unused;
        b->unused = g;
    }
    return step;
}

enum replay_step barrier_rule(struct replay *r, struct location_state *p)
{
    uint64_t object = replay_value(p);
    struct barrier *b = replay_object(r, REPLAY_BARRIERS, p, object, sizeof *b);
    if (!b)
        return replay_no_memory(r);
    return p->kind == PCOMP_EVENT_BARRIER_ENTER ? enter(r, p, b, object) : leave(r, p, b, object);
}
