/* What the overhead in windows was in truth, from functions that are counted inside and outside of windows.
 *
 *      gap before       window       gap after
 *   ─────────────────▓▓▓▓▓▓▓▓▓▓▓▓──────────────────     ▓ sites of sampled functions on
 *       s_1, n_1         s, n          s_2, n_2
 *
 * n are calls of these functions, s seconds: in gaps without overhead, in the window as they passed. Where the rates of
 * both gaps agree, the program's progress in the window is n f, f = (s_1 + s_2) / (n_1 + n_2), and the overhead in it
 * s - n f. With c, what that overhead was taken for,
 *
 *     factor = sum (s - n f) / sum c
 *
 * Gaps are compared with their own window alone: over a run, other phases have calls of other functions, and a phase
 * without a window would count as progress of all others (+30 % for a sort between two phases of a program of 1 s).
 *
 * All zeros is empty. Pure arithmetic in double precision; not thread-safe for one accumulator. */
#ifndef PCOMP_WINDOW_REFERENCE_H
#define PCOMP_WINDOW_REFERENCE_H

#include "compensation/estimate/price_pairs.h"
#include "compensation/estimate/window_calls.h"

/* Owned by the functions below. */
struct pcomp_window_reference {
    double windows;
    double overhead, taken;                  /* sums of s - n f, c */
    double overheads, products, taken_twice; /* sums of (s - n f)^2, (s - n f) c, c^2 */
};

/* One window between two gaps; taken: seconds. Left out where the gaps' rates differ by more than PCOMP_PRICE_AGREE, or
 * with fewer than PCOMP_PRICE_CALLS calls in one of the three. */
void pcomp_window_reference_add(struct pcomp_window_reference *sums, const struct pcomp_window_progress *before,
                                const struct pcomp_window_progress *window, double taken,
                                const struct pcomp_window_progress *after);

/* Averaged with what is known before, by inverse squares of errors. The error is 5 % of the factor at least: sampled
 * functions are others than those compared. */
struct pcomp_window_overhead pcomp_window_overhead_of(const struct pcomp_window_reference *sums,
                                                      struct pcomp_window_overhead before);

#endif
