/* Time that a traced thread was ready and had no processor, where threads outnumber processors: a PREEMPTED record at
 * the beginning of each stretch between two waits, completed at its end.
 *
 *   exit of a wait   PREEMPTED a, b  ─────── runs, is preempted, runs ───────▶  PREEMPTED   enter of the next wait
 *                                    │◀───────── b ticks, a without ────────▶│
 *
 * The kernel tells both: whether the thread lost its processor (involuntary context switches), and its processor time.
 * By the owning thread, which records. */
#ifndef PCOMP_TRACE_PROCESSOR_H
#define PCOMP_TRACE_PROCESSOR_H

#include "profiler/base/thread_state.h"

#include "compensation/trace_event/event.h"

#include <stdbool.h>

/* More threads of this process record than there are processors. */
extern bool trace_processors_lack;

static inline bool trace_processors_are_short(void)
{
    return __atomic_load_n(&trace_processors_lack, __ATOMIC_RELAXED);
}

/* A process begins, also the child of a fork. Returns the number of processors that it may use; 0: not known. */
uint32_t trace_processor_process_start(void);

/* A thread that records has begun: returns whether its stretches are recorded from the first one on; and ends. */
bool trace_processor_thread_starts(struct thread_state *h);
void trace_processor_thread_ends(void);

/* A record was written at address `at`. */
static inline void trace_processor_recorded(struct thread_state *h, uint64_t at)
{
    h->tracing.stretch.before = h->tracing.stretch.record;
    h->tracing.stretch.record = at;
}

/* With the last record a stretch has begun; the one that the record before began has ended. */
void trace_processor_begins(struct thread_state *h);
void trace_processor_ends(struct thread_state *h);

/* The segment with the record of the stretch is left, or the thread ends, at tick `now`: completes the record. Returns
 * whether another one has to follow in the next segment, which trace_processor_follows() writes there. */
bool trace_processor_leaves(struct thread_state *h, uint64_t now);
void trace_processor_follows(struct thread_state *h);

static inline bool trace_processor_begins_wait(enum pcomp_event_kind kind)
{
    return kind == PCOMP_EVENT_BARRIER_ENTER || kind == PCOMP_EVENT_LOCK_WAIT || kind == PCOMP_EVENT_SEM_WAIT ||
           kind == PCOMP_EVENT_COND_WAIT || kind == PCOMP_EVENT_JOIN_BEGIN || kind == PCOMP_EVENT_STREAM_READ ||
           kind == PCOMP_EVENT_EXTERNAL_BEGIN;
}

#endif
