/* What measuring cost in windows in truth, from functions that are counted inside and outside of windows.
 *
 *      gap before       window       gap after
 *   ─────────────────▓▓▓▓▓▓▓▓▓▓▓▓──────────────────     ▓ sites of sampled functions on
 *       s_1, n_1         s, n          s_2, n_2
 *
 * n are calls of these functions, s seconds: in gaps without overhead, in the window as they passed. With the sums S
 * and N of both gaps, and c, what the overhead in the window was taken for, that overhead was
 *
 *     o = (s N / S - n) (S + s - c) / (N + n)
 *
 * calls that did not come, at the time per call all around. With b, the part of c that is not of calls counted in
 * place, and k, the number of these calls in the window,
 *
 *     factor = sum o / sum c        price of such a call = sum (o - b) / sum k
 *
 * What each step is for (tests/compensation/test_window_reference.c shows it):
 *   - Gaps are compared with their own window alone: over a run, other phases have calls of other functions, and a
 *     phase without a window would count as progress of all others (+30 % for a sort between two phases of a program
 *     of 1 s).
 *   - A window has two gaps. Where these differ by more than PCOMP_WINDOW_AGREE, the program changed meanwhile.
 *   - A window may have any number of calls, and none: o is linear in n but for the sum of all three. With s / n, time
 *     per call in the window, those with few calls would weigh too much. With s - n S / N, regular bursts of 5 ms make
 *     the price 6 % too low, since gaps whose window saw many calls have few.
 *
 * All zeros is empty. Pure arithmetic in double precision; not thread-safe for one accumulator. */
#ifndef PCOMP_WINDOW_REFERENCE_H
#define PCOMP_WINDOW_REFERENCE_H

#include "compensation/estimate/window_calls.h"

#include <stdbool.h>

#define PCOMP_WINDOW_STEPS 100.0 /* gaps with fewer calls tell nothing */
#define PCOMP_WINDOW_AGREE 1.25  /* calls a second of the two gaps, greater by less; otherwise a phase ended */

struct pcomp_window_progress {
    double seconds;
    double calls; /* of functions that are counted in both states */
};

/* What a window took the overhead in it for. */
struct pcomp_window_cost {
    double all;     /* seconds, with calls counted in place at the same price in all windows; ... */
    double besides; /* ... those of it that are not of such calls ... */
    double counted; /* ... and how many of these there were, of all functions */
};

/* sum y / sum x of windows. */
struct pcomp_window_ratio {
    double x, y, xx, xy, yy; /* sums */
};

/* Owned by the functions below. */
struct pcomp_window_reference {
    double windows;
    struct pcomp_window_ratio factor, price; /* o and c; o - b and k */
};

/* One window between two gaps. Left out where these differ by more than PCOMP_WINDOW_AGREE or have fewer than
 * PCOMP_WINDOW_STEPS calls, and where nothing was taken. */
void pcomp_window_reference_add(struct pcomp_window_reference *sums, const struct pcomp_window_progress *before,
                                const struct pcomp_window_progress *window, const struct pcomp_window_cost *cost,
                                const struct pcomp_window_progress *after);

/* Averaged with what is known before, by inverse squares of errors. The error is 5 % of the factor at least: sampled
 * functions are others than those compared. */
struct pcomp_window_overhead pcomp_window_overhead_of(const struct pcomp_window_reference *sums,
                                                      struct pcomp_window_overhead before);

struct pcomp_price {
    double price; /* seconds a call; below 0 where it is next to nothing */
    double error; /* standard error, of a normal distribution with the same 95 % interval */
    bool known;   /* three windows or more */
};

/* Of a call counted in place. The error is 10 % at least: by so much prices of runs scatter beyond that of their
 * windows. Without windows all is 0. */
struct pcomp_price pcomp_window_price_of(const struct pcomp_window_reference *sums);

#endif
