/* Writes the trace file of one location (profiler/format/trace_format.h), a segment at a time, each with one pwrite.
 *
 * Not thread-safe on one writer; several writers are. */
#ifndef PCOMP_TRACE_WRITE_H
#define PCOMP_TRACE_WRITE_H

#include "profiler/format/trace_format.h"

#include <stdbool.h>
#include <stddef.h>

struct trace_writer {
    struct pooled_file *file; /* NULL: closed */
    char *path;
    struct pcomp_trace_header header; /* written at the end; segments and size are kept here */
};

/* Bytes of a segment that holds so many bytes of records. */
size_t trace_segment_size(size_t records);

/* Where a trace derived from `from` is written below the directory `to`: the same name, not compressed. */
enum { TRACE_WRITER_PATH = 4300 };
void trace_writer_path(const char *from, const char *to, char path[TRACE_WRITER_PATH]);

/* Creates or overwrites the file. header: all that the caller knows of it; magic, versions and sizes are filled in.
 * False after writing one line to error. */
bool trace_writer_open(struct trace_writer *writer, const char *path, const struct pcomp_trace_header *header,
                       char *error, size_t error_size);

/* Writes whole records, which stand behind *segment; their memory has trace_segment_size(size) bytes, the rest of which
 * is zeroed. first_event: number of the first record. False with errno. */
bool trace_writer_segment(struct trace_writer *writer, struct pcomp_trace_segment *segment, size_t size,
                          uint64_t first_event);

/* Completes and closes the file; also after a failure. False with errno. */
bool trace_writer_close(struct trace_writer *writer);

#endif
