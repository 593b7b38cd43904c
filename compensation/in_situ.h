/* Exact counts, sampled times: the time of every call path from segments of which a random few were timed.
 *
 * Pure arithmetic in double precision, for reporters; nothing in the measured process calls it. No state; thread-safe.
 * All times are ticks. docs/online-model.md derives the estimator and says when it fails.
 *
 *   ──┤enter f├── segment of f ──┤enter g├── segment of g ──┤exit g├── segment of f ──┤exit f├── segment of f's parent
 *
 * Between two events of a thread lies a segment. What follows an enter of path n is of kind (n, enter) and is n's own
 * (exclusive) time; what follows an exit is of kind (n, exit) and is its parent's. Of every kind it is known how often
 * it occurred. Some occurrences were timed (always, or in random bursts), the others passed in intervals of counted
 * events, whose durations are known too. So
 *   1. pcomp_kind_estimate   fills the untimed of a kind in with the mean of the timed;
 *   2. pcomp_thread_add      sums over the kinds of the thread what that predicts for its counted intervals;
 *   3. pcomp_correction_of   compares with what the intervals took, less the cost of counting: the difference is what
 *                            a stamp adds to a segment, here, among this program's work;
 *   4. pcomp_kind_compensated takes it off every segment. The sum over all kinds is then the actual time of the thread.
 *
 * Arguments may be absurd (a damaged file): as long as they are finite and below 2^64, results are finite. */
#ifndef PCOMP_IN_SITU_H
#define PCOMP_IN_SITU_H

#include <stdbool.h>

struct pcomp_timed {
    double ticks; /* sum */
    double count;
};

struct pcomp_kind { /* one kind of segments */
    double occurrences;
    struct pcomp_timed always;  /* timed because all of them were, or because they are too long to stand for others */
    struct pcomp_timed sampled; /* timed in bursts */
};

/* What is known of one kind. */
struct pcomp_kind_time {
    double count;    /* occurrences; those timed, where a file has more of them */
    double timed;    /* sum of the timed, ticks */
    double untimed;  /* number of the others */
    double mean;     /* of the others, stamp included, ticks */
    double variance; /* of untimed * mean against what they were, ticks^2 */
};

/* Variance of one segment, from the sum of the squares of those sampled in both kinds of a path, ticks^2; NAN where
 * fewer than three were sampled. */
double pcomp_segment_variance(const struct pcomp_kind *enter, const struct pcomp_kind *exit, double squares);

/* The estimate of `kind`; `other` is the other kind of the same path, thread_mean the mean of all segments that were
 * sampled in the thread (0: none), segment_variance as above. */
struct pcomp_kind_time pcomp_kind_estimate(const struct pcomp_kind *kind, const struct pcomp_kind *other,
                                           double thread_mean, double segment_variance);

struct pcomp_thread_sums {
    double counted_ticks;  /* of all intervals of counted events */
    double counted_events; /* in them */
    /* sums over the kinds of the thread, by pcomp_thread_add */
    double count, timed, untimed, predicted, variance;
};

void pcomp_thread_add(struct pcomp_thread_sums *sums, const struct pcomp_kind_time *kind);

struct pcomp_counting { /* calibrated */
    double call;        /* one counted call, two events, in a loop */
    double spread;      /* its systematic error */
    double overlap;     /* ticks of work a call that hide half of it; 0: none hides */
    double stamp;       /* a stamped segment with nothing in it */
};

struct pcomp_correction {
    double call;        /* what a counted call costs among this program's work, ticks */
    double call_spread; /* its systematic error */
    double segment;     /* what is added to every segment, ticks; usually negative */
    bool conserves; /* sums are the actual time of the thread; false: too little was counted, the stamp is calibrated */
    double untimed, variance; /* of the thread, for the two variances below */
};

struct pcomp_correction pcomp_correction_of(const struct pcomp_counting *counting,
                                            const struct pcomp_thread_sums *sums);

/* Actual time of all segments of a kind, and of all kinds of the thread. */
double pcomp_kind_compensated(const struct pcomp_kind_time *kind, const struct pcomp_correction *correction);
double pcomp_thread_compensated(const struct pcomp_thread_sums *sums, const struct pcomp_correction *correction);

/* Variance of the sum of pcomp_kind_compensated over some kinds of the thread with so many segments and such a sum of
 * variances. Because the sum over all kinds is known, what is too much in one is too little in all: the whole thread
 * has no variance. ticks^2 */
double pcomp_part_variance(double count, double variance, const struct pcomp_correction *correction);

#endif
