#include "reporters/trace/event_places.h"

#include "reporters/base/text.h"
#include "reporters/trace/files/trace_stack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUFFER = 64 << 10 };

static const char *const kind_names[PCOMP_EVENT_KINDS] = {
    [PCOMP_EVENT_ENTER] = "enter",
    [PCOMP_EVENT_EXIT] = "exit",
    [PCOMP_EVENT_FLUSH_BEGIN] = "flush begin",
    [PCOMP_EVENT_FLUSH_END] = "flush end",
    [PCOMP_EVENT_LOST] = "lost events",
    [PCOMP_EVENT_PAUSE] = "pause",
    [PCOMP_EVENT_RESUME] = "resume",
    [PCOMP_EVENT_UNWIND] = "unwind",
    [PCOMP_EVENT_EXTERNAL_BEGIN] = "external wait begin",
    [PCOMP_EVENT_EXTERNAL_END] = "external wait end",
    [PCOMP_EVENT_STREAM_WRITE] = "stream write",
    [PCOMP_EVENT_STREAM_WRITTEN] = "stream written",
    [PCOMP_EVENT_STREAM_READ] = "stream read",
    [PCOMP_EVENT_STREAM_DONE] = "stream done",
    [PCOMP_EVENT_CREATE] = "create",
    [PCOMP_EVENT_START] = "thread start",
    [PCOMP_EVENT_END] = "thread end",
    [PCOMP_EVENT_JOIN_BEGIN] = "join begin",
    [PCOMP_EVENT_JOIN_END] = "join end",
    [PCOMP_EVENT_BARRIER_EXIT] = "barrier exit",
    [PCOMP_EVENT_SEM_V] = "semaphore V",
    [PCOMP_EVENT_SEM_REQUEST] = "semaphore P",
    [PCOMP_EVENT_SEM_WAIT] = "semaphore wait",
    [PCOMP_EVENT_SEM_PASSED] = "semaphore pass",
    [PCOMP_EVENT_SEM_TAKEN] = "semaphore taken",
    [PCOMP_EVENT_SEM_FAILED] = "semaphore not taken",
    [PCOMP_EVENT_LOCK_REQUEST] = "lock request",
    [PCOMP_EVENT_LOCK_WAIT] = "lock wait",
    [PCOMP_EVENT_LOCK_ACQUIRED] = "lock acquired",
    [PCOMP_EVENT_LOCK_FAILED] = "lock failed",
    [PCOMP_EVENT_LOCK_RELEASE] = "lock release",
    [PCOMP_EVENT_COND_SIGNAL] = "signal",
    [PCOMP_EVENT_COND_BROADCAST] = "broadcast",
    [PCOMP_EVENT_WAIT_ENTER] = "wait enter",
    [PCOMP_EVENT_WAIT_EXIT] = "wait exit",
    [PCOMP_EVENT_BARRIER_ENTER] = "barrier enter",
    [PCOMP_EVENT_SEM_INIT] = "semaphore init",
    [PCOMP_EVENT_COND_WAIT] = "condition wait",
    [PCOMP_EVENT_COND_WOKEN] = "condition woken",
    [PCOMP_EVENT_SUPPRESSED] = "calls not recorded",
    [PCOMP_EVENT_UNRECORDED] = "span of events not recorded",
    [PCOMP_EVENT_PREEMPTED] = "time without a processor",
    [PCOMP_EVENT_COUNTED] = "function that is counted from here on",
    [PCOMP_EVENT_CALLS] = "calls counted in place",
    [PCOMP_EVENT_ADVANCE] = "advance",
    [PCOMP_EVENT_AWAIT_BEGIN] = "await begin",
    [PCOMP_EVENT_AWAIT_END] = "await end",
    [PCOMP_EVENT_SEND_POST] = "send",
    [PCOMP_EVENT_SEND_POST_SYNC] = "synchronous send",
    [PCOMP_EVENT_SEND_POST_BUFFER] = "buffered send",
    [PCOMP_EVENT_SEND_POST_READY] = "ready send",
    [PCOMP_EVENT_SEND_DONE] = "send done",
    [PCOMP_EVENT_RECV_POST] = "receive",
    [PCOMP_EVENT_RECV_DONE] = "receive done",
    [PCOMP_EVENT_PROBE_ENTER] = "probe enter",
    [PCOMP_EVENT_PROBE_EXIT] = "probe exit",
    [PCOMP_EVENT_REQUEST_GONE] = "request gone",
    [PCOMP_EVENT_COLLECTIVE_ENTER] = "collective enter",
    [PCOMP_EVENT_COLLECTIVE_EXIT] = "collective exit",
};

