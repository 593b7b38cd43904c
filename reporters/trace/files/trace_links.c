/* What waits for its counterpart lies in one tree (tsearch), under keys that say of which sort it is. */
#include "reporters/trace/files/trace_links.h"

#include <search.h>
#include <stdlib.h>

enum wait_sort { WAIT_MESSAGE, WAIT_CREATED, WAIT_ENDED, WAIT_BARRIER, WAIT_COLLECTIVE, WAIT_COUNTER };

struct link_end {
    uint64_t time;
    uint32_t location;
};

struct link_item { /* of a queue */
    struct link_item *next;
    struct link_end end;
};

struct link_wait {
    uint64_t sort, a, b; /* the key */
    union {
        struct { /* MESSAGE: a from << 32 | to, b tag << 24 | communicator: sends, or receives, in order */
            struct link_item *first, **last;
            bool sends;
        } queue;
        struct link_end end; /* CREATED, ENDED: a process, b token */
        uint64_t counter;    /* COUNTER: a location, b communicator: collectives entered */
        struct {             /* BARRIER: a process, b object; COLLECTIVE: a communicator, b the how many-th */
            struct link_end last_enter, root_enter;
            uint32_t inside, left;
            bool root_entered, sealed; /* sealed: not in the tree any more */
        } gathering;
    } as;
};

struct links_location {
    struct trace_link_location location;
    struct link_wait *inside; /* the barrier or collective that it is in */
};

struct trace_links {
    struct links_location *locations;
    uint32_t count;
    void (*found)(void *context, const struct trace_link *link);
    void *context;
    void *tree;
};

const char *trace_link_name(enum trace_link_kind kind)
{
    static const char *const names[] = {"message", "barrier", "collective", "thread"};
    return names[kind];
}

