/* Records that threads leave when they end, and that later threads go on with, so that the profile of a program that
 * starts threads without end is bounded by those that run at a time. The first threads have records of their own, and
 * those whose function is not known: of static programs, and under a sanitizer. */
#ifndef PCOMP_ENDED_THREADS_H
#define PCOMP_ENDED_THREADS_H

#include "profiler/base/thread_state.h"
#include "profiler/control/stack_samples.h"

#include <stdbool.h>

#define ENDED_THREADS_OWN 1000u /* records that no other thread goes on with */

/* Keeps the record, the call paths and the sampled stacks of a thread that has ended; h and samples are without them
 * then. start: address of the thread's function, 0: not known. False: not kept, nothing changed. Signals blocked. */
bool ended_thread_keep(struct thread_state *h, uint64_t start, struct stack_samples *samples);

/* Gives h those of a thread that the same node created (`creator`: as in its record) to run the same function; of any
 * thread where that is not known yet, because a signal's handler comes first. False: there are none. Signals blocked.
 */
bool ended_thread_take(struct thread_state *h, uint64_t creator, uint64_t start, struct stack_samples *samples);

/* Child of a fork. */
void ended_threads_forget(void);

#endif
