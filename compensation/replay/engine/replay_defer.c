/* Deferring a location: its next event depends on events of other locations that are earlier in the approximated
 * execution and were measured later. Its whole process is deferred, since the threads of a process are replayed in
 * measured order. Locations that wait for it suspend.
 *
 * A deferred location is released when the approximated times of all others have passed the time that it waits for.
 * When no location can advance, the one with the earliest such time is released: no other event can come before that
 * time. */
#include "compensation/replay/engine/replay_defer.h"

#include "compensation/replay/engine/event_queue.h"

/* The next thing that the location does to others does not come before `until`. */
static bool has_passed(const struct location_state *p, int64_t until)
{
    if (!p->event && !p->remote)
        return true; /* at its end */
    return p->running >= until || (p->deferral.waits && p->deferral.until >= until);
}

bool replay_must_defer(struct replay *r, struct location_state *p, int64_t until)
{
    bool knows = p->deferral.released || r->options->partial;
    p->deferral.until = until;
    while (!knows && p->deferral.watch < r->count) {
        const struct location_state *other = &r->locations[p->deferral.watch];
        if (other->process != p->process && !has_passed(other, until))
            return true;
        p->deferral.watch++;
    }
    p->deferral.watch = 0;
    p->deferral.released = false;
    return false;
}

/* Takes the locations of a process out of the order, or puts them back to where they stand by now. */
static void set_deferred(struct replay *r, const struct location_state *one, bool deferred)
{
    struct location_state *p = &r->locations[one->index];
    do {
        uint64_t key = r->tree[r->leaves + p->index].key;
        if (deferred) {
            event_queue_put(r, p->index, REPLAY_NO_KEY);
            p->deferred_key = key;
            p->deferred = true;
        } else {
            p->deferred = false;
            event_queue_put(r, p->index, p->deferred_key);
        }
        p = &r->locations[p->next_of_process];
    } while (p->index != one->index);
}

void replay_defer(struct replay *r, struct location_state *p)
{
    p->deferral.waits = true;
    p->deferral.next = r->deferred;
    r->deferred = p->index + 1;
    set_deferred(r, p, true);
}

static void release(struct replay *r, uint32_t *link)
{
    struct location_state *p = &r->locations[*link - 1];
    *link = p->deferral.next;
    p->deferral.waits = false;
    set_deferred(r, p, false);
}

void replay_defer_passed(struct replay *r, const struct location_state *p)
{
    for (uint32_t *link = &r->deferred; *link;) {
        struct location_state *waits = &r->locations[*link - 1];
        if (waits->deferral.watch == p->index && has_passed(p, waits->deferral.until))
            release(r, link);
        else
            link = &waits->deferral.next;
    }
}

bool replay_defer_release(struct replay *r)
{
    uint32_t *min = NULL;
    for (uint32_t *link = &r->deferred; *link; link = &r->locations[*link - 1].deferral.next) {
        const struct location_state *p = &r->locations[*link - 1];
        if (!min || p->deferral.until < r->locations[*min - 1].deferral.until ||
            (p->deferral.until == r->locations[*min - 1].deferral.until && *link < *min))
            min = link;
    }
    if (!min)
        return false;
    r->locations[*min - 1].deferral.released = true;
    release(r, min);
    return true;
}

bool replay_defer_prepare(struct replay *r)
{
    struct replay_map processes = {0}; /* a location of each */
    for (uint32_t i = 0; i < r->count; i++) {
        struct location_state *p = &r->locations[i], *first = replay_map_get(&processes, 0, p->process);
        p->next_of_process = first ? first->next_of_process : i;
        if (first)
            first->next_of_process = i;
        else if (!replay_map_put(&r->memory, &processes, 0, p->process, p))
            return false;
    }
    return true;
}
