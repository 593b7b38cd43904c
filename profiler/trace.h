/* Recording of events (pcomp record --trace). While it is on, the hooks record ENTER and EXIT here instead of keeping
 * a profile; the interposed functions and the MPI libraries record the rest.
 *
 * Everything acts on the calling thread's location, takes no lock, allocates nothing and keeps errno; a signal handler
 * may interrupt it anywhere. Records that find no room are counted (a LOST record stands where they are missing). */
#ifndef PCOMP_TRACE_H
#define PCOMP_TRACE_H

#include "compensation/replay/event.h"

#include <stdatomic.h>
#include <stdbool.h>

/* True from when the measurement runs to its end in a process that records a trace. One load: what is interposed tests
 * it before anything else, and calls the real function at once when it is false. */
extern atomic_bool trace_on;

/* Records an event now; the clock is read in it. False: nothing was recorded (tracing is off or this thread cannot). */
bool trace_event(enum pcomp_event_kind kind, uint64_t value);
bool trace_event_long(enum pcomp_event_kind kind, uint64_t value, uint64_t a, uint64_t b);

/* The calling thread, just begun, is the one created under `token` (CREATE): records its START now, and its END where
 * its location is closed at the thread's end. */
void trace_thread_begins(uint64_t token);

/* The same for a pool thread's part of a parallel region, whose END its runtime tells. */
void trace_region_begins(uint64_t token);

/* A function begins or ends: called by the hooks, with their stack address. */
void trace_hook_enter(uint64_t function, uint64_t sp);
void trace_hook_exit(uint64_t function, uint64_t sp);

/* Between the two, events of this thread other than ENTER and EXIT of the program's functions are not recorded: what a
 * library does inside an operation that is itself recorded (locks inside MPI). Nests. */
void trace_mute(void);
void trace_unmute(void);
bool trace_is_muted(void);

/* A number that no other thread of this process got: for tokens and requests; never 0. */
uint64_t trace_token(void);

#endif
