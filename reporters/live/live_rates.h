/* What a program does a second: the difference of two snapshots of its profile. Pure arithmetic.
 *
 * Times are nanoseconds, in rates nanoseconds a second; NAN is unknown. Compensated times are estimates over the whole
 * run, and later samples correct earlier ones. A value that went back by more than its ± is such a correction and no
 * rate: unknown. The ± of a rate: errors of prices grow with the time that they are of, so that the difference is that
 * of both ±; samples of one second err for themselves, by the root of their number. */
#ifndef PCOMP_LIVE_RATES_H
#define PCOMP_LIVE_RATES_H

#include "reporters/live/live_snapshot.h"

struct live_figures {
    double calls, calls_half;
    double raw, compensated, half; /* half: of compensated */
    double computing, waiting, ready;
    double period; /* of computing, one sample stands for it; 0: it is clocked */
};

/* The figures of a function, a thread, a pair of caller and callee, all threads, since the start of the run. */
struct live_figures live_function_figures(const struct call_tree *tree, uint32_t function, bool inclusive);
struct live_figures live_thread_figures(const struct call_tree *tree, size_t thread);
struct live_figures live_edge_figures(const struct call_tree *tree, const struct call_edge *edge);
struct live_figures live_total_figures(const struct call_tree *tree);

/* From one to the other, a second. before: NULL where there was none yet (it began in between). seconds > 0. */
struct live_figures live_rate(const struct live_figures *before, const struct live_figures *now, double seconds);

/* Seconds of the program's time from one snapshot to the other; NAN where they cannot be compared: nothing lies
 * between, or a process of the first is not in the second (another run, a profile that is gone). */
double live_seconds_between(const struct live_snapshot *before, const struct live_snapshot *now);

#define LIVE_NONE UINT32_MAX

/* For each function of `now` that of `before` (LIVE_NONE: it was not there); malloc'ed, NULL: out of memory. Functions
 * that look the same (static ones of one name in a module) are paired in their order. */
uint32_t *live_match_functions(const struct call_tree *before, const struct call_tree *now);

/* Index of the same thread in `before`; LIVE_NONE: it was not there. */
uint32_t live_match_thread(const struct call_tree *before, const struct call_tree *now, size_t thread);

#endif
