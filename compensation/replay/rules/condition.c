/* Condition variables. COND_WAIT releases the mutex; WOKEN comes after the signal or broadcast that woke it (the
 * earliest one after its COND_WAIT, in measured order, that no other waiter has used up) and after the release of the
 * mutex. A wait that timed out lasts as long as it did; so does one that nobody is seen to have ended (POSIX allows
 * waking up for no reason). */
#include "compensation/replay/rules/condition.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"
#include "compensation/replay/rules/locks.h"

struct wake {
    struct replay_stamp signal;
    uint64_t order;   /* r->handled then */
    uint32_t waiters; /* that it may still wake */
};

struct condition {
    uint32_t waiting; /* now */
    uint32_t waking;  /* of them, those that a signal has been given to: the sum over wakes */
    uint32_t room, count;
    struct wake *wakes; /* in measured order */
};

static const char order_rule[] = "a waiter is woken after the signal, and after its mutex was released (1991 §4)";

static enum replay_step signal(struct replay *r, struct location_state *p, struct condition *c, bool all)
{
    enum replay_step step = replay_commit(r, p);
    void *wakes = c->wakes;
    if (c->waiting == c->waking)
        return step; /* nobody to wake */
    if (c->count == c->room && !replay_grow(&r->memory, &wakes, &c->room, 4, sizeof *c->wakes))
        return replay_no_memory(r);
    c->wakes = wakes;
    struct wake w = {replay_stamp_here(p), r->handled, all ? c->waiting - c->waking : 1};
    c->wakes[c->count++] = w;
    c->waking += w.waiters;
    return step;
}

static void use_up(struct condition *c, uint32_t i)
{
    c->waking--;
    if (--c->wakes[i].waiters)
        return;
    c->count--;
    for (; i < c->count; i++)
        c->wakes[i] = c->wakes[i + 1];
}

static enum replay_step wait(struct replay *r, struct location_state *p, struct condition *c)
{
    uint64_t mutex = replay_a(p), condition = replay_value(p);
    enum replay_step step = replay_commit(r, p);
    struct replay_stamp here = replay_stamp_here(p);
    c->waiting++;
    p->open.kind = PCOMP_EVENT_COND_WAIT;
    p->open.object = condition;
    p->open.order = r->handled;
    return lock_release(r, p, mutex, &here) ? step : replay_no_memory(r);
}

static enum replay_step woken(struct replay *r, struct location_state *p, struct condition *c)
{
    struct replay_stamp cause;
    if (p->open.kind != PCOMP_EVENT_COND_WAIT || p->open.object != replay_value(p))
        return replay_unexpected(r, p, "a waiter is woken that did not wait");
    if (!lock_acquire(r, p, replay_a(p), &cause))
        return replay_no_memory(r);
    bool timed_out = replay_b(p) != 0;
    uint32_t i = 0;
    while (i < c->count && c->wakes[i].order < p->open.order)
        i++;
    p->open.kind = 0;
    c->waiting--;
    if (timed_out || i == c->count) {
        if (c->waking > c->waiting) /* who was to be woken has gone */
            use_up(c, c->count - 1);
        return replay_commit_passed(r, p, &cause, REPLAY_WAIT_LOCK, order_rule);
    }
    replay_stamp_merge(r, &cause, &c->wakes[i].signal);
    use_up(c, i);
    return replay_commit_waited(r, p, &cause, REPLAY_WAIT_CONDITION, order_rule);
}

enum replay_step condition_rule(struct replay *r, struct location_state *p)
{
    struct condition *c = replay_object(r, REPLAY_CONDITIONS, p, replay_value(p), sizeof *c);
    if (!c)
        return replay_no_memory(r);
    switch (p->kind) {
    case PCOMP_EVENT_COND_SIGNAL:
        return signal(r, p, c, false);
    case PCOMP_EVENT_COND_BROADCAST:
        return signal(r, p, c, true);
    case PCOMP_EVENT_COND_WAIT:
        return wait(r, p, c);
    default:
        return woken(r, p, c);
    }
}
