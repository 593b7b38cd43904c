#include "reporters/trace/trace_activity.h"

#include <stddef.h>

/* What an event means for its operation: it begins, or it ends. */
#define BEGINS(operation) ((uint8_t)(1 + (operation)))
#define ENDS(operation)   ((uint8_t)(0x80 | (1 + (operation))))

static const uint8_t operation_of[PCOMP_EVENT_KINDS] = {
    [PCOMP_EVENT_FLUSH_BEGIN] = BEGINS(TRACE_FLUSH),
    [PCOMP_EVENT_FLUSH_END] = ENDS(TRACE_FLUSH),
    [PCOMP_EVENT_PAUSE] = BEGINS(TRACE_PAUSE),
    [PCOMP_EVENT_RESUME] = ENDS(TRACE_PAUSE),
    [PCOMP_EVENT_JOIN_BEGIN] = BEGINS(TRACE_JOIN),
    [PCOMP_EVENT_JOIN_END] = ENDS(TRACE_JOIN),
    [PCOMP_EVENT_BARRIER_ENTER] = BEGINS(TRACE_BARRIER),
    [PCOMP_EVENT_BARRIER_EXIT] = ENDS(TRACE_BARRIER),
    [PCOMP_EVENT_SEM_WAIT] = BEGINS(TRACE_SEMAPHORE),
    [PCOMP_EVENT_SEM_TAKEN] = ENDS(TRACE_SEMAPHORE),
    [PCOMP_EVENT_SEM_FAILED] = ENDS(TRACE_SEMAPHORE),
    [PCOMP_EVENT_LOCK_WAIT] = BEGINS(TRACE_LOCK),
    [PCOMP_EVENT_LOCK_ACQUIRED] = ENDS(TRACE_LOCK),
    [PCOMP_EVENT_LOCK_FAILED] = ENDS(TRACE_LOCK),
    [PCOMP_EVENT_COND_WAIT] = BEGINS(TRACE_CONDITION),
    [PCOMP_EVENT_COND_WOKEN] = ENDS(TRACE_CONDITION),
    [PCOMP_EVENT_AWAIT_BEGIN] = BEGINS(TRACE_AWAIT),
    [PCOMP_EVENT_AWAIT_END] = ENDS(TRACE_AWAIT),
    [PCOMP_EVENT_SEND_POST] = BEGINS(TRACE_SEND),
    [PCOMP_EVENT_SEND_POST_SYNC] = BEGINS(TRACE_SEND),
    [PCOMP_EVENT_SEND_POST_BUFFER] = BEGINS(TRACE_SEND),
    [PCOMP_EVENT_SEND_POST_READY] = BEGINS(TRACE_SEND),
    [PCOMP_EVENT_SEND_DONE] = ENDS(TRACE_SEND),
    [PCOMP_EVENT_RECV_POST] = BEGINS(TRACE_RECEIVE),
    [PCOMP_EVENT_RECV_DONE] = ENDS(TRACE_RECEIVE),
    [PCOMP_EVENT_PROBE_ENTER] = BEGINS(TRACE_PROBE),
    [PCOMP_EVENT_PROBE_EXIT] = ENDS(TRACE_PROBE),
    [PCOMP_EVENT_WAIT_ENTER] = BEGINS(TRACE_REQUESTS),
    [PCOMP_EVENT_WAIT_EXIT] = ENDS(TRACE_REQUESTS),
    [PCOMP_EVENT_COLLECTIVE_ENTER] = BEGINS(TRACE_COLLECTIVE),
    [PCOMP_EVENT_COLLECTIVE_EXIT] = ENDS(TRACE_COLLECTIVE),
    [PCOMP_EVENT_STREAM_READ] = BEGINS(TRACE_STREAM),
    [PCOMP_EVENT_STREAM_DONE] = ENDS(TRACE_STREAM),
    [PCOMP_EVENT_EXTERNAL_BEGIN] = BEGINS(TRACE_EXTERNAL),
    [PCOMP_EVENT_EXTERNAL_END] = ENDS(TRACE_EXTERNAL),
};

const char *trace_operation_name(enum trace_operation operation)
{
    static const char *const names[TRACE_OPERATIONS] = {
        [TRACE_FLUSH] = "flush of the trace", [TRACE_PAUSE] = "paused",        [TRACE_JOIN] = "join",
        [TRACE_BARRIER] = "barrier",          [TRACE_SEMAPHORE] = "semaphore", [TRACE_LOCK] = "lock",
        [TRACE_CONDITION] = "condition",      [TRACE_AWAIT] = "await",         [TRACE_SEND] = "send",
        [TRACE_RECEIVE] = "receive",          [TRACE_PROBE] = "probe",         [TRACE_REQUESTS] = "wait for requests",
        [TRACE_COLLECTIVE] = "collective",    [TRACE_STREAM] = "stream",       [TRACE_EXTERNAL] = "external wait",
    };
    return names[operation];
}

