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
 *   1. pcomp_kind_estimate   fills the untimed of a kind in with the mean of the timed, less a stamp;
 *   2. pcomp_region_add      sums over the kinds of a region what that predicts for its counted intervals;
 *   3. pcomp_correction_of   compares the prediction with what the intervals took, less the counting;
 *   4. pcomp_kind_compensated corrects the kinds, so that their sum is the actual time of the intervals.
 *
 * A region is what runs below a call path that is timed always, down to the next one; its intervals are known apart, so
 * the inclusive time of that path is known as well as counting is. The root of a thread has one too.
 *
 * What a stamp of some 50 ns tells of a segment of 2 ns is little: processors overlap the two. So a predicted segment
 * is split: the part below the blur of a stamp (brief) is taken in proportion, as much as the intervals leave for it;
 * the rest stands as measured.
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
    double raw;      /* sum of all timed, as measured, ticks */
    double always;   /* sum of those that were timed always, less their stamps, ticks */
    double others;   /* number of the others ... */
    double untimed;  /* ... and of those among them that were not timed */
    double brief;    /* mean of the others, less the stamp: what is below the blur of a stamp, and what exceeds it; */
    double rest;     /* ticks */
    double variance; /* of the others' sum, ticks^2 */
};

/* Variance of one segment, from the sum of the squares of those sampled in both kinds of a path, ticks^2; NAN where
 * fewer than three were sampled. */
double pcomp_segment_variance(const struct pcomp_kind *enter, const struct pcomp_kind *exit, double squares);

struct pcomp_counting { /* calibrated */
    double call;        /* one counted call, two events, in a loop */
    double filtered;    /* the same of a filtered function, which the hooks look up twice */
    double spread;      /* its systematic error */
    double stamp;       /* a stamped segment with nothing in it; its blur is taken as a sixth of it */
    double brief;       /* how long a segment is of which the proportion is known at best; 0: the blur */
};

/* The estimate of `kind`; `other` is the other kind of the same path, thread_mean the mean of all segments that were
 * sampled in the thread (0: none), segment_variance as above. */
struct pcomp_kind_time pcomp_kind_estimate(const struct pcomp_kind *kind, const struct pcomp_kind *other,
                                           double thread_mean, double segment_variance,
                                           const struct pcomp_counting *counting);

/* Counted events, and untimed segments, from which on a region tells more than what is known elsewhere. */
#define PCOMP_REGION_LEAST 2000.0

struct pcomp_region {      /* sums; also of a whole thread */
    double counted_ticks;  /* of all intervals of counted events */
    double counted_events; /* in them */
    double dearer;         /* ticks that counting them took beyond `call` for each two */
    /* sums over the kinds, by pcomp_region_add */
    double count, raw, untimed, brief, rest, variance; /* brief and rest of the untimed */
};

void pcomp_region_add(struct pcomp_region *sums, const struct pcomp_kind_time *kind);

struct pcomp_correction {
    double brief, rest; /* factors */
};

/* By how much brief segments may be longer than they seem. What intervals took beyond that, as when the thread was
 * preempted in them, is no segment's more than another's. */
#define PCOMP_BRIEF_MOST 4.0

/* The correction of a whole thread, where a counted call costs `call`: the rest as it is and the brief as much as the
 * intervals leave; both alike more where they leave the brief more than PCOMP_BRIEF_MOST times what it seems; less of
 * the rest where they leave the brief less than half of what it had if both were corrected alike; no time at all where
 * counting seems to have taken more than there was; none where nothing passed untimed. However little was counted: a
 * thread has no time but its own. */
struct pcomp_correction pcomp_correction_of_thread(const struct pcomp_region *thread, double call);

/* The same of a region. `otherwise`, the thread's, is for one in which too little was counted to tell. */
struct pcomp_correction pcomp_correction_of(const struct pcomp_region *region, double call,
                                            struct pcomp_correction otherwise);

/* Actual time of all segments of a kind. */
double pcomp_kind_compensated(const struct pcomp_kind_time *kind, const struct pcomp_correction *correction);

/* Variance of the sum of pcomp_kind_compensated over some kinds of a region, which sum up to so much untimed brief time
 * and such a variance. Because the sum over all kinds is known, what is too much in one is too little in all, in
 * proportion to their brief times: the whole region has no variance. ticks^2 */
double pcomp_part_variance(double brief, double variance, const struct pcomp_region *region);

/* Measurements of one counted call made while the program ran; sums. */
struct pcomp_in_place {
    double cost, squares, count;
    double events, event_squares; /* that were counted before each of them, and their squares; 0: not known */
    double event_cost;            /* each times these */
};

void pcomp_in_place_add(struct pcomp_in_place *sums, double cost, double squares, double count);

/* Their mean, each for the events that were counted before it; with fewer than PCOMP_IN_PLACE_LEAST, `otherwise`.
 * *spread, the systematic standard deviation of `otherwise`, becomes that of the mean as what the measurements scatter
 * by tells it. Units of `cost`. */
#define PCOMP_IN_PLACE_LEAST 16.0
double pcomp_in_place_mean(const struct pcomp_in_place *sums, double otherwise, double *spread);

/* What a counted call costs more in a program whose call paths do not stay in the caches than in the kernel, whose few
 * do: the mean time of so many look-ups less that of such as had nothing to fetch, and less a quarter of that, which a
 * processor hides behind other work in any program. 0 with fewer than PCOMP_IN_PLACE_LEAST. ticks */
double pcomp_fetching(double ticks, double count, double near_ticks, double near_count);

/* Its standard deviation, as a share of it: what else is fetched then, by hooks and by the program, is not known. */
#define PCOMP_FETCHING_SPREAD 0.5

/* Standard deviation, as a share of that mean, of what a counted call costs in a program which does so much work
 * between two calls, as a multiple of the cost: known best where calls follow each other as in the kernel that was
 * measured. docs/accuracy.md has the programs that it was found from. */
double pcomp_in_place_context(double work);

/* By how much another run of the program would take longer or shorter on the same machine, standard deviation, share of
 * its time: from how much the time of a kernel without hooks changes while it runs, which is what two measurements in a
 * row have in common beyond the mean: not what each scatters by alone. ticks: their sum; products: of the products of
 * each and the one before it. 0 with fewer pairs than PCOMP_IN_PLACE_LEAST. */
double pcomp_unrest(double ticks, double products, double pairs);

#endif
