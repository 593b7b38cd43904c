/* Recording of events (pcomp record --trace). While it is on, the hooks record ENTER and EXIT here instead of keeping
 * a profile; the interposed functions and the MPI libraries record the rest.
 *
 * Everything acts on the calling thread's location, takes no lock, allocates nothing and keeps errno; a signal handler
 * may interrupt it anywhere. Records that find no room are counted (a LOST record stands where they are missing). */
#ifndef PCOMP_TRACE_H
#define PCOMP_TRACE_H

#include "compensation/trace_event/event.h"

#include "profiler/base/thread_state.h"

#include <stdatomic.h>
#include <stdbool.h>

/* True from when the measurement runs to its end in a process that records a trace. One load: what is interposed tests
 * it before anything else, and calls the real function at once when it is false. */
extern atomic_bool trace_on;

/* Whether a thread that records may do so: true beside trace_on also while the start and the end measure alpha, when
 * what other threads do is not recorded. */
extern bool trace_records;

/* Records an event now; the clock is read in it. False: nothing was recorded (tracing is off or this thread cannot). */
bool trace_event(enum pcomp_event_kind kind, uint64_t value);
bool trace_event_long(enum pcomp_event_kind kind, uint64_t value, uint64_t a, uint64_t b);

/* The calling thread's last event is the end of such an external wait: it ends now. False: it is not. */
bool trace_external_goes_on(enum pcomp_external what);

/* The calling thread is about to end the process without what happens at its exit: what it counted is in its trace. */
void trace_process_leaves(void);

/* The calling thread's own location; NULL: it records none, or not yet. */
struct thread_state *trace_recording_thread(void);

/* The thread ends: releases its cache of filtered functions. */
void trace_filter_end(struct thread_state *h);

/* A function begins or ends: called by the hooks, with their stack address. */
void trace_hook_enter(uint64_t function, uint64_t sp);
void trace_hook_exit(uint64_t function, uint64_t sp);

/* A manual region begins or ends: PCOMP_EVENT_ENTER, PCOMP_EVENT_EXIT. */
void trace_region(const char *name, enum pcomp_event_kind kind);

/* For jumps: the number of open activations, from an arbitrary positive origin, and the return to such a depth. 0 where
 * nothing is recorded. */
uint64_t trace_depth(void);
void trace_restore(uint64_t depth);

/* The calling thread jumped otherwise, as an exception does. */
void trace_jumped(void);

void trace_pause(void);
void trace_resume(void);

/* The calling thread is about to load a library. */
void trace_loads_library(void);

/* Addresses of functions may have got another meaning. */
void trace_forget_functions(void);

/* Between the two, events of this thread other than ENTER and EXIT of the program's functions are not recorded: what a
 * library does inside an operation that is itself recorded (locks inside MPI). Nests. */
void trace_mute(void);
void trace_unmute(void);
bool trace_is_muted(void);

/* Sets how deep the calling thread is muted (trace_mute); returns how deep it was. */
uint32_t trace_set_muted(uint32_t depth);

/* The calling thread, of which a stretch begins (trace_processor.h): records it. */
void trace_stretch_begins(struct thread_state *h);

/* The calling thread ends: what libraries tidy up from now on is no event. False: it does not, after all. */
void trace_set_ended(bool now);

/* A number that no other thread of this process got: for tokens and requests; never 0. */
uint64_t trace_token(void);

#endif
