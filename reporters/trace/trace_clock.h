/* From the clock of a process to that of rank 0: clock = own + offset, where the offset was measured at the start, on
 * the way and at the end of the run, and lies on a line between two measurements (2005 §5). A measurement on the way
 * bends the line where it is further from it than its error. Clocks may tick at different rates. Pure. */
#ifndef PCOMP_TRACE_CLOCK_H
#define PCOMP_TRACE_CLOCK_H

#include "profiler/format/trace_format.h"

#include <stdbool.h>
#include <stddef.h>

struct trace_clock_piece {
    uint64_t origin; /* tick of a measurement; the first piece holds before it, too */
    int64_t offset;  /* ticks, there */
    double slope;    /* ticks of offset a tick, above -1 */
};

struct trace_clock {
    bool same; /* no offset: times stay as they are */
    uint32_t count;
    struct trace_clock_piece pieces[PCOMP_TRACE_OFFSETS + 2];
    double scale;   /* ticks of rank 0 a tick, for lengths; 1: clocks of one rate */
    uint64_t error; /* ticks: mapped times are known to so much */
};

/* `rate`: ticks of rank 0's clock in the time of one of this, as far as is known; 1: the same. False:
 * measurements contradict each other (time would run backwards), or the rate. */
bool trace_clock_init(struct trace_clock *clock, const struct pcomp_trace_header *header, double rate);

/* A length in ticks, or in parts of a tick, on rank 0's clock. */
int64_t trace_clock_length(const struct trace_clock *clock, int64_t length);

/* Rewrites the times of whole records, and the lengths in them. Times in order stay in order. */
void trace_clock_map(const struct trace_clock *clock, void *records, size_t size);

#endif
