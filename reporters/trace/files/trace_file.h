/* One trace file, opened and checked: hands out its records, block by block, in the order of time.
 *
 * The layout is profiler/format/trace_format.h; every offset, size and count is checked against the file's size before
 * use. A file that a process is still writing, or was writing when it was killed, is read as far as it goes. Reads with
 * pread into a buffer of its own, so memory does not depend on the length. Not thread-safe on one file; several files
 * are. */
#ifndef PCOMP_TRACE_FILE_H
#define PCOMP_TRACE_FILE_H

#include "compensation/trace_event/alpha.h"
#include "profiler/format/trace_format.h"

#include <stdbool.h>
#include <stddef.h>

struct trace_file {
    char *path;                       /* as given */
    struct pcomp_trace_header header; /* alpha: as measured while the program ran, where it was */
    uint64_t size;                    /* of the file, uncompressed */
    uint32_t segment_count;           /* in order of time, as far as they are whole */
    uint64_t first_event;             /* number of the first record there is: > 0 in a ring that has gone round */
    uint64_t alpha_spread;            /* standard deviation, 1/1024 tick */
    struct alpha_context context;     /* none in older files */
    char *damage;                     /* salvage: what was wrong first; NULL nothing */
    struct trace_file_state *state;
};

/* Opens the file, or one compressed by pcomp (zstd, PATH.zst). NULL after writing "PATH: offset 0x..: expected X, found
 * Y", or the system's reason, to error. With salvage, damage behind the header is no error: what comes before it is
 * used. */
struct trace_file *trace_file_open(const char *path, bool salvage, char *error, size_t error_size);
void trace_file_close(struct trace_file *file);

/* Reads on: copies whole records, at most `most` bytes (>= 32), to `buffer` (8-byte aligned). Returns their size in
 * bytes; 0 at the end; -1 after writing to error what is wrong, with file, offset and number of the event: time that
 * steps back, an unknown kind, a record cut in two. */
int64_t trace_file_read(struct trace_file *file, void *buffer, size_t max, char *error, size_t error_size);

/* Back to the first record. */
void trace_file_rewind(struct trace_file *file);

/* Number, in the location, of the record that trace_file_read returns next. */
uint64_t trace_file_event(const struct trace_file *file);

/* Number of the last record there is, plus one; reads the last segment alone. Then at the first record again. */
uint64_t trace_file_events(struct trace_file *file);

/* Nanoseconds of one tick. */
double trace_file_tick_ns(const struct trace_file *file);

#endif
