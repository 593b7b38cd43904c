/* Holding a place back: what it does next depends on what others do earlier in the approximated execution, although it
 * was measured later. Its whole process is held, since its threads are handled in measured order; others, which may
 * wait for it, park.
 *
 * It goes on when all others have come as far as it must know of, or when nothing else can go on: then the one that is
 * held for the earliest time goes on, as nobody can do anything before that. */
#include "compensation/replay/replay_state.h"

/* The next thing that the place does to others does not come before `until`. */
static bool has_passed(const struct replay_place *p, int64_t until)
{
    if (!p->event && !p->ghost)
        return true; /* at its end */
    return p->running >= until || (p->hold.waits && p->hold.until >= until);
}

bool replay_must_hold(struct replay *r, struct replay_place *p, int64_t until)
{
    bool knows = p->hold.released || r->options->partial;
    p->hold.until = until;
    while (!knows && p->hold.watch < r->count) {
        const struct replay_place *other = &r->places[p->hold.watch];
        if (other->process != p->process && !has_passed(other, until))
            return true;
        p->hold.watch++;
    }
    p->hold.watch = 0;
    p->hold.released = false;
    return false;
}

/* Takes the places of a process out of the order, or puts them back to where they stand by now. */
static void set_held(struct replay *r, const struct replay_place *one, bool held)
{
    struct replay_place *p = &r->places[one->index];
    do {
        uint64_t key = r->tree[r->leaves + p->index].key;
        if (held) {
            replay_order_put(r, p->index, REPLAY_NO_KEY);
            p->held_key = key;
            p->held = true;
        } else {
            p->held = false;
            replay_order_put(r, p->index, p->held_key);
        }
        p = &r->places[p->next_of_process];
    } while (p->index != one->index);
}

void replay_hold(struct replay *r, struct replay_place *p)
{
    p->hold.waits = true;
    p->hold.next = r->holding;
    r->holding = p->index + 1;
    set_held(r, p, true);
}

static void release(struct replay *r, uint32_t *link)
{
    struct replay_place *p = &r->places[*link - 1];
    *link = p->hold.next;
    p->hold.waits = false;
    set_held(r, p, false);
}

void replay_hold_passed(struct replay *r, const struct replay_place *p)
{
    for (uint32_t *link = &r->holding; *link;) {
        struct replay_place *waits = &r->places[*link - 1];
        if (waits->hold.watch == p->index && has_passed(p, waits->hold.until))
            release(r, link);
        else
            link = &waits->hold.next;
    }
}

bool replay_hold_release(struct replay *r)
{
    uint32_t *least = NULL;
    for (uint32_t *link = &r->holding; *link; link = &r->places[*link - 1].hold.next) {
        const struct replay_place *p = &r->places[*link - 1];
        if (!least || p->hold.until < r->places[*least - 1].hold.until ||
            (p->hold.until == r->places[*least - 1].hold.until && *link < *least))
            least = link;
    }
    if (!least)
        return false;
    r->places[*least - 1].hold.released = true;
    release(r, least);
    return true;
}

bool replay_hold_prepare(struct replay *r)
{
    struct replay_map processes = {0}; /* a place of each */
    for (uint32_t i = 0; i < r->count; i++) {
        struct replay_place *p = &r->places[i], *first = replay_map_get(&processes, 0, p->process);
        p->next_of_process = first ? first->next_of_process : i;
        if (first)
            first->next_of_process = i;
        else if (!replay_map_put(&r->memory, &processes, 0, p->process, p))
            return false;
    }
    return true;
}
