/* Mutexes and reader-writer locks: the measured order of owners is kept. An acquisition follows the release by
 * the owners before: a writer's that of the last writer and of all readers since, a reader's that of the last writer.
 * Where the measured acquisition waited, the measured delay after the release (hand-over) is kept; else there is none.
 */
#include "compensation/replay/rules/locks.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"
#include "compensation/replay/engine/replay_processors.h"

struct lock {
    struct replay_stamp writer;  /* its last release */
    struct replay_stamp readers; /* their releases since a writer held it */
    uint32_t number;             /* in the graph */
};

#define SHARED 1u /* in the name: for reading */

static const char order_rule[] = "a lock is acquired after its release (measured order kept, 1991 §4)";

/* Readers, and condition variables, keep the measured order. */
static void note_use(struct replay *r, const struct location_state *p, struct lock *l, uint64_t name, enum core_use use)
{
    bool plain = p->kind == PCOMP_EVENT_LOCK_ACQUIRED || p->kind == PCOMP_EVENT_LOCK_RELEASE;
    replay_lock_used(r, &l->number, plain && !(name & SHARED) ? use : CORE_IN_ORDER);
}

bool lock_release(struct replay *r, const struct location_state *p, uint64_t name, const struct replay_stamp *here)
{
    struct lock *l = replay_object(r, REPLAY_LOCKS, p, name & ~(uint64_t)SHARED, sizeof *l);
    if (!l)
        return false;
    if (name & SHARED)
        replay_stamp_merge(r, &l->readers, here);
    else
        l->writer = *here;
    return true;
}

bool lock_acquire(struct replay *r, const struct location_state *p, uint64_t name, struct replay_stamp *cause)
{
    struct lock *l = replay_object(r, REPLAY_LOCKS, p, name & ~(uint64_t)SHARED, sizeof *l);
    if (!l)
        return false;
    note_use(r, p, l, name, CORE_ACQUIRES);
    *cause = l->writer;
    if (name & SHARED)
        return true;
    replay_stamp_merge(r, cause, &l->readers);
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
    struct lock *l = replay_object(r, REPLAY_LOCKS, p, name & ~(uint64_t)SHARED, sizeof *l);
    if (!l)
        return replay_no_memory(r);
    note_use(r, p, l, name, CORE_RELEASES);
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
