/* What timed probes cost in this program, as a factor f of what calibration found in a loop of ours (the kernel), where
 * every call is timed. P: processor time at which samples of the program counter hit the library's code, C: all
 * processor time, both without slow enters, which were clocked; K: what all calls cost by the calibrated deltas.
 *
 *   f = P / K + OUTSIDE − min(SHADE (C / K − f), SHADE_MAX)
 *
 *   OUTSIDE   what a probe costs in the program's code, which meets no sample of the library: the call, its arguments
 *   SHADE     the program's instructions in front of a probe end while the probe waits for the clock: samples that meet
 *             the probe then are of the program, of which C − f K is left
 *
 * Its standard error has that of n samples, 1/sqrt(n), of OUTSIDE and of the shade. It is averaged with the factor of
 * other programs by the inverse squares of both errors as weights, unless it is far above that: path look-ups that miss
 * the caches are in no kernel. Where calls are few, the library may be at something else. Pure arithmetic in double
 * precision. docs/results/2026-11-full-mode.md has the constants. */
#ifndef PCOMP_PROBE_PRICE_H
#define PCOMP_PROBE_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#define PCOMP_PROBE_USUAL         1.10  /* factor in other programs ... */
#define PCOMP_PROBE_USUAL_ERROR   0.10  /* ... and its scatter over them */
#define PCOMP_PROBE_FAR           3.0   /* standard errors; samples that are so far above that are alone */
#define PCOMP_PROBE_MAX           10.0  /* what costs more are not the probes, ... */
#define PCOMP_PROBE_MIN           0.5   /* ... and where they cost less, samples are missing: no samples */
#define PCOMP_PROBE_OUTSIDE       0.055 /* of the kernel's cost, hook calls; sleds, which have no arguments: none */
#define PCOMP_PROBE_OUTSIDE_ERROR 0.04  /* of the kernel's cost */
#define PCOMP_PROBE_SHADE         0.3   /* of the program's own time ... */
#define PCOMP_PROBE_SHADE_MAX     0.45  /* ... and, at most, of the kernel's cost */
#define PCOMP_PROBE_SHADE_ERROR   0.4   /* relative */

struct pcomp_probe_price_sources { /* seconds of processor time, sums over the run */
    double samples;                /* how many hit the library's code ... */
    double library;                /* ... and the time that they stand for */
    double processor;              /* the time that all samples stand for; 0: not known */
    double slow;                   /* of `library`, slow enters */
    double kernel;                 /* what all calls would cost by the calibrated deltas */
    bool sleds;
};

struct pcomp_probe_price {
    double factor; /* of the calibrated deltas; at least PCOMP_PROBE_MIN */
    double error;  /* its standard error, relative */
};

struct pcomp_probe_price pcomp_probe_price(const struct pcomp_probe_price_sources *from);

/* What was charged by the deltas times factor / 1024, with slow enters in it, as charged by the calibrated deltas: slow
 * enters were clocked, and have no price. Fixed-point ticks; factor > 0. */
int64_t pcomp_probe_calibrated(int64_t charged, int64_t slow, int64_t factor);

#endif