const char *event_kind_name(uint32_t kind, char *buffer)
{
    if (kind < PCOMP_EVENT_KINDS && kind_names[kind])
        return kind_names[kind];
    snprintf(buffer, 16, "kind %" PRIu32, kind);
    return buffer;
}

static void follow(struct trace_stack *stack, const struct pcomp_event *event)
{
    uint32_t kind = pcomp_event_kind(event);
    if (kind == PCOMP_EVENT_ENTER)
        trace_stack_enter(stack, pcomp_event_value(event)); /* out of memory: a function outside is named */
    else if (kind == PCOMP_EVENT_EXIT)
        trace_stack_exit(stack, pcomp_event_value(event));
    else if (kind == PCOMP_EVENT_COUNTED)
        trace_stack_count(stack, pcomp_event_value(event));
    else if (kind == PCOMP_EVENT_UNWIND)
        trace_stack_unwind(stack, pcomp_event_value(event));
}

static void fill_in(const struct trace_location *location, struct trace_functions *functions,
                    const struct trace_stack *stack, const struct pcomp_event *event, struct event_place *place)
{
    place->found = true;
    place->kind = pcomp_event_kind(event);
    place->time = event->time;
    if (functions && stack->depth)
        place->function = trace_functions_find(functions, location->process, stack->functions[stack->depth - 1]);
}

/* Finds the places of one location that have not been found. */
static void find_in(const struct trace_directory *traces, uint32_t location, struct trace_functions *functions,
                    struct event_place *places, size_t count)
{
    struct trace_stack stack = {0};
    char error[256], *buffer = malloc(BUFFER);
    uint64_t number = 0, last = 0;
    int64_t size;
    for (size_t i = 0; i < count; i++)
        if (places[i].location == location && places[i].event > last)
            last = places[i].event;
    trace_file_rewind(traces->locations[location].file);
    while (buffer && number <= last &&
           (size = trace_directory_read(traces, location, buffer, BUFFER, error, sizeof error)) > 0)
        for (char *at = buffer; at < buffer + size; number++) {
            const struct pcomp_event *event = (const struct pcomp_event *)at;
            follow(&stack, event);
            for (size_t i = 0; i < count; i++)
                if (places[i].location == location && places[i].event == number)
                    fill_in(&traces->locations[location], functions, &stack, event, &places[i]);
            at += pcomp_event_size(event);
        }
    trace_stack_free(&stack);
    free(buffer);
}

void event_places_find(const struct trace_directory *traces, struct trace_functions *functions,
                       struct event_place *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        places[i].found = false;
        places[i].function = UINT32_MAX;
    }
    for (size_t i = 0; i < count; i++) {
        bool done = places[i].location >= traces->count;
        for (size_t k = 0; k < i; k++)
            done |= places[k].location == places[i].location;
        if (!done)
            find_in(traces, places[i].location, functions, places, count);
    }
}

const char *event_place_text(const struct trace_directory *traces, const struct trace_functions *functions,
                             const struct event_place *place, uint64_t since, char *buffer, size_t size)
{
    char kind[16], time[TEXT_NUMBER];
    const struct trace_location *l = &traces->locations[place->location];
    bool named = place->found && functions && place->function != UINT32_MAX;
    uint64_t number = place->event + l->file->first_event;
    if (!place->found)
        snprintf(buffer, size, "%s, event %" PRIu64, l->name, number);
    else
        snprintf(buffer, size, "%s, event %" PRIu64 " (%s) at %s%s%s", l->name, number,
                 event_kind_name(place->kind, kind),
                 text_time(time, (double)(int64_t)(place->time - since) * traces->tick_ns), named ? ", in " : "",
                 named ? trace_functions_name(functions, place->function) : "");
    return buffer;
}
