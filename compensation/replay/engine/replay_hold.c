/* Holding a location back: its next event depends on events of other locations that are earlier in the approximated
 * execution and were measured later. Its whole process is held, since the threads of a process are replayed in measured
 * order. Locations that wait for it suspend.
 *
 * A held location is released when the approximated times of all others have passed the time that it waits for. When no
 * location can advance, the one with the earliest such time is released: no other event can come before that time. */
#include "compensation/replay/engine/replay_hold.h"

#include "compensation/replay/engine/event_queue.h"

/* The next thing that the location does to others does not come before `until`. */
static bool has_passed(const struct location_state *p, int64_t until)
{
    if (!p->event && !p->remote)
        return true; /* at its end */
    return p->running >= until || (p->hold.waits && p->hold.until >= until);
}

bool replay_must_hold(struct replay *r, struct location_state *p, int64_t until)
{
    bool knows = p->hold.released || r->options->partial;
    p->hold.until = until;
    while (!knows && p->hold.watch < r->count) {
        const struct location_state *other = &r->locations[p->hold.watch];
        if (other->process != p->process && !has_passed(other, until))
            return true;
        p->hold.watch++;
    }
    p->hold.watch = 0;
    p->hold.released = false;
    return false;
}

/* Takes the locations of a process out of the order, or puts them back to where they stand by now. */
static void set_held(struct replay *r, const struct location_state *one, bool held)
{
    struct location_state *p = &r->locations[one->index];
    do {
        uint64_t key = r->tree[r->leaves + p->index].key;
        if (held) {
            event_queue_put(r, p->index, REPLAY_NO_KEY);
            p->held_key = key;
            p->held = true;
        } else {
            p->held = false;
            event_queue_put(r, p->index, p->held_key);
        }
        p = &r->locations[p->next_of_process];
    } while (p->index != one->index);
}

void replay_hold(struct replay *r, struct location_state *p)
{
    p->hold.waits = true;
    p->hold.next = r->holding;
    r->holding = p->index + 1;
    set_held(r, p, true);
}

static void release(struct replay *r, uint32_t *link)
{
    struct location_state *p = &r->locations[*link - 1];
    *link = p->hold.next;
    p->hold.waits = false;
    set_held(r, p, false);
}

void replay_hold_passed(struct replay *r, const struct location_state *p)
{
    for (uint32_t *link = &r->holding; *link;) {
        struct location_state *waits = &r->locations[*link - 1];
        if (waits->hold.watch == p->index && has_passed(p, waits->hold.until))
            release(r, link);
        else
            link = &waits->hold.next;
    }
}

bool replay_hold_release(struct replay *r)
{
    uint32_t *min = NULL;
    for (uint32_t *link = &r->holding; *link; link = &r->locations[*link - 1].hold.next) {
        const struct location_state *p = &r->locations[*link - 1];
        if (!min || p->hold.until < r->locations[*min - 1].hold.until ||
            (p->hold.until == r->locations[*min - 1].hold.until && *link < *min))
            min = link;
    }
    if (!min)
        return false;
    r->locations[*min - 1].hold.released = true;
    release(r, min);
    return true;
}

bool replay_hold_prepare(struct replay *r)
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
