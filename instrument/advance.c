/* advance and await (pcomp.h). */
#include "instrument/exported.h"
#include "instrument/pcomp.h"
#include "profiler/trace/trace.h"

#include <limits.h>

static void record(enum pcomp_event_kind kind, const void *variable, unsigned long index)
{
    if (trace_on)
        trace_event_long(kind, (uint64_t)(uintptr_t)variable, index, 0);
}

EXPORT void pcomp_advance(const void *variable, unsigned long index)
{
    record(PCOMP_EVENT_ADVANCE, variable, index);
}

EXPORT void pcomp_await_begin(const void *variable, unsigned long index)
{
    record(PCOMP_EVENT_AWAIT_BEGIN, variable, index);
}

EXPORT void pcomp_await_end(const void *variable, unsigned long index)
{
    if (trace_on)
        trace_event_long(PCOMP_EVENT_AWAIT_END, (uint64_t)(uintptr_t)variable, index, index > LONG_MAX);
}
