/* Barriers. A generation is the enters of as many as take part, in measured order; where their number is not known, of
 * all that enter before the first exit. With l the last to enter (measured order for t_m, approximated for t_a):
 *   after (1991 §4.2.2): t_a(exit) = t_a(enter_l) + t_m(exit) - t_m(enter_l) - alpha(enter)
 *   beta  (1993 §3.2):   t_a(exit of the i-th of P to enter) = t_a(enter_l) + (P - i + 1) * beta,
 *                        beta = (t_m(last exit) - t_m(first exit)) / (P - 1) */
#include "compensation/replay/replay_state.h"

#include <stdlib.h>

struct arrival {
    int64_t approximated; /* fixed */
    uint32_t place;
};

struct generation {
    uint64_t participants; /* 0: not known */
    uint32_t entered, left;
    bool complete, ordered;
    struct replay_stamp last; /* enter */
    struct arrival *arrivals; /* for beta */
    uint32_t room;
    int64_t spread;            /* fixed: from the first to the last exit; once ordered */
    struct generation *unused; /* next in the list of those that can be used again */
};

struct barrier {
    struct generation *filling;
    struct generation *unused;
    struct replay_parked waiting;
};

static const char order_rule[] = "an exit comes after the last enter (1991 §4.2.2)";

static struct generation *new_generation(struct replay *r, struct barrier *b)
{
    struct generation *g = b->unused;
    if (!g)
        return replay_allocate(&r->memory, sizeof *g);
    b->unused = g->unused;
    *g = (struct generation){.arrivals = g->arrivals, .room = g->room};
    return g;
}

static void close_generation(struct replay *r, struct barrier *b)
{
    b->filling->complete = true;
    b->filling = NULL;
    replay_wake(r, &b->waiting);
}

static bool note_arrival(struct replay *r, struct generation *g, const struct replay_place *p)
{
    void *arrivals = g->arrivals;
    if (g->entered == g->room && !replay_grow(&r->memory, &arrivals, &g->room, 4, sizeof *g->arrivals))
        return false;
    g->arrivals = arrivals;
    g->arrivals[g->entered] = (struct arrival){p->running, p->index};
    return true;
}

static enum replay_step enter(struct replay *r, struct replay_place *p, struct barrier *b, uint64_t object)
{
    struct generation *g = b->filling ? b->filling : new_generation(r, b);
    if (!g)
        return replay_no_memory(r);
    b->filling = g;
    g->participants = replay_a(p);
    replay_settle(r, p);
    struct replay_stamp here = replay_stamp_here(p);
    replay_stamp_merge(&g->last, &here);
    if (r->options->barrier == REPLAY_BARRIER_BETA && !note_arrival(r, g, p))
        return replay_no_memory(r);
    p->open.kind = PCOMP_EVENT_BARRIER_ENTER;
    p->open.object = object;
    p->open.thing = g;
    if (++g->entered == g->participants)
        close_generation(r, b);
    return REPLAY_SETTLED;
}

static int by_arrival(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->approximated != y->approximated)
        return x->approximated < y->approximated ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* At the first exit: all that take part stand before theirs, so the last one is known. */
static void order_exits(struct replay *r, struct generation *g, uint64_t first)
{
    uint64_t last = first;
    qsort(g->arrivals, g->entered, sizeof *g->arrivals, by_arrival);
    for (uint32_t i = 0; i < g->entered; i++) {
        struct replay_place *p = &r->places[g->arrivals[i].place];
        if (!p->event || p->kind != PCOMP_EVENT_BARRIER_EXIT || p->open.thing != g)
            continue; /* its exit is missing */
        p->open.order = g->entered - i;
        if (p->time > last)
            last = p->time;
    }
    g->spread = replay_fixed(last - first);
    g->ordered = true;
}

static enum replay_step exit_by_beta(struct replay *r, struct replay_place *p, struct generation *g)
{
    if (!g->ordered)
        order_exits(r, g, p->time);
    /* order * spread / (P - 1), without leaving 64 bits */
    int64_t order = (int64_t)p->open.order, gaps = (int64_t)g->entered - 1, measured;
    int64_t approximated = g->last.approximated + g->spread / gaps * order + g->spread % gaps * order / gaps;
    struct replay_stamp ready = replay_ready(p, &g->last, &measured);
    if (!replay_follows(r, p, &g->last, approximated, order_rule))
        return REPLAY_FAILED;
    replay_report_wait(r, p, REPLAY_WAIT_BARRIER, &g->last, g->last.measured - ready.measured,
                       g->last.approximated - ready.approximated);
    return replay_settle_at(r, p, approximated, g->last.removed, g->last.written);
}

static enum replay_step leave(struct replay *r, struct replay_place *p, struct barrier *b, uint64_t object)
{
    struct generation *g = p->open.thing;
    enum replay_step step;
    if (p->open.kind != PCOMP_EVENT_BARRIER_ENTER || p->open.object != object)
        return replay_out_of_place(r, p, "an exit from a barrier that was not entered");
    if (!g->complete && !g->participants)
        close_generation(r, b);
    if (!g->complete) {
        step = replay_park(r, p, &b->waiting, order_rule);
        if (step == REPLAY_PARKED)
            return step;
        close_generation(r, b); /* forced: nobody else will come */
    } else if (r->options->barrier == REPLAY_BARRIER_BETA && g->entered > 1) {
        step = exit_by_beta(r, p, g);
    } else {
        step = replay_settle_waited(r, p, &g->last, REPLAY_WAIT_BARRIER, order_rule);
    }
    p->open.kind = 0;
    if (++g->left == g->entered) {
        g->unused = b->unused;
        b->unused = g;
    }
    return step;
}

enum replay_step barrier_rule(struct replay *r, struct replay_place *p)
{
    uint64_t object = replay_value(p);
    struct barrier *b = replay_object(r, REPLAY_BARRIERS, p, object, sizeof *b);
    if (!b)
        return replay_no_memory(r);
    return p->kind == PCOMP_EVENT_BARRIER_ENTER ? enter(r, p, b, object) : leave(r, p, b, object);
}
