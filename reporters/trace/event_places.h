/* Where an event is: its time, and the function that was active. For messages: reads the trace again up to the event.
 */
#ifndef PCOMP_EVENT_PLACES_H
#define PCOMP_EVENT_PLACES_H

#include "reporters/trace/trace_directory.h"
#include "reporters/trace/trace_functions.h"

struct event_place {
    uint32_t location; /* UINT32_MAX: none */
    uint64_t event;    /* as the replay counts: from 0, the first that there is */
    bool found;
    uint32_t kind;
    uint64_t time;     /* ticks of rank 0's clock */
    uint32_t function; /* of trace_functions; UINT32_MAX none active or not known */
};

/* Fills in what the caller has not: all but location and event. Out of memory or damage leave `found` false.
 * `functions` has the processes of the directory from number 0 on, and still has to resolve what is found; NULL: no
 * functions. */
void event_places_find(const struct trace_directory *traces, struct trace_functions *functions,
                       struct event_place *places, size_t count);

/* "rank 0, event 123 (enter) at 1.234 ms, in f()": into buffer, which is returned. since: tick that counts as 0. */
const char *event_place_text(const struct trace_directory *traces, const struct trace_functions *functions,
                             const struct event_place *place, uint64_t since, char *buffer, size_t size);

/* "enter", "barrier exit", ...; "kind 99" into buffer (16 bytes) where there is none. */
const char *event_kind_name(uint32_t kind, char *buffer);

#endif
