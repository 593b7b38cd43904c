/* Advance and await (1991 §4.4): an await of an index ends after the advance to it, or, where nobody advances to just
 * that index, after the first advance beyond it. Waiting appears, moves or disappears; the partial order is kept. An
 * await that gave up lasts as long as it did.
 *
 * Any later await may ask for any index, so the last advances of all variables are kept, in a window. An await of an
 * older one goes by its own time, which is exact unless it was still waiting when that advance came. */
#include "compensation/replay/rules/advance_await.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/replay_objects.h"

enum { WINDOW_MIN = 1 << 16, WINDOW_PER_LOCATION = 64, ROOM_AT_FIRST = 16 };

struct advance {
    struct variable *variable;
    uint64_t index;
    struct replay_stamp stamp;
    uint64_t before; /* number + 1 of the advance of this variable before it; 0 none */
};

struct replay_advances { /* of all variables, by number: from 0 in measured order */
    struct advance *ring;
    uint32_t room; /* power of two; grows up to the window, while nothing was dropped */
    uint64_t first, next;
    struct replay_map by_index; /* (variable, index) to number + 1 */
};

struct variable {
    uint64_t last; /* number + 1 of its last advance */
    struct replay_stamp dropped;
    struct replay_waiters waiting;
};

static const char order_rule[] = "an await ends after the advance (1991 §4.4)";
static const char window_rule[] = "an await ends after the advance, which is too long ago to be known (1991 §4.4)";

static struct advance *numbered(const struct replay_advances *all, uint64_t number)
{
    return &all->ring[number & (all->room - 1)];
}

static uint64_t key(const struct variable *v)
{
    return (uint64_t)(uintptr_t)v;
}

static const struct advance *find(const struct replay_advances *all, const struct variable *v, uint64_t index)
{
    uint64_t found = (uint64_t)(uintptr_t)replay_map_get(&all->by_index, key(v), index);
    return found ? numbered(all, found - 1) : NULL;
}

static void drop_oldest(struct replay *r, struct replay_advances *all)
{
    struct advance *a = numbered(all, all->first++);
    replay_stamp_merge(r, &a->variable->dropped, &a->stamp);
    replay_map_remove(&all->by_index, key(a->variable), a->index);
}

static struct replay_advances *advances_of(struct replay *r)
{
    if (!r->advances)
        r->advances = replay_allocate(&r->memory, sizeof *r->advances);
    return r->advances;
}

/* False: no memory. */
static bool make_room(struct replay *r, struct replay_advances *all)
{
    uint64_t window = (uint64_t)r->count * WINDOW_PER_LOCATION;
    void *ring = all->ring;
    if (all->next - all->first < all->room)
        return true;
    if (all->room >= WINDOW_MIN && all->room >= window) {
        drop_oldest(r, all);
        return true;
    }
    bool grown = replay_grow(&r->memory, &ring, &all->room, ROOM_AT_FIRST, sizeof *all->ring);
    all->ring = ring;
    return grown;
}

static enum replay_step advance(struct replay *r, struct location_state *p, struct variable *v)
{
    uint64_t index = replay_a(p);
    struct replay_advances *all = advances_of(r);
    enum replay_step step = replay_commit(r, p);
    if (!all)
        return replay_no_memory(r);
    if (find(all, v, index))
        return step; /* it has been advanced to before */
    if (!make_room(r, all))
        return replay_no_memory(r);
    *numbered(all, all->next) = (struct advance){v, index, replay_stamp_here(p), v->last};
    v->last = ++all->next;
    if (!replay_map_put(&r->memory, &all->by_index, key(v), index, (void *)(uintptr_t)v->last))
        return replay_no_memory(r);
    replay_wake(r, &v->waiting);
    return step;
}

/* The first of the last advances that all go beyond the index. */
static const struct advance *first_beyond(const struct replay_advances *all, const struct variable *v, uint64_t index)
{
    const struct advance *first = NULL;
    for (uint64_t n = v->last; n > all->first && numbered(all, n - 1)->index > index; n = first->before)
        first = numbered(all, n - 1);
    return first;
}

static enum replay_step await_ends(struct replay *r, struct location_state *p, struct variable *v)
{
    uint64_t index = replay_a(p);
    const struct replay_advances *all = advances_of(r);
    int64_t measured;
    if (!all)
        return replay_no_memory(r);
    if (replay_b(p))
        return replay_commit(r, p);
    const struct advance *a = find(all, v, index);
    if (!a && !v->dropped.happened)
        a = first_beyond(all, v, index);
    if (a)
        return replay_commit_waited(r, p, &a->stamp, REPLAY_WAIT_AWAIT, order_rule);
    if (!v->dropped.happened)
        return replay_suspend(r, p, &v->waiting, order_rule);
    struct replay_stamp ready = replay_ready(p, &v->dropped, &measured), here;
    enum replay_step step = replay_commit(r, p);
    here = replay_stamp_here(p);
    if (ready.approximated >= v->dropped.approximated && ready.measured >= v->dropped.measured)
        return step; /* all that was dropped came before it was ready */
    return replay_violated(r, window_rule, &here, NULL) ? step : REPLAY_FAILED;
}

enum replay_step advance_rule(struct replay *r, struct location_state *p)
{
    struct variable *v = replay_object(r, REPLAY_ADVANCES, p, replay_value(p), sizeof *v);
    if (!v)
        return replay_no_memory(r);
    if (p->kind == PCOMP_EVENT_ADVANCE)
        return advance(r, p, v);
    bool ends = p->kind == PCOMP_EVENT_AWAIT_END;
    enum replay_step step = ends ? await_ends(r, p, v) : replay_commit(r, p);
    if (step != REPLAY_SUSPENDED)
        p->open.kind = ends ? 0 : PCOMP_EVENT_AWAIT_BEGIN;
    return step;
}
