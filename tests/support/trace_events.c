#include "tests/support/trace_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *whole_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        bytes = malloc(*size);
        if (bytes && fread(bytes, 1, *size, file) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

static const struct pcomp_trace_segment *segment_at(const char *bytes, size_t size, size_t at)
{
    const struct pcomp_trace_segment *segment = (const struct pcomp_trace_segment *)(bytes + at);
    if (at + sizeof *segment > size || segment->magic != PCOMP_TRACE_SEGMENT_MAGIC || segment->size < sizeof *segment ||
        segment->size > size - at)
        return NULL;
    return segment;
}

/* The segment with the least sequence above `after`. */
static const struct pcomp_trace_segment *next_segment(const char *bytes, size_t size, size_t first, uint64_t after)
{
    const struct pcomp_trace_segment *segment, *best = NULL;
    for (size_t at = first; at < size && (segment = segment_at(bytes, size, at)); at += segment->size)
        if (segment->sequence > after && (!best || segment->sequence < best->sequence))
            best = segment;
    return best;
}

static void take(struct trace_events *trace, const struct pcomp_trace_segment *segment)
{
    const char *at = (const char *)(segment + 1), *end = (const char *)segment + segment->size;
    while (at + sizeof(struct pcomp_event) <= end) {
        const struct pcomp_event *event = (const struct pcomp_event *)at;
        uint32_t size = pcomp_event_size(event);
        if (!event->what) { /* never filled in */
            at += sizeof *event;
            continue;
        }
        if (at + size > end)
            return;
        trace->events[trace->count] = (struct pcomp_event_long){.time = event->time, .what = event->what};
        memcpy(&trace->events[trace->count++], at, size);
        at += size;
    }
}

const char *trace_events_read(const char *path, struct trace_events *trace)
{
    size_t size = 0;
    char *bytes = whole_file(path, &size);
    const char *wrong = NULL;
    *trace = (struct trace_events){.events = NULL};
    if (!bytes || size < sizeof trace->header)
        wrong = "cannot be read";
    else {
        memcpy(&trace->header, bytes, sizeof trace->header);
        if (memcmp(trace->header.magic, PCOMP_TRACE_MAGIC, 8) != 0)
            wrong = "is no trace";
        else if (!(trace->events = calloc(size / sizeof(struct pcomp_event), sizeof *trace->events)))
            wrong = "is too large";
    }
    const struct pcomp_trace_segment *segment = NULL;
    while (!wrong && (segment = next_segment(bytes, size, trace->header.header_size, segment ? segment->sequence : 0)))
        take(trace, segment);
    free(bytes);
    return wrong;
}
