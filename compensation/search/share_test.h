/* A share of time, from samples that may be looked at at any time: its interval, and on which side of a threshold it
 * is.
 *
 * A sample is a value from 0 to 1: what part of the threads was found in the state in question at a random moment. The
 * share is the mean of these values over the time observed; it need not stay the same meanwhile, and samples need not
 * be independent of each other. What is needed is that the moments are random: the sum of the samples less the sum of
 * their means, given what came before, is a martingale.
 *
 * For a threshold p, a test level t above it, and a sum s of n samples, let
 *
 *     E(t) = (t / p)^s * ((1 - t) / (1 - p))^(n - s)
 *
 * As long as the mean of the shares is p or less, the expectation of E is 1 or less: for samples of 0 and 1 it is a
 * likelihood ratio, for others the bound follows from exp being convex, and for shares that change from log(1 - p +
 * p exp(x)) being concave in p (Waudby-Smith and Ramdas 2024, section 3; Robbins 1970 for the mixture). The mean of
 * E over several t is one, too, and by Ville's inequality it ever reaches 1/a with a probability of a at most. So a
 * share is called above p when that mean reaches 1/a, whenever one looks; and below p likewise with t below it.
 *
 * Pure arithmetic in double precision; no state; thread-safe. Arguments out of range give the interval from 0 to 1. */
#ifndef PCOMP_SHARE_TEST_H
#define PCOMP_SHARE_TEST_H

#include <stdbool.h>

#define PCOMP_SHARE_ERROR 0.05 /* of the interval from low to high: each end is wrong in half of that at most */

struct pcomp_share {
    double value;     /* sum / samples */
    double low, high; /* 95 % interval, whenever looked at */
};

enum pcomp_verdict { PCOMP_VERDICT_OPEN, PCOMP_VERDICT_ABOVE, PCOMP_VERDICT_BELOW };

/* Whether `samples` values with this sum show that the share is above (or below) p, with an error of `error` at most,
 * 0 < p < 1. */
bool pcomp_share_is_above(double samples, double sum, double p, double error);
bool pcomp_share_is_below(double samples, double sum, double p, double error);

/* Share and interval; without samples from 0 to 1. */
struct pcomp_share pcomp_share_of(double samples, double sum, double error);

/* On which side of the threshold the interval of `error` lies. */
enum pcomp_verdict pcomp_share_verdict(double samples, double sum, double threshold, double error);

#endif
