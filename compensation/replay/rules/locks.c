/* Mutexes and reader-writer locks: the order in which the locks were held is kept. Who acquires one comes after the
 * release of who had it before: a writer after the last writer and all readers since, a reader after the last writer.
 * One that waited as measured comes as long after the release as measured (the hand-over); one that did not, at once.
 */
#include "compensation/replay/rules/locks.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"

struct lock {
    struct replay_stamp writer;  /* its last release */
    struct replay_stamp readers; /* their releases since a writer held it */
};

#define SHARED 1u /* in the name: for reading */

static const char order_rule[] = "a lock is acquired after its release (measured order kept, 1991 §4)";

bool lock_release(struct replay *r, const struct location_state *p, uint64_t name, const struct replay_stamp *here)
{
    struct lock *l = replay_object(r, REPLAY_LOCKS, p, name & ~(uint64_t)SHARED, sizeof *l);
    if (!l)
        return false;
    if (name & SHARED)
        replay_stamp_merge(&l->readers, here);
    else
        l->writer = *here;
    return true;
}

bool lock_acquire(struct replay *r, const struct location_state *p, uint64_t name, struct replay_stamp *cause)
{
    struct lock *l = replay_object(r, REPLAY_LOCKS, p, name & ~(uint64_t)SHARED, sizeof *l);
    if (!l)
        return false;
    *cause = l->writer;
    if (name & SHARED)
        return true;
    replay_stamp_merge(cause, &l->readers);
    l->readers = (struct replay_stamp){0};
    return true;
}

static enum replay_step acquired(struct replay *r, struct location_state *p, uint64_t name)
{
    struct replay_stamp cause;
    uint32_t begun = p->open.kind;
    if (p->open.object != name || (begun != PCOMP_EVENT_LOCK_REQUEST && begun != PCOMP_EVENT_LOCK_WAIT))
        return replay_unexpected(r, p, "a lock is acquired that was not requested");
    p->open.kind = 0;
    if (!lock_acquire(r, p, name, &cause))
        return replay_no_memory(r);
    return begun == PCOMP_EVENT_LOCK_WAIT ? replay_commit_waited(r, p, &cause, REPLAY_WAIT_LOCK, order_rule)
                                          : replay_commit_passed(r, p, &cause, REPLAY_WAIT_LOCK, order_rule);
}

static enum replay_step release(struct replay *r, struct location_state *p, uint64_t name)
{
    enum replay_step step = replay_commit(r, p);
    struct replay_stamp here = replay_stamp_here(p);
    return lock_release(r, p, name, &here) ? step : replay_no_memory(r);
}

enum replay_step lock_rule(struct replay *r, struct location_state *p)
{
    uint64_t name = replay_value(p);
    switch (p->kind) {
    case PCOMP_EVENT_LOCK_ACQUIRED:
        return acquired(r, p, name);
    case PCOMP_EVENT_LOCK_RELEASE:
        return release(r, p, name);
    case PCOMP_EVENT_LOCK_FAILED:
        p->open.kind = 0;
        break; /* a time-out lasts as long as it did */
    default:
        p->open.kind = p->kind;
        p->open.object = name;
        break;
    }
    return replay_commit(r, p);
}
