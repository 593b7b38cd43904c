/* Time off the processor, where rare functions are timed and calls are counted in place. A stretch of
 * LATE_TICKS or more lies between two consecutive timed events (enter or exit of a timed function) of its thread:
 *
 *     enter g          exit g                                 enter g
 *   ─────┴──── g ────────┴──────────── f, which called g ────────┴─────
 *        |◀─ < LATE_TICKS ▶|◀──── LATE_TICKS or more: late_at ──────▶| late: off_cpu_note(f)
 *
 * A late event compares wall time with processor time since the last look. The difference is time off the processor, of
 * the function that was on top meanwhile, and no more than the time since the event before. What lies in shorter
 * stretches is not found: it counts as computing.
 *
 * Of the time off the processor, `ready` is what the thread spent in a run queue. Where the thread gave the processor
 * up by itself at no time, that is all of it; else the kernel's own figure is read where the time is worth the read.
 *
 * Where system calls are slow, as under strace, looks rest: they take about a sixth of the time, and time off the
 * processor between them is not found.
 *
 * By the owning thread, with signals blocked, unless they say otherwise. */
#ifndef PCOMP_PROFILER_OFF_CPU_H
#define PCOMP_PROFILER_OFF_CPU_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* Whether a timed event at tick `now` is late. Signals need not be blocked. */
static inline bool off_cpu_is_due(const struct thread_state *h, uint64_t now)
{
    return now >= h->late_at;
}

/* Node of the innermost timed activation; the thread's root where there is none. */
struct pcomp_node *off_cpu_owner(struct thread_state *h);

/* An event at tick `now`, before any other change that it makes: if it is late, `owner` gets the time off the processor
 * since the event before. Returns how many ticks that took, and how many the reading of samples before was off the
 * processor. */
uint64_t off_cpu_note(struct thread_state *h, struct pcomp_node *owner, uint64_t now);

/* Before an event that may be late changes anything: samples of the kernel are read while it is known of which
 * activation they are. `top`: the innermost one. `owner` gets the time off the processor meanwhile: the time is its
 * own. Signals as they are. */
void off_cpu_catch_up(struct thread_state *h, struct pcomp_frame *top, const struct pcomp_node *owner);

/* Adds ticks to the overhead in the ancestors of `node`. What is too much for a look is ready time of its caller. */
void off_cpu_charge(struct thread_state *h, const struct pcomp_node *node, uint64_t ticks);

/* The time since tick `since`, however long it was, is overhead in the ancestors of `node`; NULL: in those of the
 * innermost activation. What follows on the thread's own stack counts from now on. */
void off_cpu_charge_since(struct thread_state *h, const struct pcomp_node *node, uint64_t since);

/* Both for the quick ways, with signals as they are. Before the enter of `node`, whose caller's frame is `top`, as far
 * as it is late; before a late one of `function`, unless it goes the slow way; after a late exit of `node` at tick
 * `now`. */
void off_cpu_enter(struct thread_state *h, struct pcomp_frame *top, const struct pcomp_node *node);
void off_cpu_enter_late(struct thread_state *h, struct pcomp_frame *top, uint64_t function, uint64_t sp);
void off_cpu_exit(struct thread_state *h, struct pcomp_node *node, uint64_t late_at, uint64_t now);

/* Forgets what was until now: a thread begins, or measuring goes on after a pause. Signals as they are. */
void off_cpu_restart(struct thread_state *h);

/* Of another thread, which is stopped: charges the time until tick `now` to its owner. */
void off_cpu_poll(struct thread_state *h, uint64_t now);

/* The time since tick `begin` is overhead. Where it is so long that the thread may have been off the processor, no
 * function is charged with it. Signals as they are. */
void off_cpu_leave_out(struct thread_state *h, uint64_t begin);

#endif
