/* Suppressed functions of a thread that records a trace (--budget-trace): their calls are counted, and not recorded.
 *
 * A recording hook first looks up a node of the function, as where calls are counted (profiler/base/thread_state.h),
 * and records the event where there is none. Only suppressed functions have nodes here, all below one root, and only
 * their activations have frames. An exit belongs to a suppressed activation when the frame of its function is on top,
 * whatever was recorded in between: the level that an enter found is also that of its exit.
 *
 *   enter f   no node: recorded        frames   | root | f | f | g |
 *   enter g   node: frame, no record                             ^ h->saved_pos
 *
 * Two cases need more than the hooks' own look-up and are handled here: a frame that a jump left behind, and an exit at
 * another stack address than its enter. A function that is recorded again may have open frames: these get an address
 * that the hooks do not accept.
 *
 * Only calls on the thread's own stack are suppressed; on signal stacks and in coroutines all are recorded.
 *
 * UNRECORDED records (compensation/trace_event/event.h) have the number of events that were not recorded, from one
 * wait, flush or segment to the next: a span. The record is written when the span begins, and updated while it lasts.
 *
 * Only the owning thread; with signals blocked where it says so. */
#ifndef PCOMP_TRACE_SUPPRESSED_H
#define PCOMP_TRACE_SUPPRESSED_H

#include "profiler/base/thread_state.h"

#include "compensation/trace_event/event.h"

#include <stdbool.h>

#define SUPPRESSED_NODES 1024u /* functions that a thread can suppress, ever */

struct suppressed_function {
    uint64_t reported; /* calls that the trace's records report */
    uint64_t since;    /* tick of the last such record, or of the begin of suppression */
    bool suppressed;
};

struct trace_suppressed {
    struct pcomp_node none; /* thread_state.base: no function */
    struct pcomp_node root;
    struct pcomp_node nodes[SUPPRESSED_NODES]; /* never of another function again: a hook may be about to use one */
    struct suppressed_function functions[SUPPRESSED_NODES];
    uint32_t count, suppressed; /* nodes; functions that are suppressed now */
    uint32_t next_reported;     /* index of the node whose calls are reported next */
    uint64_t stack;             /* an address in the thread's own stack; 0: it is known */
    uint64_t paused_pos;        /* saved_pos during a pause */
    int64_t armed;              /* hooks so far are this less h->budget, ... */
    bool arming;                /* ... but while both change */
    struct trace_span span;     /* of events not recorded */
    /* Of the process's budget (profiler/trace/trace_levels.c): */
    uint64_t generation;             /* of the levels, as applied */
    uint64_t tallied, polled;        /* at the last poll: bytes; tick */
    uint64_t scanned;                /* cursor up to which records are in the budget */
    uint64_t seen[SUPPRESSED_NODES]; /* calls at the last poll */
    uint64_t reported;               /* tick at which calls were reported */
    struct pcomp_frame frames[];     /* behind them, the tables */
};

/* Gives the thread memory to suppress functions. False: no memory; then it suppresses none. */
bool trace_suppressed_begin(struct thread_state *h);
void trace_suppressed_end(struct thread_state *h);

/* Holds a function from its next enter on; records it again. Signals blocked. False: it cannot be. */
bool trace_suppressed_add(struct thread_state *h, uint64_t function, uint64_t now);
void trace_suppressed_remove(struct thread_state *h, uint64_t function);

/* What a hook at `sp` does that came to C. False: the event is to be recorded. */
bool trace_suppressed_enter(struct thread_state *h, uint64_t function, uint64_t sp);
bool trace_suppressed_exit(struct thread_state *h, uint64_t function, uint64_t sp);

/* The next hook comes to C: after a jump, or, from another thread, when the process ends. */
void trace_suppressed_interrupt(struct thread_state *h);

/* A hook has neither recorded nor suppressed its event; an event that is no hook's was recorded. */
static inline void trace_suppressed_uncount(struct thread_state *h)
{
    if (h->tracing.suppressed)
        __atomic_sub_fetch(&h->tracing.suppressed->armed, 1, __ATOMIC_RELAXED);
}

static inline void trace_suppressed_count(struct thread_state *h)
{
    if (h->tracing.suppressed)
        __atomic_add_fetch(&h->tracing.suppressed->armed, 1, __ATOMIC_RELAXED);
}

/* The hooks come to C after so many events. */
void trace_suppressed_poll_after(struct thread_state *h, int64_t events);

/* During a pause nothing is counted. */
void trace_suppressed_pause(struct thread_state *h);
void trace_suppressed_resume(struct thread_state *h);

/* Open activations of node `i`. */
uint64_t trace_suppressed_open(const struct thread_state *h, uint32_t i);

/* The span lasts until `now`, and its records until `cursor`; `ends`: another one begins behind it, if it is of any
 * events. */
void trace_suppressed_span_update(struct thread_state *h, uint64_t now, uint64_t cursor, bool ends);

/* A span begins now, behind the last record; it has the record of the one before if that was of no events. No longer
 * if a handler has recorded something: then none begins. */
void trace_suppressed_span_begin(struct thread_state *h, uint64_t now, uint64_t cursor);

#endif
