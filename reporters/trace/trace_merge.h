/* The events of several locations as one sequence, in order of time: at equal times, the location named first is first.
 *
 * Holds one buffer a location, 64 MiB in all, whatever the length. Not thread-safe on one merge. */
#ifndef PCOMP_TRACE_MERGE_H
#define PCOMP_TRACE_MERGE_H

#include "compensation/trace_event/event.h"

#include <stdbool.h>
#include <stddef.h>

struct trace_directory;
struct trace_merge;

struct trace_feed {
    void *context;
    /* As trace_directory_read: bytes of whole records at most `most`, 0 at the end, -1 after writing to error. */
    int64_t (*read)(void *context, uint32_t location, void *buffer, size_t max, char *error, size_t error_size);
};

/* The traces of a directory as a feed. It must outlive it, and every file be at its first record. */
struct trace_feed trace_feed_of(struct trace_directory *directory);

/* Begins with the first events of `count` locations, which are listed in `locations` (copied). NULL after writing to
 * error. */
struct trace_merge *trace_merge_open(const struct trace_feed *feed, const uint32_t *locations, uint32_t count,
                                     char *error, size_t error_size);
void trace_merge_close(struct trace_merge *merge);

enum trace_next { TRACE_NEXT_EVENT, TRACE_NEXT_END, TRACE_NEXT_FAILED };

/* The next event: *which is the position of its location in the list; *event, of which a and b are there in long
 * kinds only, is valid until the next call. FAILED after writing to the error of trace_merge_open, which is kept. */
enum trace_next trace_merge_next(struct trace_merge *merge, uint32_t *which, const struct pcomp_event_long **event);

#endif
