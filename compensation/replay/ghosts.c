/* Places of other replays. What each replay tells the others of its own places, in this order:
 *
 *   FIRST  when it begins; the least of all is the origin
 *   HEAD   its next message or collective, with the state of the place before it
 *   BOUND  its next event does not stand before this in the order; told before waiting for others, and before reading,
 *          so that they can go on meanwhile
 *   END    its final state
 *
 * A ghost of which nothing more is known stands in the order where its next event can be at the earliest. When it is
 * the least, there is nothing to do but to listen; all others have then been told all they need for what comes before.
 * Events of threads need not wait: they concern their own process alone. */
#include "compensation/replay/replay_state.h"

enum replay_news { FIRST, HEAD, BOUND, END };

struct heard { /* announced, while the head before it has not been settled here */
    struct heard *next;
    struct replay_announcement announcement;
};

struct news {
    struct pcomp_event_long event; /* of a ghost: its head */
    struct heard *first, *last;
    uint64_t told; /* of an own place: the last bound */
    bool begun;    /* of a ghost: more than FIRST has come */
};

static struct news *news_of(const struct replay_place *p)
{
    return p->news;
}

static void announce(struct replay *r, const struct replay_place *p, enum replay_news what,
                     struct replay_announcement *announcement)
{
    announcement->location = p->index;
    announcement->what = what;
    r->io->announce(r->io->context, announcement);
}

/* --- telling --------------------------------------------------------------------------------------------------------
 */

void replay_tell_head(struct replay *r, struct replay_place *p)
{
    struct replay_announcement a = {.number = p->number,
                                    .time = p->time,
                                    .measured = p->measured,
                                    .written = p->written,
                                    .lost = p->lost,
                                    .flush_next = p->flush.next,
                                    .flush_begin = p->flush.begin,
                                    .independent = p->independent,
                                    .running = p->running,
                                    .pending = p->pending,
                                    .path = p->path,
                                    .first_approximated = p->first_approximated,
                                    .flush_running = p->flush.running,
                                    .flush_done = p->flush.done,
                                    .flush_path = p->flush.path,
                                    .flush_length = p->flush.length};

    if (p->event && !pcomp_event_is_message(p->kind))
        return;
    if (p->event) {
        a.event.what = p->event->what;
        if (p->kind >= PCOMP_EVENT_LONG) {
            a.event.a = replay_a(p);
            a.event.b = replay_b(p);
        }
    }
    news_of(p)->told = UINT64_MAX;
    announce(r, p, p->event ? HEAD : END, &a);
}

void replay_tell_bounds(struct replay *r, const struct replay_place *walking)
{
    for (struct replay_place *p = r->places; p < r->places + r->count; p++) {
        struct replay_announcement a = {0};
        bool walks = walking && p == walking;

        if (p->ghost || (!walks && (!p->event || pcomp_event_is_message(p->kind))))
            continue;
        a.time = walks ? p->measured << 2 : replay_key(p);
        if (a.time == news_of(p)->told)
            continue;
        news_of(p)->told = a.time;
        announce(r, p, BOUND, &a);
    }
}

/* --- listening ------------------------------------------------------------------------------------------------------
 */

static void take_state(struct replay_place *p, const struct replay_announcement *a)
{
    p->number = a->number;
    p->time = a->time;
    p->measured = a->measured;
    p->written = a->written;
    p->lost = a->lost;
    p->flush.next = a->flush_next;
    p->flush.begin = a->flush_begin;
    p->independent = a->independent;
    p->running = a->running;
    p->pending = a->pending;
    p->path = a->path;
    p->first_approximated = a->first_approximated;
    p->flush.running = a->flush_running;
    p->flush.done = a->flush_done;
    p->flush.path = a->flush_path;
    p->flush.length = a->flush_length;
}

static void take(struct replay *r, struct replay_place *p, const struct replay_announcement *a)
{
    struct news *news = news_of(p);

    news->begun = a->what != FIRST;
    switch (a->what) {
    case FIRST:
        p->first = a->first;
        r->unheard--;
        break;
    case HEAD:
        take_state(p, a);
        news->event = a->event;
        p->event = (struct pcomp_event *)(void *)&news->event;
        p->kind = pcomp_event_kind(p->event);
        replay_order_put(r, p->index, replay_key(p));
        break;
    case BOUND:
        replay_order_put(r, p->index, a->time);
        break;
    default:
        take_state(p, a);
        replay_order_put(r, p->index, REPLAY_NO_KEY);
    }
}

bool replay_learn(struct replay *r)
{
    struct replay_announcement a;
    struct heard *heard;

    if (!r->unheard)
        replay_tell_bounds(r, NULL);
    if (!r->io->learn(r->io->context, &a)) {
        r->end = REPLAY_STOPPED;
        return false;
    }
    struct replay_place *p = &r->places[a.location];
    if (!p->event) {
        take(r, p, &a);
        return true;
    }
    heard = replay_allocate(&r->memory, sizeof *heard);
    if (!heard) {
        replay_no_memory(r);
        return false;
    }
    heard->announcement = a;
    if (news_of(p)->first)
        news_of(p)->last->next = heard;
    else
        news_of(p)->first = heard;
    news_of(p)->last = heard;
    return true;
}

void replay_ghost_passed(struct replay *r, struct replay_place *p)
{
    struct news *news = news_of(p);

    p->event = NULL;
    replay_order_put(r, p->index, p->time << 2);
    while (news->first && !p->event) {
        struct heard *heard = news->first;

        news->first = heard->next;
        take(r, p, &heard->announcement);
        replay_release(&r->memory, heard);
    }
}

struct replay_place *replay_own_head(struct replay *r)
{
    struct replay_place *least = NULL;

    for (struct replay_place *p = r->places; p < r->places + r->count; p++) {
        if (p->ghost || p->held)
            continue;
        if (p->parked_on)
            return NULL; /* a ghost may wake it, and it may come first then */
        if (p->event && (!least || replay_key(p) < replay_key(least)))
            least = p;
    }
    return least && !pcomp_event_is_message(least->kind) ? least : NULL;
}

bool replay_ghosts_open(struct replay *r)
{
    for (struct replay_place *p = r->places; p < r->places + r->count; p++) {
        struct replay_announcement a = {.first = p->block ? p->first : UINT64_MAX};

        p->news = replay_allocate(&r->memory, sizeof(struct news));
        if (!p->news) {
            replay_no_memory(r);
            return false;
        }
        news_of(p)->told = UINT64_MAX;
        if (!p->ghost)
            announce(r, p, FIRST, &a);
    }
    while (r->unheard) {
        if (!replay_learn(r))
            return false;
    }
    for (struct replay_place *p = r->places; p < r->places + r->count; p++) {
        if (p->ghost && p->first < r->origin)
            r->origin = p->first;
    }
    for (struct replay_place *p = r->places; p < r->places + r->count; p++) {
        if (p->ghost && p->first != UINT64_MAX && !news_of(p)->begun)
            replay_order_put(r, p->index, (p->first - r->origin) << 2);
    }
    return true;
}
