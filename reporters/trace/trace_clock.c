#include "reporters/trace/trace_clock.h"

#include <math.h>

bool trace_clock_init(struct trace_clock *clock, const struct pcomp_trace_header *header, double rate)
{
    *clock = (struct trace_clock){
        .origin = header->offset_tick[0], .offset = header->offset[0], .slope = rate - 1, .scale = 1};
    int64_t ticks = (int64_t)(header->offset_tick[1] - header->offset_tick[0]);
    bool twice = header->offset_tick[1] != 0 && ticks != 0; /* a killed process has no second one */
    if (twice)
        clock->slope = ((double)header->offset[1] - (double)header->offset[0]) / (double)ticks;
    if (rate < 1 || rate > 1)
        clock->scale = 1 + clock->slope;
    clock->same = clock->offset == 0 && clock->slope == 0;
    return clock->slope > -1 && clock->slope < 2 * rate - 1;
}

int64_t trace_clock_length(const struct trace_clock *clock, int64_t length)
{
    double scaled = clock->scale * (double)length;
    bool unchanged = clock->scale >= 1 && clock->scale <= 1;
    return unchanged || fabs(scaled) >= 0x1p62 ? length : llround(scaled);
}

static void scale_field(const struct trace_clock *clock, uint64_t *length)
{
    *length = (uint64_t)trace_clock_length(clock, (int64_t)*length);
}

static void scale_value(const struct trace_clock *clock, struct pcomp_event *event)
{
    uint64_t value = pcomp_event_value(event);
    scale_field(clock, &value);
    event->what = (event->what & ~PCOMP_EVENT_VALUE) | (value & PCOMP_EVENT_VALUE);
}

static void scale_lengths(const struct trace_clock *clock, struct pcomp_event *event)
{
    struct pcomp_event_long *record = (struct pcomp_event_long *)(void *)event;
    switch (pcomp_event_kind(event)) {
    case PCOMP_EVENT_PREEMPTED:
        scale_field(clock, &record->a);
        scale_value(clock, event);
        scale_field(clock, &record->b);
        break;
    case PCOMP_EVENT_UNRECORDED:
    case PCOMP_EVENT_CALLS:
        scale_value(clock, event);
        scale_field(clock, &record->b);
        break;
    case PCOMP_EVENT_FLUSH_END: /* alpha */
        scale_value(clock, event);
        break;
    default:
        break;
    }
}

void trace_clock_map(const struct trace_clock *clock, void *records, size_t size)
{
    if (clock->same)
        return;
    bool lengths = clock->scale < 1 || clock->scale > 1;
    for (char *at = records, *end = at + size; at < end;) {
        struct pcomp_event *event = (struct pcomp_event *)at;
        double since = (double)(int64_t)(event->time - clock->origin);
        event->time += (uint64_t)(clock->offset + llround(clock->slope * since));
        if (lengths)
            scale_lengths(clock, event);
        at += pcomp_event_size(event);
    }
}
