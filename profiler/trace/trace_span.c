#include "profiler/trace/trace_span.h"

#include "profiler/trace/trace_record.h"

#include <stddef.h>

void trace_span_update(struct trace_span *span, uint64_t now, uint64_t cursor, int64_t count, bool ends)
{
    struct pcomp_event_long *record = span->record;
    if (!record || cursor < span->cursor || now < span->begin)
        return; /* or it is a handler's, later than this */
    record->a = count > span->count ? (uint64_t)(count - span->count) : 0;
    record->b = now - span->begin;
    if (ends && record->a)
        span->record = NULL;
}

void trace_span_begin(struct thread_state *h, struct trace_span *span, enum pcomp_event_kind kind, uint64_t now,
                      uint64_t cursor, int64_t count, bool wanted)
{
    struct pcomp_event_long *record = span->record;
    uint64_t what = (uint64_t)kind << 56;
    if (!record && wanted && cursor + sizeof(*record) <= h->tracing.end &&
        trace_take(h, cursor, cursor + sizeof(*record))) {
        record = (struct pcomp_event_long *)(uintptr_t)cursor;
        cursor += sizeof(*record);
        record->time = now;
        record->a = record->b = 0;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        record->what = what;
        trace_count_long(h);
    }
    if (!record || now < record->time)
        return;
    span->record = record;
    record->what = what | ((now - record->time) & PCOMP_EVENT_VALUE);
    record->b = 0;
    span->begin = now;
    span->cursor = cursor;
    span->count = count;
}
