/* Alpha where it was measured while the program ran: a processor changes its speed, and shares its core with others, so
 * that what an event cost at the start of the process is off by up to a third later.
 *
 * Only an ENTER and an EXIT are measured again; the other kinds are taken to have become dearer by the same factor.
 * Arguments may be absurd (a damaged file): results are finite. */
#ifndef PCOMP_REPLAY_ALPHA_H
#define PCOMP_REPLAY_ALPHA_H

#include <stdint.h>

/* By what factor events cost more than `alpha` (by kind) says, where an ENTER or an EXIT was measured to cost so much
 * in the mean; all fixed-point ticks. 1 where that says nothing: 0, or out of all proportion. */
double alpha_factor(const int64_t alpha[], int64_t measured);

/* The alpha of a kind times such a factor; by 1, to the last bit. */
int64_t alpha_times(int64_t alpha, double factor);

#endif
