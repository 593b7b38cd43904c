/* What the search costs, as a share of time: summed up over windows, each with the weight of its length, so that the
 * mean is all that was spent over all the time. Thread-safe. */
#ifndef PCOMP_CONSULT_COST_H
#define PCOMP_CONSULT_COST_H

#include <math.h>

struct consult_cost {    /* all 0 at first */
    double seconds;      /* length of the windows */
    double sum, squares; /* of shares and their squares, times lengths */
    double max;          /* share */
};

/* A window of that length, above 0. */
static inline void consult_cost_add(struct consult_cost *cost, double share, double seconds)
{
    cost->seconds += seconds;
    cost->sum += share * seconds;
    cost->squares += share * share * seconds;
    cost->max = fmax(cost->max, share);
}

/* NAN: of no window. */
static inline double consult_cost_mean(const struct consult_cost *cost)
{
    return cost->seconds > 0 ? cost->sum / cost->seconds : NAN;
}

static inline double consult_cost_variance(const struct consult_cost *cost)
{
    double mean = consult_cost_mean(cost);
    return cost->seconds > 0 ? fmax(cost->squares / cost->seconds - mean * mean, 0) : NAN;
}

static inline double consult_cost_max(const struct consult_cost *cost)
{
    return cost->seconds > 0 ? cost->max : NAN;
}

#endif
