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

/* Child of a fork: no thread is measured. */
void thread_list_forget(void);

#endif