static int compare_waits(const void *x, const void *y)
{
    const struct link_wait *p = x, *q = y;
    if (p->sort != q->sort)
        return p->sort < q->sort ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static struct link_wait *wait_find(struct trace_links *links, enum wait_sort sort, uint64_t a, uint64_t b)
{
    struct link_wait key = {.sort = sort, .a = a, .b = b};
    void *found = tfind(&key, &links->tree, compare_waits);
    return found ? *(struct link_wait **)found : NULL;
}

/* The one of this key, made if there is none; NULL: out of memory. */
static struct link_wait *wait_make(struct trace_links *links, enum wait_sort sort, uint64_t a, uint64_t b)
{
    struct link_wait *wait = wait_find(links, sort, a, b);
    if (wait || !(wait = calloc(1, sizeof *wait)))
        return wait;
    wait->sort = sort;
    wait->a = a;
    wait->b = b;
    if (tsearch(wait, &links->tree, compare_waits))
        return wait;
    free(wait);
    return NULL;
}

static void wait_free(void *context)
{
    struct link_wait *wait = context;
    while (wait->sort == WAIT_MESSAGE && wait->as.queue.first) {
        struct link_item *item = wait->as.queue.first;
        wait->as.queue.first = item->next;
        free(item);
    }
    free(wait);
}

static void wait_end(struct trace_links *links, struct link_wait *wait)
{
    tdelete(wait, &links->tree, compare_waits);
    wait_free(wait);
}

static void report(struct trace_links *links, enum trace_link_kind kind, const struct link_end *from,
                   const struct link_end *to)
{
    struct trace_link link = {kind, from->location, to->location, from->time, to->time};
    if (from->location != to->location || kind == TRACE_LINK_MESSAGE)
        links->found(links->context, &link);
}

/* A send or a receive meets the first of the other sort, or queues up. */
static bool follow_message(struct trace_links *links, const struct link_end *end, uint32_t from, uint32_t to,
                           uint64_t tag_communicator, bool sends)
{
    struct link_wait *wait = wait_make(links, WAIT_MESSAGE, (uint64_t)from << 32 | to, tag_communicator);
    if (!wait)
        return false;
    struct link_item *item = wait->as.queue.first;
    if (item && wait->as.queue.sends != sends) {
        report(links, TRACE_LINK_MESSAGE, sends ? end : &item->end, sends ? &item->end : end);
        wait->as.queue.first = item->next;
        free(item);
        if (!wait->as.queue.first)
            wait_end(links, wait);
        return true;
    }
    struct link_item *added = malloc(sizeof *added);
    if (!added)
        return false;
    *added = (struct link_item){.end = *end};
    if (item)
        *wait->as.queue.last = added;
    else
        wait->as.queue.first = added;
    wait->as.queue.last = &added->next;
    wait->as.queue.sends = sends;
    return true;
}

static bool follow_thread(struct trace_links *links, const struct link_end *end, uint32_t kind, uint64_t token)
{
    uint32_t process = links->locations[end->location].location.process;
    enum wait_sort sort = kind == PCOMP_EVENT_CREATE || kind == PCOMP_EVENT_START ? WAIT_CREATED : WAIT_ENDED;
    if (kind == PCOMP_EVENT_CREATE || kind == PCOMP_EVENT_END) {
        struct link_wait *wait = wait_make(links, sort, process, token);
        if (wait)
            wait->as.end = *end;
        return wait;
    }
    struct link_wait *wait = wait_find(links, sort, process, token);
    if (wait)
        report(links, TRACE_LINK_THREAD, &wait->as.end, end);
    if (wait && kind == PCOMP_EVENT_JOIN_END)
        wait_end(links, wait);
    return true;
}

/* A location is out of its barrier or collective. Sealed: nobody enters it any more; its last one frees it. */
static void leave(struct trace_links *links, struct links_location *location, bool seals)
{
    struct link_wait *wait = location->inside;
    location->inside = NULL;
    if (!wait)
        return;
    if (seals && !wait->as.gathering.sealed) {
        tdelete(wait, &links->tree, compare_waits);
        wait->as.gathering.sealed = true;
    }
    if (!--wait->as.gathering.inside && wait->as.gathering.sealed)
        free(wait);
}

static bool follow_barrier(struct trace_links *links, const struct link_end *end, uint64_t object, bool enters)
{
    struct links_location *location = &links->locations[end->location];
    const struct link_wait *inside = location->inside;
    if (!enters) {
        if (inside && inside->sort == WAIT_BARRIER)
            report(links, TRACE_LINK_BARRIER, &inside->as.gathering.last_enter, end);
        leave(links, location, inside && inside->sort == WAIT_BARRIER);
        return true;
    }
    leave(links, location, inside && inside->sort == WAIT_BARRIER); /* whose exit was lost */
    uint64_t process = object & PCOMP_EVENT_SHARED ? UINT64_MAX : location->location.process;
    struct link_wait *wait = location->inside = wait_make(links, WAIT_BARRIER, process, object);
    if (!wait)
        return false;
    wait->as.gathering.inside++;
    wait->as.gathering.last_enter = *end;
    return true;
}

/* The one that was waited for last lets an exit happen; in a prefix operation that is not known here. */
static void exit_collective(struct trace_links *links, const struct link_end *end, const struct pcomp_event_long *event)
{
    struct links_location *location = &links->locations[end->location];
    struct link_wait *wait = location->inside;
    uint32_t kind = event->b & 0xff;
    bool is_root = (uint32_t)location->location.rank == (uint32_t)event->a;
    if (!wait || wait->sort != WAIT_COLLECTIVE) {
        leave(links, location, false);
        return;
    }
    if (kind == PCOMP_COLLECTIVE_1_TO_N && wait->as.gathering.root_entered)
        report(links, TRACE_LINK_COLLECTIVE, &wait->as.gathering.root_enter, end);
    if (kind == PCOMP_COLLECTIVE_BARRIER || kind == PCOMP_COLLECTIVE_N_TO_N ||
        (kind == PCOMP_COLLECTIVE_N_TO_1 && is_root))
        report(links, TRACE_LINK_COLLECTIVE, &wait->as.gathering.last_enter, end);
    leave(links, location, ++wait->as.gathering.left >= event->b >> 16);
}

static bool enter_collective(struct trace_links *links, const struct link_end *end,
                             const struct pcomp_event_long *event)
{
    struct links_location *location = &links->locations[end->location];
    uint64_t communicator = event->a >> 32;
    leave(links, location, false);
    struct link_wait *counter = wait_make(links, WAIT_COUNTER, end->location, communicator);
    struct link_wait *wait = counter ? wait_make(links, WAIT_COLLECTIVE, communicator, counter->as.counter++) : NULL;
    location->inside = wait;
    if (!wait)
        return false;
    wait->as.gathering.inside++;
    wait->as.gathering.last_enter = *end;
    if ((uint32_t)location->location.rank == (uint32_t)event->a) {
        wait->as.gathering.root_entered = true;
        wait->as.gathering.root_enter = *end;
    }
    return true;
}

bool trace_links_follow(struct trace_links *links, uint32_t location, const struct pcomp_event_long *event)
{
    const struct pcomp_event *e = (const struct pcomp_event *)event;
    uint32_t kind = pcomp_event_kind(e), rank = (uint32_t)links->locations[location].location.rank;
    struct link_end end = {e->time, location};
    if (pcomp_event_is_independent(kind))
        return true;
    switch (kind) {
    case PCOMP_EVENT_CREATE:
    case PCOMP_EVENT_START:
    case PCOMP_EVENT_END:
    case PCOMP_EVENT_JOIN_END:
        return follow_thread(links, &end, kind, pcomp_event_value(e));
    case PCOMP_EVENT_BARRIER_ENTER:
    case PCOMP_EVENT_BARRIER_EXIT:
        return follow_barrier(links, &end, pcomp_event_value(e), kind == PCOMP_EVENT_BARRIER_ENTER);
    case PCOMP_EVENT_SEND_POST:
    case PCOMP_EVENT_SEND_POST_SYNC:
    case PCOMP_EVENT_SEND_POST_BUFFER:
    case PCOMP_EVENT_SEND_POST_READY:
        return follow_message(links, &end, rank, (uint32_t)(event->a >> 32),
                              (event->a << 32 >> 8) | (event->b & 0xffffff), true);
    case PCOMP_EVENT_RECV_DONE:
        return follow_message(links, &end, (uint32_t)(event->a >> 32), rank,
                              (event->a << 32 >> 8) | (event->b & 0xffffff), false);
    case PCOMP_EVENT_COLLECTIVE_ENTER:
        return enter_collective(links, &end, event);
    case PCOMP_EVENT_COLLECTIVE_EXIT:
        exit_collective(links, &end, event);
        return true;
    default:
        return true;
    }
}

struct trace_links *trace_links_open(const struct trace_link_location *locations, uint32_t count,
                                     void (*found)(void *context, const struct trace_link *link), void *context)
{
    struct trace_links *links = calloc(1, sizeof *links);
    struct links_location *copied = calloc(count + (size_t)1, sizeof *copied);
    if (!links || !copied) {
        free(links);
        free(copied);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        copied[i].location = locations[i];
    *links = (struct trace_links){.locations = copied, .count = count, .found = found, .context = context};
    return links;
}

void trace_links_close(struct trace_links *links)
{
    if (!links)
        return;
    for (uint32_t i = 0; i < links->count; i++)
        leave(links, &links->locations[i], false);
    tdestroy(links->tree, wait_free);
    free(links->locations);
    free(links);
}
