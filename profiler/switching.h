/* Turning all hooks of a running program off and on, and what that means to its threads' profiles.
 *
 *   sites      on ──────────────────┐off ···················┌ on ──────────
 *   counted    ──────────────────┐  |                       |  ┌───────────
 *                            halt|◀─|────── off_ticks ──────|─▶|
 *
 * Counting stops before the first site changes, and begins when all are on: while they change, some ten thousand one
 * after the other, a part of the calls would be counted of a time that is as long as a burst. Hooks that run while they
 * are off (of calls that are no sites, or during a switch) return at once. All threads stop and start at the same two
 * ticks, but for one whose hook is under way when counting stops: what it was in is not known, and its time until the
 * next hook is counted with the time off. The first hook that a thread meets
 * when they are on again repairs its shadow stack (profiler/stack_repair.h).
 *
 * switching_turn is called by one thread at a time, with signals blocked, and which meets no hooks. */
#ifndef PCOMP_SWITCHING_H
#define PCOMP_SWITCHING_H

#include "profiler/hot.h"

#include <stdbool.h>

/* Hooks are off, or being switched. */
extern bool switching_off;

/* Whether hooks were ever off in this process: exits may come without their enters, and the reverse. */
extern bool switching_used;

/* Stops counting; the sites are still on, and nothing but switching_turn may follow. Returns the tick at which that was
 * done. */
uint64_t switching_halt(void);

/* Turns the hooks off, or on. Returns the tick at which counting stopped, or began. */
uint64_t switching_turn(bool on);

/* While they are off: sites that are held now (sites_hold_enters) go on. */
void switching_renew(void);

/* Child of a fork: hooks are on. */
void switching_fork(void);

/* For a slow hook of the thread: true when it is to return at once. */
static inline bool switching_ignores(struct hot *h)
{
    if (__builtin_expect(!__atomic_load_n(&switching_off, __ATOMIC_ACQUIRE), 1))
        return false;
    h->budget = 0; /* the next one comes here, too */
    h->thread->off_events++;
    return true;
}

#endif
