/* What a location is doing, followed through its events: the functions that are active in it, and on top of them an
 * operation in which it may wait, or the recorder's own work. Tolerant as trace_stack.h. */
#ifndef PCOMP_TRACE_ACTIVITY_H
#define PCOMP_TRACE_ACTIVITY_H

#include "compensation/trace_event/event.h"
#include "reporters/trace/files/trace_stack.h"

enum trace_operation {
    TRACE_FLUSH, /* of the recorder: no time of the program */
    TRACE_PAUSE, /* pcomp_pause(): not recorded */
    TRACE_JOIN,
    TRACE_BARRIER,
    TRACE_SEMAPHORE,
    TRACE_LOCK,
    TRACE_CONDITION,
    TRACE_AWAIT,
    TRACE_SEND,
    TRACE_RECEIVE,
    TRACE_PROBE,
    TRACE_REQUESTS,
    TRACE_COLLECTIVE,
    TRACE_STREAM,
    TRACE_EXTERNAL,
    TRACE_OPERATIONS
};

/* Names an operation on the stack, where functions have their values (PCOMP_EVENT_VALUE). */
#define TRACE_IS_OPERATION (1ull << 63)

struct trace_activity {       /* all zero: nothing yet */
    struct trace_stack stack; /* values of ENTER, or TRACE_IS_OPERATION | enum trace_operation */
    uint32_t open;            /* operations that have begun, bits; only the first is on the stack */
    bool ended;               /* between END and START: the thread does not exist, or rests in a pool */
};

struct trace_change {
    uint32_t left; /* activations that end, the innermost first */
    bool entered;  /* then one begins: the top of the stack */
};

/* "barrier", "receive", ... */
const char *trace_operation_name(enum trace_operation operation);

/* "allreduce", ...: of an enum pcomp_operation; "collective" where it is none. */
const char *trace_collective_name(uint32_t operation);

/* Follows one event; a long one must be there as such. False: out of memory. */
bool trace_activity_follow(struct trace_activity *activity, const struct pcomp_event_long *event,
                           struct trace_change *change);
void trace_activity_free(struct trace_activity *activity);

#endif
