/* What repeated measurements say without assuming how they are distributed. Pure arithmetic; thread-safe. */
#ifndef PCOMP_SAMPLE_STATISTICS_H
#define PCOMP_SAMPLE_STATISTICS_H

#include <stddef.h>

struct sample_interval { /* in the unit of the values */
    double value;        /* the median */
    double low, high;    /* where the median of what they were drawn from lies, at 95 % */
};

/* Median of `count` values, which it sorts; NAN when there are none. */
double sample_median(double *values, size_t count);

/* The median with its 95 % interval: the narrowest pair of order statistics, the same number from either end, that
 * holds the true median with at least that probability (binomial, p = 1/2). Fewer than 6 values have no such pair: then
 * the least and the greatest, which hold it with 1 - 2^(1 - count). Sorts the values. */
struct sample_interval sample_median_interval(double *values, size_t count);

/* How much the values vary: difference of the quartiles as a share of the median; NAN without values. Sorts them. */
double sample_spread(double *values, size_t count);

/* Standard deviation; 0 for fewer than two values. */
double sample_deviation(const double *values, size_t count);

/* Total variation distance of two distributions, given as weights that need not add up to 1: half the sum of the
 * absolute differences of shares. From 0 (the same) to 1 (nothing in common); negative weights can make it greater.
 * NAN where the weights of either do not add up to more than 0. */
double total_variation(const double *a, const double *b, size_t count);

#endif
