/* Price of a probe, measured in the program: a window in one state between two windows in another one.
 *
 *       before          middle           after
 *   ───────────────▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓───────────────      ─ the run's usual state, ▓ the other one
 *     s_1, n_1         s, n            s_2, n_2
 *
 * s are seconds and n says how far the program came (calls). With f = (s_1 + s_2) / (n_1 + n_2), the time per call in
 * the usual state, and m = s / n in the other one, the price d is m - f where the other state has the probe, and f - m
 * where the usual one has it; averaged with the weights w = n_1 + n_2:
 *
 *     price = sum w d / sum w
 *
 * What each step is for (tests/compensation/test_price_pairs.c shows it):
 *   - Only neighbours are compared. Sums over the run compare states that stretch dense phases differently, so that
 *     their calls are of another mix: +77 % where phases of 50 ms have 2 and 200 ns a call.
 *   - The middle has two neighbours. Where these differ by more than PCOMP_PRICE_AGREE, the program changed meanwhile,
 *     and the windows are left out: pairs that such a change cuts are +4 to +14 % off there.
 *   - The weight is the number of calls in the usual state, so that the price is the mean over the run's calls. With
 *     n_A n_B / (n_A + n_B), the weight of least variance, dense phases count for less than their calls, and the
 *     price is 2 to 6 % too low where dense phases have the more expensive probes.
 *   - E[1 / n] exceeds 1 / E[n]: m is too great by v f, v the relative variance of n, which the difference of the two
 *     neighbours tells. It is taken off; half of it counts as an error.
 *
 * Not corrected: sites that are switched inside of a window. Where a window of s seconds has e seconds in the wrong
 * state, the price is too low by e / s times a / b, a and b the times per call with the probe and without: by 9 % for
 * 0.1 ms of 10 ms where a probe of 16 ns meets calls of 2 ns. So a window begins when the last site was switched, and
 * ends before the first one is. A counting probe in the state without the probe: its price is the caller's to add.
 *
 * All zeros is empty. Pure arithmetic in double precision; not thread-safe for one accumulator. */
#ifndef PCOMP_PRICE_PAIRS_H
#define PCOMP_PRICE_PAIRS_H

#include <stdbool.h>

#define PCOMP_PRICE_CALLS 100.0 /* windows with fewer calls tell nothing */
#define PCOMP_PRICE_AGREE 1.25  /* calls a second of the two neighbours, greater by less; otherwise a phase ended */

/* Owned by the functions below. */
struct pcomp_price_pairs {
    double pairs, apart;                 /* windows in the other state: used, left out because of their neighbours */
    double weights, weighted;            /* sums of w, w d */
    double squares, products, deviation; /* sums of w^2, w^2 d, w^2 d^2 */
    double curved;                       /* sum of w v f */
};

struct pcomp_window_progress {
    double seconds; /* from the last site switched to the first one switched back */
    double calls;   /* of all functions that have the probe in the more expensive state; counted in both states */
};

/* Whether a stretch has a length, and PCOMP_PRICE_CALLS calls; and whether the rates of two that do differ by less than
 * PCOMP_PRICE_AGREE. */
bool pcomp_progress_is_enough(const struct pcomp_window_progress *stretch);
bool pcomp_progress_agrees(const struct pcomp_window_progress *before, const struct pcomp_window_progress *after);

/* Three windows in a row, of about the same length; `costly`: the one in the middle is in the state with the probe.
 * Windows without length or with fewer than PCOMP_PRICE_CALLS calls are left out. */
void pcomp_price_pairs_add(struct pcomp_price_pairs *sums, const struct pcomp_window_progress *before,
                           const struct pcomp_window_progress *middle, const struct pcomp_window_progress *after,
                           bool costly);

struct pcomp_price {
    double price;   /* seconds a call; below 0 where it is next to nothing */
    double error;   /* standard error, of the scatter and of what was taken off */
    double degrees; /* of freedom of `error` */
    double half;    /* half-width of the 95 % interval */
    bool known;     /* three windows or more, and no more left out than used: otherwise windows should be shorter */
};

/* Without windows all is 0. */
struct pcomp_price pcomp_price_of_pairs(const struct pcomp_price_pairs *sums);

#endif
