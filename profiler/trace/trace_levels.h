/* --budget-trace: keeps the records of all threads within a number of bytes a second. It suppresses the functions with
 * the most calls (profiler/trace/trace_suppressed.h); compensation/control/trace_budget.h chooses them.
 *
 * There is no thread for it. Each thread polls after some hundred of its hooks: it adds its records and counts to the
 * sums of the process, has the functions chosen when that is due, and suppresses or records what was chosen. A thread
 * without calls need not poll. The calling thread only, unless it says otherwise. */
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
