/* Price of a call counted in place, from what tells of it:
 *
 *   kernel   a loop of ours at start-up: another context than the program's
 *   slots    samples whose program counter lies in the code that counts, in proportion to all, times
 *            PCOMP_COUNT_PRICE_OUTSIDE: what counting costs elsewhere (the jump, cache lines) is not there, and waits
 *            that end there are no cost
 *   windows  progress of the program in them and beside them (window_reference.h): all that it costs
 *
 * Kernel and slots are averaged with the inverse squares of their relative errors as weights, and windows with that
 * mean by the inverse squares of absolute ones. Where windows say more, the mean's error is relative to the geometric
 * mean of both: a counter may wait behind the program's stores, which the kernel has none of (two to three times its
 * price in a rank that fills buffers for another). Windows that contradict the others by more than
 * PCOMP_COUNT_PRICE_FAR standard errors are left out: phases of a program can be taken for the price of a probe.
 *
 * The standard errors of kernel and slots are the scatter of both around the difference of run times with and without
 * counting, of real programs on two machines (docs/results/2026-11-prices-of-traces.md).
 * Pure arithmetic in double precision. */
#ifndef PCOMP_COUNT_PRICE_H
#define PCOMP_COUNT_PRICE_H

#include "compensation/estimate/window_reference.h"

#define PCOMP_COUNT_PRICE_KERNEL  0.45 /* relative standard errors: of the kernel, ... */
#define PCOMP_COUNT_PRICE_SLOTS   0.35 /* ... and of samples in slots, however many */
#define PCOMP_COUNT_PRICE_OUTSIDE 1.25 /* what counting costs, over what it costs in slots */
#define PCOMP_COUNT_PRICE_FAR     2.5
#define PCOMP_COUNT_PRICE_MIN     0.2 /* of what kernel and slots say: it is no less than that */

struct pcomp_count_price_sources {
    double kernel;       /* seconds a call; 0: not known */
    double slot_seconds; /* that samples in slots stand for ... */
    double slot_samples; /* ... their number ... */
    double calls;        /* ... and the calls that were counted in place meanwhile */
    struct pcomp_price windows;
};

struct pcomp_count_price {
    double price; /* seconds a call; 0: nothing is known */
    double error; /* relative standard error */
};

/* Of kernel and slots alone. */
struct pcomp_count_price pcomp_count_price_expected(const struct pcomp_count_price_sources *from);

/* What is expected, and windows. */
struct pcomp_count_price pcomp_count_price_with(struct pcomp_count_price expected, const struct pcomp_price *windows);

struct pcomp_count_price pcomp_count_price(const struct pcomp_count_price_sources *from);

#endif
