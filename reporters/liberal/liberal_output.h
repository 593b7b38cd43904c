/* The re-mapped trace of one location, on its way into a file for the second pass of a replay (PCOMP_TRACE_REMAPPED).
 * Not thread-safe on one output. */
#ifndef PCOMP_LIBERAL_OUTPUT_H
#define PCOMP_LIBERAL_OUTPUT_H

#include "reporters/trace/files/trace_write.h"

struct liberal_output {
    struct trace_writer writer;
    struct pcomp_trace_segment *segment; /* with room for records behind it */
    size_t used;                         /* bytes of records */
    uint64_t first_event, event;         /* number of the first of them, and of the next one */
    bool open;
};

/* False after writing to error. In any case close it. */
bool liberal_output_open(struct liberal_output *output, const char *path, const struct pcomp_trace_header *header,
                         uint64_t first_event, char *error, size_t error_size);

/* Writes a record, with another time. False with errno. */
bool liberal_output_put(struct liberal_output *output, const struct pcomp_event *record, uint64_t time);

/* False with errno. */
bool liberal_output_close(struct liberal_output *output);

#endif
