/* The measured threads: their struct thread_state, and the list of all. */
#ifndef PCOMP_THREAD_LIST_H
#define PCOMP_THREAD_LIST_H

#include "profiler/base/thread_state.h"

/* A struct thread_state in a page that is wiped in a forked child, zeroed; NULL: no memory. */
struct thread_state *thread_state_new(void);
void thread_state_free(struct thread_state *h);

/* Points current_thread to the struct that threads without one of their own share. */
void thread_state_leave(void);

/* A thread begins to be measured, or ends. Signals blocked. */
void thread_list_add(struct thread_state *h);
void thread_list_remove(const struct thread_state *h);

/* Calls `visit` for every thread in the list, under its lock. Signals blocked. */
void thread_list_each(void (*visit)(struct thread_state *h, void *context), void *context);

/* Processor time of the process up to this moment, seconds. The kernel brings that of threads that run on other
 * processors up to date at their ticks alone, each 1 to 10 ms, which is as long as a window: those of
 * THREAD_LIST_CLOCKS_MAX threads are asked first, 0.7 us each. Signals blocked. */
#define THREAD_LIST_CLOCKS_MAX 64
double thread_list_processor_seconds(void);

/* Child of a fork: no thread is measured. */
void thread_list_forget(void);

#endif
