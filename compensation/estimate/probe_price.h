/* What timed probes cost in this program, as a factor of what calibration found in a loop of ours (the kernel), where
 * every call is timed:
 *
 *   samples   processor time at which samples of the program counter hit the library's code, less slow enters, which
 *             were clocked; what samples took themselves is overhead of the same calls
 *   kernel    the calibrated deltas; a kernel that is in all caches costs less than a probe among the program's work
 *
 * What a probe costs in the program's code (the call, its arguments, cache lines that the program must fetch again)
 * meets no sample of the library: PCOMP_PROBE_OUTSIDE of the kernel's cost stands for it. Both factors are averaged
 * with the inverse squares of their standard errors as weights; that of n samples is 1/sqrt(n). Pure arithmetic in
 * double precision. */
#ifndef PCOMP_PROBE_PRICE_H
#define PCOMP_PROBE_PRICE_H

#define PCOMP_PROBE_KERNEL_ERROR  0.3  /* relative standard error of the kernel ... */
#define PCOMP_PROBE_OUTSIDE       0.09 /* of its cost: what a probe costs in the program's code, ... */
#define PCOMP_PROBE_OUTSIDE_ERROR 0.05 /* ... and the scatter of that over programs */

struct pcomp_probe_price_sources { /* seconds of processor time, sums over the run */
    double samples;                /* how many hit the library's code ... */
    double library;                /* ... and the time that they stand for */
    double slow;                   /* of that, slow enters */
    double sampling;               /* what all samples took */
    double kernel;                 /* what all calls would cost by the calibrated deltas */
};

struct pcomp_probe_price {
    double factor; /* of the calibrated deltas; > 0 */
    double error;  /* its standard error, relative */
};

struct pcomp_probe_price pcomp_probe_price(const struct pcomp_probe_price_sources *from);

#endif
