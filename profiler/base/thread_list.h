/* The measured threads: their struct hot, and the list of all. */
#ifndef PCOMP_THREAD_LIST_H
#define PCOMP_THREAD_LIST_H

#include "profiler/base/hot.h"

/* A struct hot in a page that is wiped in a forked child, zeroed; NULL: no memory. */
struct hot *hot_new(void);
void hot_free(struct hot *h);

/* Points hot_thread to the struct that threads without one of their own share. */
void hot_leave(void);

/* A thread begins to be measured, or ends. Signals blocked. */
void thread_list_add(struct hot *h);
void thread_list_remove(const struct hot *h);

/* Calls `visit` for every thread in the list, under its lock. Signals blocked. */
void thread_list_each(void (*visit)(struct hot *h, void *context), void *context);

/* Child of a fork: no thread is measured. */
void thread_list_forget(void);

#endif
