/* Calls of a sampled function, known +-, from windows in which its calls were counted.
 *
 *   gap          window  gap                window    gap
 *   ─────────────▓▓▓▓▓▓──────────────────────▓▓▓▓▓▓──────────
 *   └── stands for ──┘└─ part ──┘└── rest ──┘└─ stands for ─┘
 *
 * The calls inside of the windows are known. A gap between two windows is in part the one's and in part the other's: a
 * window k that stands for g_k seconds without overhead adds g_k * c_k / p_k, where c_k are the calls seen and p_k is
 * the program's progress in it, its length less the overhead of the probes. With windows planned by
 * control/window_plan.h this is unbiased in steady programs and in phases longer than a window: where a window lies in
 * its stratum is independent of where its neighbours lie, so that the expectation of g_k is the length of its stratum.
 * (With halves of the gaps instead of parts as the strata are long, the first windows after a function fell, when
 * strata grow, weigh too much: +1 % in runs of phases.)
 *
 * A window ends by the clock. Where calls come in bursts shorter than a window, a window with a burst in it gets less
 * far than one without, and its calls a second count as much: too many by the share of overhead in windows, times the
 * squared coefficient of variation of the calls in them (bursts of 1 ms in 10 ms that are dilated by a quarter: +3 %).
 *
 * Standard error: from differences d of the rates in neighbouring windows. Where rates scatter independently, half of
 * the mean d^2 is the variance of a window (von Neumann et al., Ann. Math. Stat. 12 (1941), 153), and the product of
 * two differences in a row is minus that. Where the rate steps, once in many windows, the product is 0, and a step
 * somewhere in a gap of g seconds makes an error of variance g^2 d^2 / 12 only. So with enough windows to tell, minus
 * the mean product is taken as scatter, and what d^2 has beyond as steps.
 *
 * Overheads that were passed may all be wrong by one factor, and where calls are dense progress is a small difference
 * of two numbers. window_reference.h tells the factor.
 *
 * One accumulator a function; all zeros is empty. Calls that were counted exactly (before the function fell, or after
 * it returned) are the caller's to add. Pure arithmetic in double precision; not thread-safe for one accumulator. */
#ifndef PCOMP_WINDOW_CALLS_H
#define PCOMP_WINDOW_CALLS_H

#include <stdbool.h>

#define PCOMP_WINDOW_PROGRESS 0.1   /* of a window's length that its progress is taken to be at least */
#define PCOMP_WINDOW_CALL     4e-10 /* seconds that a call takes at least: a call, two sites, and a return */
#define PCOMP_WINDOW_PRICE    0.25  /* relative standard error of overheads of which a profile says nothing */

/* Owned by the functions below. */
struct pcomp_window_calls {
    double windows;
    double seen;              /* calls in windows */
    double beside;            /* calls in gaps, but for the gap after the last window */
    double seconds;           /* in gaps */
    double slope;             /* by how much `beside` grows where all overheads do, relative */
    double rate, gap;         /* of the last window, calls a second; seconds of gaps that it stands for so far */
    double rate_slope;        /* by how much `rate` grows */
    double progress;          /* in that window, seconds */
    double weights;           /* sum of g_k^2 + g_k p_k, but for the last window's */
    double variation;         /* sum of g^2 (r_k - r_(k-1))^2 / 2, g: the gap between both, ... */
    double variation_seconds; /* ... of g^2, ... */
    double variation_squares; /* ... and of g^4 */
    double swing;             /* sum of g g' d d', d and d': two differences in a row, with gaps g and g', ... */
    double swing_seconds;     /* ... and of g g' */
    double step;              /* g d of the last two windows ... */
    double step_seconds;      /* ... and their g; 0: none */
    double episode;           /* windows since the function fell last */
};

/* The function falls; its recent rate was this (calls a second, 0 or more). The rate stands for gaps until the first
 * window, where there is none, and tells how much rates vary; it adds no calls otherwise. Also when it falls again. */
void pcomp_window_calls_begin(struct pcomp_window_calls *sums, double rate);

/* One window: calls seen in it, its length, overhead in it (of all probes, in the clock of its length), and the time
 * since the end of the window before (or since the function fell), less overhead in it. Seconds. share: part of this
 * gap that the window before stands for, 0 to 1 (pcomp_window_gap_share); ignored for the first window since the
 * function fell. Windows without length are left out. */
void pcomp_window_calls_add(struct pcomp_window_calls *sums, double calls, double seconds, double overhead, double gap,
                            double share);

/* The function returns to counted, or the run ends; gap: seconds since the end of the last window (or since the
 * function fell), less overhead. */
void pcomp_window_calls_end(struct pcomp_window_calls *sums, double gap);

struct pcomp_window_estimate {
    double calls;   /* in windows and gaps */
    double error;   /* standard error */
    double degrees; /* of freedom of `error` */
    double half;    /* half-width of the 95 % interval */
    bool known;     /* three windows or more; otherwise error and half are the calls in gaps, and what all
                     * changes of the rate would make in gaps */
};

/* Overheads as they were, over those that were passed, the same in all windows; and the standard error of that. */
struct pcomp_window_overhead {
    double factor, error;
};

/* The estimate until now. gap: as above, 0 after pcomp_window_calls_end. Leaves the sums as they are. */
struct pcomp_window_estimate pcomp_window_calls_estimate(const struct pcomp_window_calls *sums, double gap,
                                                         struct pcomp_window_overhead overhead);

#endif
