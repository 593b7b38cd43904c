/* Which event of one location let an event of another happen: messages, barriers, collectives, creation and joining of
 * threads. Found in the events of all locations in order of time, for pictures; the replay has its own, stricter one.
 *
 * Memory is bounded by what is under way (messages sent and not received, barriers not left), not by the trace. Events
 * whose counterpart never comes (lost, or outside the locations looked at) give no link. Not thread-safe. */
#ifndef PCOMP_TRACE_LINKS_H
#define PCOMP_TRACE_LINKS_H

#include "compensation/trace_event/event.h"

#include <stdbool.h>
#include <stddef.h>

enum trace_link_kind { TRACE_LINK_MESSAGE, TRACE_LINK_BARRIER, TRACE_LINK_COLLECTIVE, TRACE_LINK_THREAD };

/* "message", "barrier", "collective", "thread" */
const char *trace_link_name(enum trace_link_kind kind);

struct trace_link {
    enum trace_link_kind kind;
    uint32_t from, to; /* locations */
    uint64_t from_time, to_time;
};

struct trace_link_location {
    uint32_t process;
    int32_t rank; /* -1 none */
};

struct trace_links;

/* Every link is told to `found` as soon as its second end is seen. `locations` is copied. NULL: out of memory. */
struct trace_links *trace_links_open(const struct trace_link_location *locations, uint32_t count,
                                     void (*found)(void *context, const struct trace_link *link), void *context);
void trace_links_close(struct trace_links *links);

/* Looks at the next event. False: out of memory. */
bool trace_links_follow(struct trace_links *links, uint32_t location, const struct pcomp_event_long *event);

#endif
