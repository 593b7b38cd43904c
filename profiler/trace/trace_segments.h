/* The trace file of a thread: one segment of it is mapped and written, the next one is made when it is full.
 *
 * Room is reserved and pages are there before a record is written, so that a full disk or a limit is found here and
 * never by a hook. No descriptor stays open: the file is opened by its absolute path for each segment. All functions
 * are called with signals blocked, by the thread itself unless they say otherwise. */
#ifndef PCOMP_TRACE_SEGMENTS_H
#define PCOMP_TRACE_SEGMENTS_H

#include "profiler/base/thread_state.h"
#include "profiler/format/trace_format.h"

#include <stdbool.h>

#define TRACE_NO_BUDGET (INT64_MAX / 2) /* of struct thread_state: hooks come to C for no budget's sake */

/* What the headers of all files of this process have; filled in before the first is made. */
extern struct pcomp_trace_header trace_header;

/* Standard deviation of alpha, 1/1024 tick; goes into the segments. */
extern uint64_t trace_alpha_spread;

/* Measures what an ENTER or an EXIT costs now (trace_calibrate_in_place); NULL: it is not measured again. A pointer,
 * since what measures it records events, which is above this. Set by trace_in_place_start. */
extern int64_t (*trace_alpha_now)(void);

/* A process, also the child of a fork, has no files yet. */
void trace_segments_start(void);

/* Makes the thread's file and its first segment. False: nothing can be recorded (said in header.stopped). */
bool trace_file_begin(struct thread_state *h);

/* Begins another segment; the old one ends with FLUSH_BEGIN at tick `begin`. False: it ends with LOST, since nothing
 * more can be kept. */
bool trace_next_segment(struct thread_state *h, uint64_t begin);

/* Where tracing.limit was reached before the end of the segment: a flush from tick `begin` in which alpha is measured
 * again. False: there is no room for that and `size` bytes more. */
bool trace_look_again(struct thread_state *h, uint64_t begin, uint64_t size);

/* Writes long records, whose times are `begin`, in a flush from that tick on; begins another segment if need be. False:
 * nothing more can be kept. */
bool trace_write_notes(struct thread_state *h, uint64_t begin, const struct pcomp_event_long notes[], uint32_t count);

/* The same of short records; of none, the flush alone. */
bool trace_write_marks(struct thread_state *h, uint64_t begin, const struct pcomp_event marks[], uint32_t count);

/* The thread ends: what it does from tick `begin` on is a flush, and behind that is the place of its END, which
 * trace_write_end() fills, in the file alone, when nothing is mapped any more. */
void trace_keep_end(struct thread_state *h, uint64_t begin);
void trace_write_end(const struct thread_state *h);

/* Ends the file. `own`: called by the thread, for which nothing stays mapped; else it may run, its last writes are
 * lost. Returns the number of records in the file. */
uint64_t trace_file_end(struct thread_state *h, bool own);

/* Bytes of records that the thread has written. By itself, while it has a segment. */
static inline uint64_t trace_bytes(const struct thread_state *h)
{
    return h->tracing.written + h->trace_cursor - (uint64_t)(uintptr_t)(h->tracing.segment + 1);
}

/* The hooks of the thread record without ado as far as they may. */
void trace_set_limits(struct thread_state *h);

/* Makes `h` record into memory that ends at `end`, as its thread would. */
void trace_calibrating(struct thread_state *h, uint64_t end);

/* Counts a record that cannot be kept. */
void trace_count_lost(struct thread_state *h);

/* Copies trace_header's rank, clock offsets and alphas to all files that there are. Any thread. */
void trace_headers_renew(void);

#endif
