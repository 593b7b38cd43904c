/* Alpha where it was measured while the program ran: a processor changes its speed, and shares its core with others, so
 * that what an event cost at the start of the process is off by up to a third later.
 *
 * Only an ENTER and an EXIT are measured again; the other kinds are taken to have become more expensive by the same
 * factor. Arguments may be absurd (a damaged file): results are finite. */
#ifndef PCOMP_REPLAY_ALPHA_H
#define PCOMP_REPLAY_ALPHA_H

#include <stdint.h>

/* What an event costs more among the work of a program than alpha says, whatever its kind, and its standard deviation,
 * of all events of a process alike; fixed-point ticks. Kinds whose alpha is 0 cost nothing. */
struct alpha_context {
    int64_t more, error;
};

/* Standard deviation of what an event costs among the work of a program from what it costs in the loop that alpha is
 * measured in, as a share of alpha: the errors of T_a against the uninstrumented time over the overhead that was
 * removed, root mean square over barriers, kernels, transpose and pi (docs/results/2026-11-experiments.md). */
#define ALPHA_CONTEXT 0.1

/* By what factor events cost more than `alpha` (by kind) says, where an ENTER or an EXIT was measured to cost so much
 * in the mean; all fixed-point ticks. 1 where that says nothing: 0, or out of all proportion. */
double alpha_factor(const int64_t alpha[], int64_t measured);

/* The alpha of a kind times such a factor; by 1, to the last bit. */
int64_t alpha_times(int64_t alpha, double factor);

/* The same, among the program's work. */
int64_t alpha_in_context(int64_t alpha, double factor, const struct alpha_context *context);

/* Standard deviation of an alpha whose measurements deviate by `spread`, with that of the context. Same unit. */
double alpha_deviation(double alpha, double spread);

/* Half-width of the 95 % interval of a time that so much overhead was taken out of: alpha is off in all events alike.
 * Same unit. */
double alpha_uncertainty(double overhead);

#endif
