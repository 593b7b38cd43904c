/* The events of a trace file in memory, for tests. */
#ifndef PCOMP_TEST_TRACE_EVENTS_H
#define PCOMP_TEST_TRACE_EVENTS_H

#include "profiler/format/trace_format.h"

#include <stddef.h>

struct trace_events {
    struct pcomp_trace_header header;
    struct pcomp_event_long *events; /* a and b are 0 in short ones */
    size_t count;
};

/* NULL, or what is wrong with the file (static text). The events are malloc'ed. */
const char *trace_events_read(const char *path, struct trace_events *trace);

#endif
