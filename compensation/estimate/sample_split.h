/* A known time, shared out among places by samples.
 *
 * The time E of a frame is clocked, with a standard error of its own; samples say where in it the program was. A sample
 * may stand for several periods of the timer (a thread that was not to be interrupted): its weight. Place k takes
 * E w_k / W; the shares are those of a multinomial distribution of m = W^2 / Q samples, Q the sum of the squares of all
 * weights (Kish, Survey Sampling, 1965), where the weights of place k differ from those of others with the variance
 * ((1 - 2 p) q_k + p^2 Q) / W^2. The interval of a share is Wilson's (JASA 22 (1927), 209), which holds for shares of
 * 0 and 1 too; it is joined with the error of E by the distances of the ends (MOVER: Zou and Donner, Stat. Med. 27
 * (2008), 1693).
 *
 * Pure arithmetic in double precision; no state; thread-safe. Any unit of time. */
#ifndef PCOMP_SAMPLE_SPLIT_H
#define PCOMP_SAMPLE_SPLIT_H

struct pcomp_sample_sums {
    double weight;  /* sum of weights, timer periods */
    double squares; /* sum of their squares; weight, where every sample weighs 1 */
};

struct pcomp_sampled_time {
    double value;     /* 0 where W is 0: the interval is all of E then */
    double error;     /* standard error, never 0 where samples are few */
    double low, high; /* 95 % interval, 0 <= low <= value <= high */
};

/* The time of a place with samples `place`, of a known time of `seconds` +- `error` (standard error) in which there
 * were the samples `all` (those of the place among them). Values below 0 count as 0. */
struct pcomp_sampled_time pcomp_sample_split(struct pcomp_sample_sums place, struct pcomp_sample_sums all,
                                             double seconds, double error);

#endif
