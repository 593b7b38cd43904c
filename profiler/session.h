/* The measurement of this process: started by the first hook that fires, closed at exit, started anew in the child of a
 * fork. */
#ifndef PCOMP_SESSION_H
#define PCOMP_SESSION_H

#include "profiler/hot.h"

#include <stdbool.h>

/* Ticks a second, as measured at the start; a power-on guess before. */
extern double session_tick_hz;

/* The deltas in use; what session_start measured or read. */
extern struct pcomp_delta session_delta[PCOMP_VARIANTS];

/* Called by a hook of a thread that has no (valid) struct hot. Starts the session if there is none, gives the thread
 * its struct, and returns it; NULL: not measured (said once on stderr, counted where there is a profile file). Keeps
 * errno. */
struct hot *session_attach(uint64_t sp);

/* Finds the modules with sleds that are loaded now, and leads the sleds to their slots: from then on their first call
 * is a hook. Nothing is started where there are none. When the library is loaded, and after each dlopen. Keeps errno.
 */
void session_meet_sleds(void);

/* In the child of a fork, by the handlers of pthread_atfork: the memory that tells is wiped, also where the kernel does
 * not do that (before Linux 4.14, qemu-user). */
void session_in_child(void);

/* True while a profile is open, in the child of a fork from its own first hook on. */
bool session_runs(void);

/* True once the profile was closed. */
bool session_is_closed(void);

/* Ends measuring and closes the profile, at exit at the latest; nothing where none is open. Keeps errno. */
void session_close(void);

/* Counts a call of which nothing else is kept. */
void session_count_lost(void);

/* Writes "pcomp: WHAT: WHY (ADVICE)\n" to stderr; parts may be NULL. Async-signal-safe. */
void session_say(const char *what, const char *why, const char *advice);

/* Renews what the header knows of the time now. */
void session_touch(void);

#endif
