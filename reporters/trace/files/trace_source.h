/* The bytes of a trace file, as they are or compressed by pcomp.
 *
 * Compressed (PATH.zst) is a sequence of zstd frames, the header's and one for each segment, each with the size of its
 * content; what they hold is the same as in the file that is not. Reading is meant to go forward in a frame. Not
 * thread-safe on one source. */
#ifndef PCOMP_TRACE_SOURCE_H
#define PCOMP_TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_COMPRESSED ".zst"
#define TRACE_WINDOW_LOG 17 /* of the compressor, so that many files at once need little memory */
#define TRACE_FRAMES_MAX (1u << 24)
#define TRACE_ZSTD_MAGIC 0xfd2fb528u

struct trace_source;

/* Opens `path`, or PATH.zst where there is no such file. NULL after writing what is wrong to error. */
struct trace_source *trace_source_open(const char *path, char *error, size_t error_size);
void trace_source_close(struct trace_source *source);

/* Bytes, uncompressed. */
uint64_t trace_source_size(const struct trace_source *source);

/* Copies at most `size` bytes from `offset` to `buffer`. Returns how many (fewer at the end, or before damage), -1 with
 * errno: EIO for a frame that is damaged there. */
int64_t trace_source_read(struct trace_source *source, uint64_t offset, void *buffer, size_t size);

#endif
