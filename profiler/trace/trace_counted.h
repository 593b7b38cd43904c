/* What a thread's trace says of functions that are counted in place (trace_counts.h decides which): how many of their
 * calls came to pass between two of its events (PCOMP_EVENT_CALLS), and which functions it knows to be counted.
 *
 * The owning thread only, unless said otherwise. */
#ifndef PCOMP_TRACE_COUNTED_H
#define PCOMP_TRACE_COUNTED_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* A hook comes to C after so many bytes of records, at the latest: to look whether functions are called too often. */
#define TRACE_COUNTED_LOOK (512 * sizeof(struct pcomp_event))

/* Once a session, also in the child of a fork: no function has fallen. False: no memory. */
bool trace_counted_start(void);

/* The functions that have fallen, in order; any thread. Those from trace_counted_fell() on are not seen yet. */
uint64_t trace_counted_fell(void);
uint32_t trace_counted_function(uint64_t which);
void trace_counted_put(uint64_t which, uint32_t function);
void trace_counted_publish(uint64_t count);

/* Calls of the functions from `first` on, of all threads of the counters `own`. */
int64_t trace_counted_calls(const struct counts_owner *own, uint64_t first, uint64_t end);

/* Functions have fallen of which the thread's trace does not know. */
bool trace_counted_is_behind(const struct thread_state *h);

/* Summing up the calls of many functions takes long: the stretch of time that began last goes on. */
bool trace_counted_goes_on(const struct thread_state *h, uint64_t now);

/* Where hooks come to C at the latest; `limit`: of the segment. */
uint64_t trace_counted_limit(const struct thread_state *h, uint64_t limit);

/* A sample of the thread: its next hook ends the stretch of time. For a handler. */
void trace_counted_sampled(struct thread_state *h);

/* The stretch of time that the calls are of ends at `now`, in front of the record at `cursor`; another one begins. */
void trace_counted_span_update(struct thread_state *h, uint64_t now, uint64_t cursor, bool ends);
void trace_counted_span_begin(struct thread_state *h, uint64_t now, uint64_t cursor);

#endif
