/* How far off a compensated time may be: from the spreads of the deltas and the step of the clock.
 *
 * Pure arithmetic in double precision, for reporters; nothing in the measured process calls it. Thread-safe.
 *
 * Two kinds of error, which add up differently:
 *   systematic  the delta that was subtracted is not the true mean cost. The same error is made at every call, so it
 *               grows with the number of calls n:  n * spread. Errors of different terms come from one calibration and
 *               are taken to have the same sign: they add linearly.
 *   random      one call costs more or less than the mean: a batch mean of B calls that varies by s says that one call
 *               varies by s * sqrt(B). Independent from call to call, so variances add:  n * B * s^2. The clock adds
 *               step^2 / 12 for each of the two reads of an activation.
 * The 95 % interval is  +-1.96 * sqrt(systematic^2 + variance).
 *
 * Not in it, because no calibration loop can see it: that a call costs another amount among the program's own work than
 * in a loop (docs/model/online.md has figures), and the error of a measured slow enter. */
#ifndef PCOMP_UNCERTAINTY_H
#define PCOMP_UNCERTAINTY_H

#include "compensation/cost/online_model.h"

struct pcomp_error_model {
    enum pcomp_model model;
    struct pcomp_parts systematic[PCOMP_VARIANTS]; /* ticks a call */
    struct pcomp_parts variance[PCOMP_VARIANTS];   /* ticks^2 a call */
    double clock_variance;                         /* ticks^2, of one clock read */
};

struct pcomp_uncertainty {
    double systematic; /* ticks, one standard deviation; adds linearly */
    double variance;   /* ticks^2, of the random part; adds */
};

/* Fills in the errors of a model. `start` are the deltas that are subtracted. `exit` are those measured again at exit,
 * or NULL; where they have repetitions, the true delta is taken to lie anywhere between the two (the clock speed may
 * have changed in between), which adds (exit - start)^2 / 3 to the square of the systematic part. clock_step: least
 * step of the clock in ticks, 1 unless known to be coarser. An unknown model becomes none, which has the error of the
 * clock alone. */
void pcomp_error_model_init(struct pcomp_error_model *out, enum pcomp_model model,
                            const struct pcomp_delta start[PCOMP_VARIANTS],
                            const struct pcomp_delta exit[PCOMP_VARIANTS], double clock_step);

/* What the calls of a direct child leave in the exclusive time of its parent. Under split that is (descendant - own), a
 * part of the whole measurement, so its error is bounded by that of descendant. */
static inline double pcomp_error_in_parent(enum pcomp_model model, struct pcomp_parts child)
{
    return model == PCOMP_MODEL_PAPER ? child.direct : child.descendant;
}

/* Adds part to sum, for a value that is a sum of others (a function's paths, threads, processes). */
static inline void pcomp_uncertainty_add(struct pcomp_uncertainty *sum, struct pcomp_uncertainty part)
{
    sum->systematic += part.systematic;
    sum->variance += part.variance;
}

/* Half-width of the 95 % interval, ticks. */
double pcomp_uncertainty_half_width(struct pcomp_uncertainty uncertainty);

#endif