const char *trace_collective_name(uint32_t operation)
{
    static const char *const names[] = {
        [PCOMP_OPERATION_BARRIER] = "barrier",
        [PCOMP_OPERATION_BCAST] = "broadcast",
        [PCOMP_OPERATION_REDUCE] = "reduce",
        [PCOMP_OPERATION_ALLREDUCE] = "allreduce",
        [PCOMP_OPERATION_GATHER] = "gather",
        [PCOMP_OPERATION_SCATTER] = "scatter",
        [PCOMP_OPERATION_ALLGATHER] = "allgather",
        [PCOMP_OPERATION_ALLTOALL] = "alltoall",
        [PCOMP_OPERATION_SCAN] = "scan",
        [PCOMP_OPERATION_EXSCAN] = "exscan",
        [PCOMP_OPERATION_REDUCE_SCATTER] = "reduce-scatter",
        [PCOMP_OPERATION_CREATE] = "create communicator",
    };
    const char *name = operation < sizeof names / sizeof *names ? names[operation] : NULL;
    return name ? name : trace_operation_name(TRACE_COLLECTIVE);
}

static bool operation_begins(struct trace_activity *a, uint32_t operation, struct trace_change *change)
{
    if (!a->open) {
        if (!trace_stack_enter(&a->stack, TRACE_IS_OPERATION | operation))
            return false;
        change->entered = true;
    }
    a->open |= 1u << operation;
    return true;
}

/* The operation on the stack lasts until the last that began in it has ended: a sendrecv is two. */
static void operation_ends(struct trace_activity *a, uint32_t operation, struct trace_change *change)
{
    bool was_open = a->open & 1u << operation;
    a->open &= ~(1u << operation);
    if (!was_open || a->open)
        return;
    for (uint32_t i = a->stack.depth; i-- > 0;)
        if (a->stack.functions[i] & TRACE_IS_OPERATION) {
            change->left = trace_stack_unwind(&a->stack, a->stack.depth - i);
            return;
        }
}

/* Of what ended, an operation may have been part. */
static void forget_operation(struct trace_activity *a, uint32_t left)
{
    for (uint32_t i = a->stack.depth; i < a->stack.depth + left; i++)
        if (a->stack.functions[i] & TRACE_IS_OPERATION)
            a->open = 0;
}

static void everything_ends(struct trace_activity *a, struct trace_change *change)
{
    change->left = trace_stack_unwind(&a->stack, a->stack.depth);
    a->open = 0;
}

bool trace_activity_follow(struct trace_activity *activity, const struct pcomp_event_long *event,
                           struct trace_change *change)
{
    const struct pcomp_event *e = (const struct pcomp_event *)event;
    uint32_t kind = pcomp_event_kind(e);
    uint64_t value = pcomp_event_value(e);
    *change = (struct trace_change){0};
    switch (kind) {
    case PCOMP_EVENT_ENTER:
        activity->ended = false;
        change->entered = trace_stack_enter(&activity->stack, value);
        return change->entered;
    case PCOMP_EVENT_EXIT:
        change->left = trace_stack_exit(&activity->stack, value);
        forget_operation(activity, activity->open ? change->left : 0);
        return true;
    case PCOMP_EVENT_COUNTED:
        change->left = trace_stack_count(&activity->stack, value);
        return true;
    case PCOMP_EVENT_UNWIND:
        change->left = trace_stack_unwind(&activity->stack, value);
        forget_operation(activity, activity->open ? change->left : 0);
        return true;
    case PCOMP_EVENT_START:
        activity->ended = false;
        return true;
    case PCOMP_EVENT_END:
        everything_ends(activity, change);
        activity->ended = true;
        return true;
    default:
        break;
    }
    uint32_t operation = operation_of[kind];
    bool gone = kind == PCOMP_EVENT_REQUEST_GONE; /* ends what its POST began */
    bool message = gone || (kind >= PCOMP_EVENT_SEND_POST && kind <= PCOMP_EVENT_RECV_DONE);
    if (message && event->b >> 24) /* nonblocking: it is waited for elsewhere */
        return true;
    if (gone)
        operation = operation_of[value & (PCOMP_EVENT_KINDS - 1)] | 0x80;
    if (!(operation & 0x7f))
        return true;
    if (operation & 0x80)
        operation_ends(activity, (operation & 0x7f) - 1, change);
    else
        return operation_begins(activity, operation - 1, change);
    return true;
}

void trace_activity_free(struct trace_activity *activity)
{
    trace_stack_free(&activity->stack);
}
