/* When the sites of sampled functions are on: windows of 0.8 to 5 ms at random distances.
 *
 *   │   stratum    │   stratum     │    stratum    │
 *   ├──────▓▓──────┼─▓▓────────────┼───────────▓▓──┤     ▓▓ window: sites on
 *
 * Time is cut into strata, and each has one window, which begins at a random moment of it (uniform). So every moment of
 * the program is observed with the same probability, whatever the program does, and no period of the program keeps step
 * with the windows (stratified random sampling, Cochran, Sampling Techniques, 1977, section 8.3). A stratum is so long
 * that its window costs `share` of it; the first ones are shorter, at a cost of PCOMP_WINDOW_START seconds in all, so
 * that runs of a tenth of a second have some. The length of a stratum is settled before the window in front of it is
 * open: a distance that grew with what that window saw would give calls that it saw a greater weight.
 *
 * Pure arithmetic in double precision; the state is the caller's, not thread-safe for one plan. */
#ifndef PCOMP_WINDOW_PLAN_H
#define PCOMP_WINDOW_PLAN_H

#include <stdint.h>

#define PCOMP_WINDOW_SHARE   0.2    /* of the limit, for windows, while functions are sampled */
#define PCOMP_WINDOW_MIN     0.0008 /* length, seconds */
#define PCOMP_WINDOW_MAX     0.005
#define PCOMP_WINDOW_START   0.002 /* seconds that windows may cost beyond their share, in all */
#define PCOMP_STRATUM_FIRST  0.008 /* least length of the first stratum, seconds ... */
#define PCOMP_STRATUM_GROWTH 1.25  /* ... of which each next one is so many times as long, ... */
#define PCOMP_STRATUM_MIN    0.025 /* ... up to here */
#define PCOMP_STRATUM_MAX    60.0  /* seconds: also where windows are not affordable */

/* Owned by the functions below. */
struct pcomp_window_plan {
    uint64_t random;        /* state of the generator */
    double min;             /* least length of the next stratum that is drawn, seconds */
    double credit;          /* seconds of PCOMP_WINDOW_START that are not yet spent */
    double length;          /* of the window that was planned last, seconds */
    double left;            /* of its stratum, behind it, seconds; below 0: it reaches into the next */
    double last;            /* length of its stratum, seconds; 0: no window yet */
    double share;           /* pcomp_window_gap_share */
    double stratum, window; /* length of the next stratum and of the window in it, seconds; 0: none yet */
};

/* What windows cost, means over the windows so far. */
struct pcomp_window_costs {
    double switching; /* of turning the sites on and off again, seconds a window */
    double counting;  /* overhead of the sampled functions' probes a second of window, 0 to 1 */
    double share;     /* of the time that windows may cost, above 0 */
};

/* Begins when the first function falls to sampled. Any seed. */
void pcomp_window_plan_init(struct pcomp_window_plan *plan, uint64_t seed);

/* Seconds from now (the end of the last window, or the beginning) to the beginning of the next window, 0 or more. */
double pcomp_window_next_gap(struct pcomp_window_plan *plan, const struct pcomp_window_costs *costs);

/* The part of that gap that the window before it stands for, as the lengths of both strata; 0 where there is none. For
 * pcomp_window_calls_add. */
double pcomp_window_gap_share(const struct pcomp_window_plan *plan);

/* Length of that window, seconds, PCOMP_WINDOW_MIN to PCOMP_WINDOW_MAX. Call it after pcomp_window_next_gap. */
double pcomp_window_next_length(const struct pcomp_window_plan *plan);

#endif
