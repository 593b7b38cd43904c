/* Locations of other replays. Each replay publishes updates of its own locations, in this order:
 *
 *   FIRST  when it begins; the least of all is the origin
 *   HEAD   the next message or collective, with the state of the location before it
 *   BOUND  the next event does not stand before this in the event queue; published before the replay waits for others
 *          and before it reads, so that others can go on meanwhile
 *   END    the final state
 *
 * A remote location without a known head stands in the queue where its next event can be at the earliest. When it is
 * the first, the replay waits for an update; the others have then received all that they need for what comes before.
 * Events of threads need not wait: they concern their own process alone. */
#include "compensation/replay/engine/remote_locations.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/event_queue.h"

enum update_kind { FIRST, HEAD, BOUND, END };

struct pending_update { /* received while the head before it is not committed here */
    struct pending_update *next;
    struct replay_update update;
};

struct remote_state {
    struct pcomp_event_long event; /* of a remote location: its head */
    struct pending_update *first, *last;
    uint64_t published; /* of an own location: the last bound */
    bool begun;         /* of a remote location: more than FIRST has come */
};

/* The state of a location that HEAD and END carry: field of the update, field of the location. */
#define LOCATION_STATE(FIELD)                                                                                          \
    FIELD(number, number)                                                                                              \
    FIELD(time, time)                                                                                                  \
    FIELD(measured, measured)                                                                                          \
    FIELD(written, written)                                                                                            \
    FIELD(lost, lost)                                                                                                  \
    FIELD(independent, independent)                                                                                    \
    FIELD(running, running)                                                                                            \
    FIELD(pending, pending)                                                                                            \
    FIELD(alpha_factor, alpha_factor)                                                                                  \
    FIELD(path, path)                                                                                                  \
    FIELD(stretch, stretch)                                                                                            \
    FIELD(first_approximated, first_approximated)                                                                      \
    FIELD(flush_next, flush.next)                                                                                      \
    FIELD(flush_begin, flush.begin)                                                                                    \
    FIELD(flush_running, flush.running)                                                                                \
    FIELD(flush_done, flush.done)                                                                                      \
    FIELD(flush_path, flush.path)                                                                                      \
    FIELD(flush_length, flush.length)
#define STATE_OUT(field, state) a.field = p->state;
#define STATE_IN(field, state)  p->state = a->field;

static struct remote_state *remote_state_of(const struct location_state *p)
{
    return p->remote_state;
}

static void publish(struct replay *r, const struct location_state *p, enum update_kind what,
                    struct replay_update *update)
{
    update->location = p->index;
    update->what = what;
    r->io->publish(r->io->context, update);
}

/* --- publishing
 * --------------------------------------------------------------------------------------------------------
 */

void remote_publish_head(struct replay *r, struct location_state *p)
{
    struct replay_update a = {0};
    LOCATION_STATE(STATE_OUT)

    if (p->event && !pcomp_event_is_message(p->kind))
        return;
    if (p->event) {
        a.event.what = p->event->what;
        if (p->kind >= PCOMP_EVENT_LONG) {
            a.event.a = replay_a(p);
            a.event.b = replay_b(p);
        }
    }
    remote_state_of(p)->published = UINT64_MAX;
    publish(r, p, p->event ? HEAD : END, &a);
}

void remote_publish_bounds(struct replay *r, const struct location_state *scanning)
{
    for (struct location_state *p = r->locations; p < r->locations + r->count; p++) {
        struct replay_update a = {0};
        bool scans = scanning && p == scanning;

        if (p->remote || (!scans && (!p->event || pcomp_event_is_message(p->kind))))
            continue;
        a.time = scans ? p->measured << 2 : event_queue_key(p);
        if (a.time == remote_state_of(p)->published)
            continue;
        remote_state_of(p)->published = a.time;
        publish(r, p, BOUND, &a);
    }
}

/* --- receiving ------------------------------------------------------------------------------------------------------
 */

static void take_state(struct location_state *p, const struct replay_update *a)
{
    LOCATION_STATE(STATE_IN)
}

static void take(struct replay *r, struct location_state *p, const struct replay_update *a)
{
    struct remote_state *state = remote_state_of(p);

    state->begun = a->what != FIRST;
    switch (a->what) {
    case FIRST:
        p->first = a->first;
        r->unopened--;
        break;
    case HEAD:
        take_state(p, a);
        state->event = a->event;
        p->event = (struct pcomp_event *)(void *)&state->event;
        p->kind = pcomp_event_kind(p->event);
        event_queue_put(r, p->index, event_queue_key(p));
        break;
    case BOUND:
        event_queue_put(r, p->index, a->time);
        break;
    default:
        take_state(p, a);
        event_queue_put(r, p->index, REPLAY_NO_KEY);
    }
}

bool remote_receive(struct replay *r)
{
    struct replay_update a;
    struct pending_update *pending;

    if (!r->unopened)
        remote_publish_bounds(r, NULL);
    if (!r->io->receive(r->io->context, &a)) {
        r->end = REPLAY_STOPPED;
        return false;
    }
    struct location_state *p = &r->locations[a.location];
    if (!p->event) {
        take(r, p, &a);
        return true;
    }
    pending = replay_allocate(&r->memory, sizeof *pending);
    if (!pending) {
        replay_no_memory(r);
        return false;
    }
    pending->update = a;
    if (remote_state_of(p)->first)
        remote_state_of(p)->last->next = pending;
    else
        remote_state_of(p)->first = pending;
    remote_state_of(p)->last = pending;
    return true;
}

void remote_committed(struct replay *r, struct location_state *p)
{
    struct remote_state *state = remote_state_of(p);

    p->event = NULL;
    event_queue_put(r, p->index, p->time << 2);
    while (state->first && !p->event) {
        struct pending_update *pending = state->first;

        state->first = pending->next;
        take(r, p, &pending->update);
        replay_release(&r->memory, pending);
    }
}

struct location_state *remote_own_head(struct replay *r)
{
    struct location_state *min = NULL;

    for (struct location_state *p = r->locations; p < r->locations + r->count; p++) {
        if (p->remote || p->deferred)
            continue;
        if (p->suspended_on)
            return NULL; /* a remote location may wake it, and it may come first then */
        if (p->event && (!min || event_queue_key(p) < event_queue_key(min)))
            min = p;
    }
    return min && !pcomp_event_is_message(min->kind) ? min : NULL;
}

bool remote_locations_open(struct replay *r)
{
    for (struct location_state *p = r->locations; p < r->locations + r->count; p++) {
        struct replay_update a = {.first = p->block ? p->first : UINT64_MAX};

        p->remote_state = replay_allocate(&r->memory, sizeof(struct remote_state));
        if (!p->remote_state) {
            replay_no_memory(r);
            return false;
        }
        remote_state_of(p)->published = UINT64_MAX;
        if (!p->remote)
            publish(r, p, FIRST, &a);
    }
    while (r->unopened) {
        if (!remote_receive(r))
            return false;
    }
    for (struct location_state *p = r->locations; p < r->locations + r->count; p++) {
        if (p->remote && p->first < r->origin)
            r->origin = p->first;
    }
    for (struct location_state *p = r->locations; p < r->locations + r->count; p++) {
        if (p->remote && p->first != UINT64_MAX && !remote_state_of(p)->begun)
            event_queue_put(r, p->index, (p->first - r->origin) << 2);
    }
    return true;
}
