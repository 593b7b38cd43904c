/* Threads: their struct thread_state and their record in the profile file. */
#ifndef PCOMP_THREADS_H
#define PCOMP_THREADS_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* Prepares thread-end notification; once a session. */
void threads_start(void);

/* The calling thread begins: its end will be seen also where it is measured late. */
void thread_expect_end(void);

/* A measured thread for the caller, whose stack pointer is `sp`; NULL: no memory. Signals blocked. */
struct thread_state *thread_begin(uint64_t sp);

/* Closes the thread's open activations and its record. Called at its end, or for the thread that runs exit. */
void thread_finish(struct thread_state *h);

/* Parks every thread that is not in a slow hook: later hooks take the slow path and find the profile closed. False: a
 * thread was in one. May be called again: a hook under way may undo it. */
bool threads_stop_all(void);

/* After that, once, where calls are counted in place: until tick `now` the threads waited, were ready or computed. */
void threads_poll_off_cpu(uint64_t now);

/* After that, once: traces of threads that run end. */
void threads_close_all(void);

/* Renews CPU time, switches and name of the calling thread in its record. */
void thread_read_usage(struct thread_state *h);

/* Child of a fork. */
void threads_forget(void);

/* The node that is active in the calling thread now, for the threads it creates; 0 none. */
uint64_t thread_active_node(void);

/* The next thread to begin here was created by `node`, to run the function at address `start`. */
void thread_set_creator(uint64_t node, uint64_t start);

#endif
