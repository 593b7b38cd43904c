/* The run of this process: its state, and the facts that its start finds out and all layers above read. Written by
 * process/ alone. Any thread, unless a function says otherwise. */
#ifndef PCOMP_RUN_H
#define PCOMP_RUN_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

enum run_state { RUN_NONE, RUN_RUNNING, RUN_FAILED, RUN_CLOSED };
extern enum run_state run_state;

/* Ticks a second, as measured at the start; a power-on guess before. */
extern double run_tick_hz;

/* The deltas in use; measured or read at the start. */
extern struct pcomp_delta run_delta[PCOMP_VARIANTS];

/* Header of the profile, also while a scratch store is in use; NULL until the profile is open. */
extern struct pcomp_header *run_header;

/* Processor time that beginning and ending the measurement of threads took, of all threads, ns. Atomic. */
extern uint64_t run_threads_ns;

/* The program has forbidden itself system calls (process/lock_in.h): measuring has ended for good. */
extern bool run_locked_in;

/* Called by a hook of a thread that has no (valid) struct thread_state. Starts the run if there is none, gives the
 * thread its struct, and returns it; NULL: not measured (said once on stderr, counted where there is a profile file).
 * Keeps errno. process/session.c defines it: a pointer, so that no layer below process/ includes that one, and
 * constant, so that it leads there before any constructor has run. */
extern struct thread_state *(*const run_attach)(uint64_t sp);

/* True while a profile is open, in the child of a fork from its own first hook on. */
bool run_is_on(void);

/* True once the profile was closed. */
bool run_is_closed(void);

/* Counts a call of which nothing else is kept. */
void run_count_lost(void);

/* Renews the header's last pair of tick and time. */
void run_touch(void);

/* Writes "pcomp: WHAT: WHY (ADVICE)\n" to stderr; parts may be NULL. Async-signal-safe. */
void run_say(const char *what, const char *why, const char *advice);

/* Marks the memory of this process as its own, in a page that is wiped in the child of a fork. Once a process, and in
 * each child. False: no memory. */
bool run_mark_process(void);

/* In the child of a fork, by the handlers of pthread_atfork: wipes the mark, also where the kernel does not (before
 * Linux 4.14, qemu-user). */
void run_wipe_mark(void);

/* Whether this is the child of a fork that has not taken over yet. */
bool run_is_new_child(void);

/* Takes over in such a child: calls `forget` once, though its first hooks may run in several threads at the same time.
 * The locks are of no use before: a thread of the parent may have held them. */
void run_become_child(void (*forget)(void));

#endif
