/* From the clock of a process to that of rank 0: clock = own + offset, where the offset was measured at the start and
 * at the end of the run and lies on a line between (2005 §5). Pure. */
#ifndef PCOMP_TRACE_CLOCK_H
#define PCOMP_TRACE_CLOCK_H

#include "profiler/format/trace_format.h"

#include <stdbool.h>
#include <stddef.h>

struct trace_clock {
    bool same;       /* no offset: times stay as they are */
    uint64_t origin; /* tick of the first measurement */
    int64_t offset;  /* ticks, there */
    double slope;    /* ticks of offset a tick, above -1 */
};

/* False: the two measurements contradict each other (time would run backwards). */
bool trace_clock_init(struct trace_clock *clock, const struct pcomp_trace_header *header);

/* Rewrites the times of whole records. Times in order stay in order. */
void trace_clock_map(const struct trace_clock *clock, void *records, size_t size);

#endif
