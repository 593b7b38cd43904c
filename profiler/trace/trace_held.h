/* Held functions of a thread that records a trace (--budget-trace): calls of them are counted, and not recorded.
 *
 * The hooks do that on their way to recording. They look for a node of the function that is called, as where calls are
 * counted (profiler/base/thread_state.h), and record what has none. Here the only nodes are those of held functions, as
 * filtered ones below one root, and the only frames those of their activations: so an exit is that of a held activation
 * when its frame is on top, whatever was recorded in between, and a level once given at an enter binds the exit.
 *
 *   enter f   no node: recorded        frames   | root | f | f | g |
 *   enter g   node: frame, no record                             ^ h->saved_pos
 *
 * Where this needs more than the hooks know they come here: a frame that a jump left behind, an exit at another stack
 * address than the enter's. A released function may have open frames: they get an address that the hooks do not accept.
 *
 * Held functions are those of the thread's own stack: on others (signal stacks, coroutines) all is recorded.
 *
 * UNRECORDED records (compensation/trace_event/event.h) say how many events were not recorded, from one wait, flush or
 * segment to the next: a span. Its record is written when it begins, and filled in while it lasts.
 *
 * Only the owning thread; with signals blocked where it says so. */
#ifndef PCOMP_TRACE_HELD_H
#define PCOMP_TRACE_HELD_H

#include "profiler/base/thread_state.h"

#include "compensation/trace_event/event.h"

#include <stdbool.h>

#define HELD_NODES 1024u /* functions that a thread can hold, ever */

struct held_function {
    uint64_t told;  /* of its calls, in the trace */
    uint64_t since; /* tick of that, or when it was held */
    bool held;
};

struct trace_held {
    struct pcomp_node none; /* thread_state.base: no function */
    struct pcomp_node root;
    struct pcomp_node nodes[HELD_NODES]; /* never of another function again: a hook may be about to use one */
    struct held_function functions[HELD_NODES];
    uint32_t count, held;   /* nodes; functions that are held now */
    uint32_t told;          /* node that is told next */
    uint64_t stack;         /* an address in the thread's own stack; 0: it is known */
    uint64_t resting;       /* saved_pos during a pause */
    int64_t armed;          /* hooks so far are this less h->budget */
    struct trace_span span; /* of events not recorded */
    /* Of the process's budget (profiler/trace/trace_levels.c): */
    uint64_t generation;         /* of the levels, as applied */
    uint64_t tallied, looked;    /* bytes; tick */
    uint64_t scanned;            /* cursor up to which records were looked at */
    uint64_t seen[HELD_NODES];   /* calls, at the last look */
    uint64_t reported;           /* tick at which calls were reported */
    struct pcomp_frame frames[]; /* behind them, the tables */
};

/* Gives the thread what it needs to hold functions. False: no memory; then it holds none. */
bool trace_held_begin(struct thread_state *h);
void trace_held_end(struct thread_state *h);

/* Holds a function from its next enter on; records it again. Signals blocked. False: it cannot be. */
bool trace_held_hold(struct thread_state *h, uint64_t function, uint64_t now);
void trace_held_release(struct thread_state *h, uint64_t function);

/* What a hook at `sp` does that came to C. False: the event is to be recorded. */
bool trace_held_enter(struct thread_state *h, uint64_t function, uint64_t sp);
bool trace_held_exit(struct thread_state *h, uint64_t function, uint64_t sp);

/* The next hook comes to C: after a jump, or, from another thread, when the process ends. */
void trace_held_alarm(struct thread_state *h);

/* A hook neither recorded nor held what it was called for; something was recorded that was no hook's. */
static inline void trace_held_uncount(struct thread_state *h)
{
    if (h->tracing.held)
        __atomic_sub_fetch(&h->tracing.held->armed, 1, __ATOMIC_RELAXED);
}

static inline void trace_held_count(struct thread_state *h)
{
    if (h->tracing.held)
        __atomic_add_fetch(&h->tracing.held->armed, 1, __ATOMIC_RELAXED);
}

/* The hooks come to C after so many events. */
void trace_held_arm(struct thread_state *h, int64_t events);

/* During a pause nothing is counted. */
void trace_held_rest(struct thread_state *h);
void trace_held_go_on(struct thread_state *h);

/* Open activations of node `i`. */
uint64_t trace_held_open(const struct thread_state *h, uint32_t i);

/* The span lasts until `now`, and its records until `cursor`; `ends`: another one begins behind it, if it is of any
 * events. */
void trace_held_span_update(struct thread_state *h, uint64_t now, uint64_t cursor, bool ends);

/* A span begins now, behind the last record; it has the record of the one before if that was of no events. No longer
 * if a handler has recorded something: then none begins. */
void trace_held_span_begin(struct thread_state *h, uint64_t now, uint64_t cursor);

#endif
