/* Price of a probe, measured in the program: pairs of neighbouring windows, one with the probe (state A), one without
 * (state B, or with a cheaper probe whose price is known otherwise).
 *
 *     price = sum h_k (a_k - b_k) / sum h_k,   a = s_A / n_A,  b = s_B / n_B,  h = n_A n_B / (n_A + n_B)
 *
 * where s are seconds and n is how far the program came (calls). Sums over the run are never compared: in a program of
 * phases, the states stretch dense phases differently, so that s and n of the two states are of another mix.
 *
 * All zeros is empty. Pure arithmetic in double precision; not thread-safe for one accumulator. */
#ifndef PCOMP_PRICE_PAIRS_H
#define PCOMP_PRICE_PAIRS_H

#include <stdbool.h>

/* Owned by the functions below. */
struct pcomp_price_pairs {
    double pairs;
    double weights, weighted;            /* sums of h, h d */
    double squares, products, deviation; /* sums of h^2, h^2 d, h^2 d^2 */
};

struct pcomp_window_progress {
    double seconds; /* of the window, from the last site switched on to the first one switched back */
    double calls;   /* n: calls in it, of all functions that have the probe in state A */
};

/* A pair whose seconds are not above 0, or with fewer than PCOMP_PRICE_CALLS calls in either, is left out. */
#define PCOMP_PRICE_CALLS 100.0
void pcomp_price_pairs_add(struct pcomp_price_pairs *sums, const struct pcomp_window_progress *a,
                           const struct pcomp_window_progress *b);

struct pcomp_price {
    double price;   /* seconds a call, may be below 0 */
    double error;   /* standard error, of the scatter between pairs */
    double degrees; /* of freedom of `error` */
    double half;    /* half-width of the 95 % interval */
    bool known;     /* three pairs or more */
};

struct pcomp_price pcomp_price_of_pairs(const struct pcomp_price_pairs *sums);

#endif
