/* Functions of a traced process that are called too often for its trace: their sites count from then on (profiler/code/
 * sites/sites.h), and the trace says how many calls came to pass between two of its events (PCOMP_EVENT_CALLS).
 *
 * The threads look at that by themselves, after some hundred recorded calls and at samples (profiler/control/levels.h).
 * A function falls for good; one that is too hot for the limit is then counted in windows alone. It has fallen when its
 * sites are switched; then every thread is made to look before its next event, and says so in its trace
 * (PCOMP_EVENT_COUNTED).
 *
 * How often each function was called, the counters and windows of the profile say (profiler/base/counts.h). */
#ifndef PCOMP_TRACE_COUNTS_H
#define PCOMP_TRACE_COUNTS_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* Once a session, when calls are counted in place. */
void trace_counts_process_start(void);

/* The thread's file was begun, or ended. Signals blocked. */
void trace_counts_thread_start(struct thread_state *h);
void trace_counts_thread_end(struct thread_state *h);

/* A hook that came to C, of a call that was counted in place, in a thread whose calls are. True: the function is only
 * counted, and the event is not recorded. */
bool trace_counts_hook(struct thread_state *h, uint64_t function);

/* Of functions that have fallen, of all threads; the few calls that were recorded before among them. Signals blocked.
 */
struct trace_counts_sum {
    double calls;
    double kept; /* round trips to the stack of values in vector registers, around the hook calls of these */
};
struct trace_counts_sum trace_counts_sum(void);

#endif
