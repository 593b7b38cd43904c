/* --budget-trace: keeps what all threads record within so many bytes a second, by holding the functions that are called
 * most (profiler/trace/trace_held.h; which ones, compensation/control/trace_budget.h decides).
 *
 * There is no thread for it: every thread looks after some thousand of its hooks, adds what it has recorded and counted
 * to the sums of the process, lets them be decided upon, and holds or releases what has been decided. A thread that
 * calls nothing need not look. The calling thread only, unless it says otherwise. */
#ifndef PCOMP_TRACE_LEVELS_H
#define PCOMP_TRACE_LEVELS_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* A process begins to record, also the child of a fork. */
void trace_levels_process_start(void);

/* The thread's file was begun. */
void trace_levels_thread_start(struct thread_state *h);

/* Before its file is ended: tells what was counted since the last time. `own`: by the thread itself. Signals blocked.
 */
void trace_levels_thread_end(struct thread_state *h, bool own);

/* A hook that came to C. False: it is to be recorded. */
bool trace_levels_hook(struct thread_state *h, uint64_t function, uint64_t sp, bool exit);

#endif
