#include "reporters/trace/trace_clock.h"

#include <math.h>

bool trace_clock_init(struct trace_clock *clock, const struct pcomp_trace_header *header)
{
    *clock = (struct trace_clock){.origin = header->offset_tick[0], .offset = header->offset[0]};
    int64_t ticks = (int64_t)(header->offset_tick[1] - header->offset_tick[0]);
    bool twice = header->offset_tick[1] != 0 && ticks != 0; /* a killed process has no second one */
    if (twice)
        clock->slope = ((double)header->offset[1] - (double)header->offset[0]) / (double)ticks;
    clock->same = clock->offset == 0 && clock->slope == 0;
    return clock->slope > -1 && clock->slope < 1;
}

void trace_clock_map(const struct trace_clock *clock, void *records, size_t size)
{
    if (clock->same)
        return;
    for (char *at = records, *end = at + size; at < end;) {
        struct pcomp_event *event = (struct pcomp_event *)at;
        double since = (double)(int64_t)(event->time - clock->origin);
        event->time += (uint64_t)(clock->offset + llround(clock->slope * since));
        at += pcomp_event_size(event);
    }
}
