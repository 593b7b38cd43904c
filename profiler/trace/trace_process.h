/* Where recording begins and ends for a process and its threads. */
#ifndef PCOMP_TRACE_PROCESS_H
#define PCOMP_TRACE_PROCESS_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* After the profile was opened: threads that begin record. trace_on follows when the session runs, so that no thread
 * records one half of a pair of events and not the other. Signals blocked. */
void trace_process_start(void);

/* After its threads were closed. Returns the number of events recorded. Signals blocked. */
uint64_t trace_process_end(void);

/* A thread's beginning and end, by itself; and its end at the exit of the process, by another. Signals blocked. Who
 * joins the thread waits for all that it does until it is gone: that is no time of the program up to its END, which
 * trace_thread_ended() records, as the last thing that is done for the thread. */
void trace_thread_start(struct thread_state *h);
void trace_thread_end(struct thread_state *h);
void trace_thread_ended(struct thread_state *h);
void trace_thread_close(struct thread_state *h);

/* The calling thread, just begun, is the one created under `token` (CREATE): records its START now, and its END where
 * its location is closed at the thread's end. */
void trace_thread_begins(uint64_t token);

/* The same for a pool thread's part of a parallel region, whose END its runtime tells. */
void trace_region_begins(uint64_t token);

/* The calling thread is that of a forked child: its START is recorded, as of now, when it records something. */
void trace_child_begins(uint64_t token);

/* This process is `rank` of `world`. Any thread. */
void trace_set_rank(int rank, int world);

/* As pcomp_trace_protocols() of instrument/trace_api.h. */
void trace_set_protocols(uint64_t eager_max, uint64_t rendezvous_min);

/* As pcomp_trace_offset() of instrument/trace_api.h. */
void trace_set_offset(int which, uint64_t tick, int64_t offset, uint64_t error);

#endif
