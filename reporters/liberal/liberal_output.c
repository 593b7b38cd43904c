#include "reporters/liberal/liberal_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = (64 << 10) - 64 };

bool liberal_output_open(struct liberal_output *o, const char *path, const struct pcomp_trace_header *header,
                         uint64_t first_event, char *error, size_t error_size)
{
    *o = (struct liberal_output){.first_event = first_event, .event = first_event};
    o->segment = malloc(trace_segment_size(ROOM));
    if (!o->segment) {
        snprintf(error, error_size, "%s: out of memory", path);
        return false;
    }
    o->open = trace_writer_open(&o->writer, path, header, error, error_size);
    return o->open;
}

static bool write_out(struct liberal_output *o)
{
    bool good = !o->used || trace_writer_segment(&o->writer, o->segment, o->used, o->first_event);
    o->used = 0;
    o->first_event = o->event;
    return good;
}

bool liberal_output_put(struct liberal_output *o, const struct pcomp_event *record, uint64_t time)
{
    size_t size = pcomp_event_size(record);
    if (o->used + size > ROOM && !write_out(o))
        return false;
    unsigned char *to = (unsigned char *)(o->segment + 1) + o->used;
    memcpy(to, record, size);
    memcpy(to, &time, sizeof time);
    o->used += size;
    o->event += pcomp_event_kind(record) != PCOMP_EVENT_CLOCK_SET;
    return true;
}

bool liberal_output_close(struct liberal_output *o)
{
    bool good = !o->open || write_out(o);
    int why = errno;
    if (o->open && !trace_writer_close(&o->writer) && good) {
        good = false;
        why = errno;
    }
    free(o->segment);
    *o = (struct liberal_output){0};
    errno = why;
    return good;
}
