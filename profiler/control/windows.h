/* Sampled functions: their sites are off, and on in windows at random moments, from which their calls are known +-
 * (compensation/control/window_plan.h, compensation/estimate/window_calls.h). Polls of levels (levels.h) open
 * and close windows; the sums are in the profile at any time (PCOMP_CHUNK_WINDOWS).
 *
 * Functions are called with the lock of the levels, signals blocked, unless they say otherwise. */
#ifndef PCOMP_WINDOWS_H
#define PCOMP_WINDOWS_H

#include "compensation/estimate/window_reference.h"

#include <stdbool.h>
#include <stdint.h>

/* The program's progress: its processor time, what measuring took of that, the counters of all functions, and what it
 * did besides (messages, synchronisation) that is recorded in windows and between them. */
struct progress {
    double seconds, overhead;
    struct pcomp_window_cost taken; /* the overhead, with calls counted in place at the same price all along; ... */
    struct pcomp_window_overhead expected; /* ... and what is known of the difference but for windows */
    const uint64_t *calls;
    uint32_t count; /* functions */
    uint64_t operations;
};

/* Once a session. False: no memory; then no function may be sampled. share: of the program's time that windows may
 * cost. */
bool windows_start(double share);

/* A function whose calls were counted until now, at a recent rate (calls a second), is sampled from now on. False: no
 * memory. */
bool windows_sample(uint32_t function, const struct progress *now, double rate);

/* It is counted again. */
void windows_count(uint32_t function, const struct progress *now);

/* What is known of its calls. Of one that was never sampled, its counter. */
uint64_t windows_calls(uint32_t function, const struct progress *now);

/* Opens or closes a window if that is due; sites wait for sites_resolve. Returns whether sites are to be turned. Not at
 * moments that the program has a hand in: windows that begin and end with calls of a function would see some of its
 * phases and not others. */
bool windows_poll(const struct progress *now);

/* The sites that windows_poll said are to be turned are turned now: the look took so long, seconds, which is overhead
 * already. */
void windows_switched(const struct progress *now, double took);

/* Whether sites of sampled functions are off now. Any thread, without the lock. */
bool windows_leave_out(void);

/* Price of a call counted in place from windows and the gaps on both sides of them: how far the program comes is told
 * by the functions that are counted in both, and by operations. */
struct pcomp_price windows_price(void);

/* Around changes of levels: closes the window that may be open. sampled_ones: functions will be sampled, or counted
 * again; then windows_after_change follows, once for all of them. */
void windows_before_change(const struct progress *now, bool sampled_ones);
void windows_after_change(const struct progress *now);

/* Seconds of own time from `now` to the next change; a great number: none. */
double windows_next(const struct progress *now);

/* Share of the program's time that windows cost, for the machine of the levels. */
double windows_cost(const struct progress *now);

/* The profile ends: what is left of the last gap is added. */
void windows_end(const struct progress *now);

#endif
