/* Makes trace files for the tests of readers: with trace_write, of headers and records that the test chooses. What goes
 * wrong ends the program. */
#ifndef PCOMP_TRACE_MAKER_H
#define PCOMP_TRACE_MAKER_H

#include "profiler/format/trace_format.h"

#include <stddef.h>

/* A new directory below TMPDIR, with the file `run`; removed with all that is in it by trace_maker_remove. */
char *trace_maker_directory(void);
void trace_maker_remove(char *dir);

/* One tick a nanosecond, alpha 10 ticks for all kinds; location 0 is the main thread. rank -1, world 0: none. */
struct pcomp_trace_header trace_maker_header(int pid, unsigned location, int rank, int world);

/* Writes DIR/<pid>-<image>.<location>.trace with these records in one segment, or in segments of at most `part` bytes
 * of records. */
void trace_maker_write(const char *dir, unsigned image, const struct pcomp_trace_header *header, const void *records,
                       size_t size);
void trace_maker_write_in_parts(const char *dir, unsigned image, const struct pcomp_trace_header *header,
                                const void *records, size_t size, size_t part);

#endif
