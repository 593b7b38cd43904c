/* Calibration statistics: from repeated batches of one hook variant to what a call costs, with its spread.
 *
 * Pure integer arithmetic on the caller's arrays. It runs inside the user's process, at start-up and at exit, so it
 * allocates nothing, does no I/O, and leaves errno, the locale and the floating-point environment (status flags
 * included) alone. Re-entrant; thread-safe as long as the arrays are not shared.
 *
 * What it does not do: run the batches and read the clock. That is the profiler's job. */
#ifndef PCOMP_CALIBRATION_H
#define PCOMP_CALIBRATION_H

#include "compensation/numeric/delta.h"

#include <stdint.h>

/* Durations of batches that all make the same number of calls. */
struct pcomp_batches {
    int64_t *ticks; /* one duration a repetition, any order; sorted in place by the estimate */
    uint32_t count; /* repetitions */
};

struct pcomp_estimate {   /* fixed-point ticks per call */
    int64_t value;        /* signed: a difference of two minima may fall below zero, and is not clamped */
    int64_t spread;       /* one standard deviation; see pcomp_estimate_cost */
    uint64_t repetitions; /* measured batches used; 0: there was nothing to estimate from */
};

/* Cost of one call: least mean over the `measured` batches less least mean over the `reference` batches (the same loop
 * without the call; count 0 when there is nothing to subtract). `calls` is the number of calls of every batch of both.
 *
 * A disturbance (interrupt, preemption, cold cache) only ever adds, so the minimum is the value and the slower batches
 * are left out of the spread: it is the root mean square distance from the minimum of the faster half (n/2 + 1 of n,
 * divided by n/2), of both loops, added in quadrature. Up to half of the batches may be arbitrarily late without
 * effect. The distance is taken from the minimum and not from the mean because the minimum is what will be subtracted:
 * for normal noise the spread is 1.2 (10 repetitions) to 2 (200) standard deviations of a batch mean, and so covers the
 * distance from the minimum to the typical cost. One repetition tells nothing: its spread is its value.
 *
 * Sorting does not hurt: one array may serve in several estimates. A batch with a negative duration (clock stepped
 * back) is ignored. Without a usable measured batch, or with calls 0, everything in the result is 0. A value that does
 * not fit (2^53 ticks a call) saturates. */
struct pcomp_estimate pcomp_estimate_cost(struct pcomp_batches measured, struct pcomp_batches reference,
                                          uint64_t calls);

/* The same as a mean: of the batches that are at most twice as long as the median one, so that what interrupted the
 * measurement and not the call is left out; less the mean of the reference batches, chosen in the same way. The spread
 * is the standard deviation of a batch mean. Overhead of tracing is a mean, since a replay removes many of them at once
 * (1991, note 2). */
struct pcomp_estimate pcomp_estimate_mean(struct pcomp_batches measured, struct pcomp_batches reference,
                                          uint64_t calls);

/* What batches took beyond their median: time that neighbours of a virtual processor, or interrupts, take away. It is
 * seldom and long, so it is known of many batches together only. */
struct pcomp_loss {
    int64_t lost, kept; /* ticks: beyond the medians; the medians */
};

/* Median of the batches, which get sorted; 0 of none. With `loss`, adds what each took beyond it, at most `most`. */
int64_t pcomp_batches_median(struct pcomp_batches batches, int64_t max, struct pcomp_loss *loss);

/* A cost that was found as a median, with the share that is lost while it passes; never more than doubled. */
int64_t pcomp_loss_added(int64_t cost, const struct pcomp_loss *loss);

/* The deltas of one hook variant from three estimates made with batches of `calls` calls. A variant counts as
 * calibrated with the fewest repetitions among own and descendant; `direct` may be all 0. */
struct pcomp_delta pcomp_delta_from_estimates(struct pcomp_estimate own, struct pcomp_estimate descendant,
                                              struct pcomp_estimate direct, uint64_t calls);

#endif
