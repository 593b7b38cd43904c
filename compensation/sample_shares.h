/* How a thread's time is shared out among its functions when samples of the program counter tell of it, and bursts,
 * too.
 *
 * Pure arithmetic in double precision; no state; thread-safe. docs/online-model.md ("Samples between bursts") derives
 * the estimator and says when it fails.
 *
 * Samples are of the program as it is between bursts, undisturbed, but of its processor time alone, and of what is
 * seldom there are few. Bursts see waiting, too, and what is rare, but a program full of hooks is another program. So
 * bursts say what is expected before the samples are looked at, and that weighs as many samples as the two agree
 * (pseudo-Bayes estimator of a multinomial: Fienberg and Holland, Simultaneous estimation of multinomial cell
 * probabilities, JASA 68 (1973), their K): all but nothing where they contradict each other, and as much as the
 * samples themselves where they differ by chance alone.
 *
 * Arguments may be absurd (a damaged file): as long as they are finite, results are finite and not below 0. */
#ifndef PCOMP_SAMPLE_SHARES_H
#define PCOMP_SAMPLE_SHARES_H

#include <stdbool.h>
#include <stddef.h>

#define PCOMP_SAMPLES_LEAST 30.0 /* of a thread: fewer tell nothing that bursts do not tell better */

struct pcomp_sampled_part { /* a function */
    double samples, bursts; /* its samples; its time as bursts have it */
    double time, variance;  /* results; in the unit of bursts, and its square */
};

/* Samples of a function, less what its calls took while their hooks were off, by how many samples were at those calls.
 */
double pcomp_samples_without_sites(double samples, double at_sites);

/* Shares the sum of all `bursts` out anew. busy: the share of it in which the thread had a processor. The times add up
 * to that sum. False: too few samples, and nothing was written. */
bool pcomp_sample_shares(struct pcomp_sampled_part *parts, size_t count, double busy);

#endif
