/* Spans of a trace: stretches of time of which a record says how many events or calls in them were not recorded. The
 * record is written when the span begins, and filled in while it lasts: a replay knows of it before what lies in it.
 *
 *   | span: in b ticks from here on, a | enter | exit | ... | barrier | span | ...
 *
 * Spans end where waiting may begin, so that nothing is taken from waiting. The owning thread only; a handler may come
 * in between. */
#ifndef PCOMP_TRACE_SPAN_H
#define PCOMP_TRACE_SPAN_H

#include "profiler/base/thread_state.h"

#include "compensation/trace_event/event.h"

#include <stdbool.h>

/* The span lasts until tick `now`, and its records until `cursor`; `count`: the counter of what is not recorded.
 * `ends`: another one begins behind it, if it is of anything. */
void trace_span_update(struct trace_span *span, uint64_t now, uint64_t cursor, int64_t count, bool ends);

/* A span begins now, behind the last record; it has the record of the one before if that was of nothing. No longer if a
 * handler has recorded something: then none begins. `wanted`: a record may be written. */
void trace_span_begin(struct thread_state *h, struct trace_span *span, enum pcomp_event_kind kind, uint64_t now,
                      uint64_t cursor, int64_t count, bool wanted);

#endif
