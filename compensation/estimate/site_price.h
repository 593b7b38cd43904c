/* What sites cost that are no-ops: code that the uninstrumented program does not have. No run can tell it; programs
 * that were built with and without sites did (docs/results/2026-11-sites.md):
 *
 *   hook calls   arguments of the call, registers kept for them, tail calls and inlining that are lost. Where calls are
 *                dense their instructions overlap: with N calls in a time T at a price p each,
 *
 *                    p = p0 / (1 + p0 N / T)
 *
 *                so that sites never cost more than there is.
 *   sleds        two no-ops a call.
 *
 * Prices are parts of that of a call counted in place, which the run measures: on a machine that is half as fast, for
 * whatever reason, both cost twice as much (docs/results/2026-11-no-op-sites.md).
 *
 * And the program's code lies elsewhere, whatever it calls.
 *
 * Pure arithmetic in double precision. */
#ifndef PCOMP_SITE_PRICE_H
#define PCOMP_SITE_PRICE_H

#include <stdbool.h>

#define PCOMP_SITE_HOOK       0.85 /* p0, where calls are rare, of the price of a counted call ... */
#define PCOMP_SITE_HOOK_ERROR 0.75 /* ... and the half-width of p over programs, relative */
#define PCOMP_SITE_SLED       0.1  /* of the price of a counted call ... */
#define PCOMP_SITE_SLED_ERROR 1.0  /* ... and its half-width, relative */
#define PCOMP_SITE_COUNTED    1.0  /* ns: a counted call, where the run did not measure it */
#define PCOMP_SITE_KERNEL_MAX 1.5  /* price of a counted call over the kernel's, of which no-op sites are parts */

/* Half-width of what a program takes longer or shorter because its code lies elsewhere, relative: with hook calls, and
 * with sleds, whose bytes are fewer (docs/results/2026-11-steadiness.md). */
#define PCOMP_SITE_LAYOUT       0.04
#define PCOMP_SITE_LAYOUT_SLEDS 0.03

struct pcomp_site_price {
    double price; /* ns a call, on average */
    double next;  /* ns that one call more would add */
    double error; /* half-width of the 95 % interval, relative */
};

/* The price of a counted call that prices of sites are parts of, in the unit of both; 0: not known. A counter that
 * waits behind the program's stores, where calls cost several times what they cost in the kernel, is no part of a
 * no-op. */
double pcomp_site_unit(double counted, double kernel);

/* Of `calls` calls in `time` ns of processor time, sites included; 0: not known. counted: pcomp_site_unit, ns, whose
 * error is not in that of the result; 0: not known. */
struct pcomp_site_price pcomp_site_price(bool sleds, double calls, double time, double counted);

#endif
