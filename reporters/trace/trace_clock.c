#include "reporters/trace/trace_clock.h"

#include <math.h>

#define ERROR_MAX 0x1p40 /* ticks; of damaged files */

/* Of the measurements between two that bend the line, the one that is furthest from their line bends it, too, where
 * its own error and theirs do not explain it. */
static void bend(const struct pcomp_trace_offset *points, uint32_t first, uint32_t last, bool *bends)
{
    const struct pcomp_trace_offset *a = &points[first], *b = &points[last];
    double slope = ((double)b->offset - (double)a->offset) / (double)(b->tick - a->tick), max = 0;
    uint32_t furthest = first;
    for (uint32_t i = first + 1; i < last; i++) {
        double line = (double)a->offset + slope * (double)(points[i].tick - a->tick);
        double off =
            fabs((double)points[i].offset - line) - (double)points[i].error - fmax((double)a->error, (double)b->error);
        if (off > max) {
            max = off;
            furthest = i;
        }
    }
    if (furthest == first)
        return;
    bends[furthest] = true;
    bend(points, first, furthest, bends);
    bend(points, furthest, last, bends);
}

/* All measurements in order of time; their number, 0 where they are in another order. */
static uint32_t all_offsets(const struct pcomp_trace_header *header, struct pcomp_trace_offset *points)
{
    uint32_t count = 1,
             between = header->offset_count < PCOMP_TRACE_OFFSETS ? header->offset_count : PCOMP_TRACE_OFFSETS;
    points[0] = (struct pcomp_trace_offset){header->offset_tick[0], header->offset[0], header->offset_error[0]};
    for (uint32_t i = 0; i < between; i++)
        points[count++] = header->offsets[i];
    if (header->offset_tick[1] != 0 && header->offset_tick[1] != points[count - 1].tick) /* a killed process has none */
        points[count++] =
            (struct pcomp_trace_offset){header->offset_tick[1], header->offset[1], header->offset_error[1]};
    for (uint32_t i = 1; i < count; i++)
        if (points[i].tick <= points[i - 1].tick)
            return 0;
    return count;
}

bool trace_clock_init(struct trace_clock *clock, const struct pcomp_trace_header *header, double rate)
{
    struct pcomp_trace_offset points[PCOMP_TRACE_OFFSETS + 2];
    bool bends[PCOMP_TRACE_OFFSETS + 2] = {true}, good = true;
    uint32_t count = all_offsets(header, points), last = count ? count - 1 : 0;
    *clock = (struct trace_clock){.scale = 1};
    if (!count)
        return false;
    if (last) {
        bends[last] = true;
        bend(points, 0, last, bends);
    }
    for (uint32_t i = 0; i < count; i++) {
        clock->error = points[i].error > clock->error ? points[i].error : clock->error;
        if (bends[i])
            clock->pieces[clock->count++] = (struct trace_clock_piece){points[i].tick, points[i].offset, rate - 1};
    }
    for (uint32_t i = 0; i + 1 < clock->count; i++) {
        struct trace_clock_piece *piece = &clock->pieces[i];
        piece->slope = ((double)piece[1].offset - (double)piece->offset) / (double)(piece[1].origin - piece->origin);
        piece[1].slope = piece->slope;
        good &= piece->slope > -1 && piece->slope < 2 * rate - 1;
    }
    if (rate < 1 || rate > 1)
        clock->scale = last ? 1 + ((double)points[last].offset - (double)points[0].offset) /
                                      (double)(points[last].tick - points[0].tick)
                            : rate;
    clock->error = (uint64_t)llround(fmin((double)clock->error * clock->scale, ERROR_MAX));
    clock->same = true;
    for (uint32_t i = 0; i < clock->count; i++)
        clock->same &= clock->pieces[i].offset == 0 && clock->pieces[i].slope == 0;
    return good;
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
    const struct trace_clock_piece *piece = clock->pieces, *last = piece + clock->count - 1;
    for (char *at = records, *end = at + size; at < end;) {
        struct pcomp_event *event = (struct pcomp_event *)at;
        while (piece < last && event->time >= piece[1].origin)
            piece++;
        double since = (double)(int64_t)(event->time - piece->origin);
        event->time += (uint64_t)(piece->offset + llround(piece->slope * since));
        if (lengths)
            scale_lengths(clock, event);
        at += pcomp_event_size(event);
    }
}
