/* A whole run from short bursts of it: hooks were off but in bursts of random length at random distances.
 *
 * Pure arithmetic in double precision; no state; thread-safe. All times are ticks. docs/online-model.md derives the
 * estimators ("Bursts") and says when they fail.
 *
 *   hooks   ████████░░░░░░░░░░░░░░░░██░░░░░░░░░░░░███░░░░░░░░░░░░░░
 *           exact   |◀─── gap ────▶|W|
 *
 * In a burst the program runs slower, so its length W says nothing of how much of the program it saw: that is its
 * progress, W less what counting took. A call that it saw stands for as many as the gap before it is longer than that
 * progress. Where calls are many, progress is small: burst by burst, not in the mean over all.
 *
 * What counting takes there is not known well enough: W less nearly all of W. So sums are made for two values of it,
 * nothing (low) and what was calibrated (high), and what lies between or beyond is told by functions whose calls are
 * counted in the gaps, too (held): their sums must be what was counted.
 *
 * Arguments may be absurd (a damaged file): as long as they are finite, results are finite. */
#ifndef PCOMP_BURST_H
#define PCOMP_BURST_H

struct pcomp_burst_weight { /* how many calls one of a burst stands for, besides itself */
    double low, high;
};

/* Of the ticks that hooks with a clock took in a burst of `length`, those in which the thread had a processor, as it
 * had for `ran`. What is interrupted is interrupted in a hook if it was there for longer than it ran elsewhere; hooks
 * take no more than half of that in any case. */
double pcomp_burst_hooks_ran(double hooks, double length, double ran);

/* What a burst of `length` cost a thread that ran for `ran` of it, of whose time counting took so much and hooks with a
 * clock so much: no more than it ran. What it lost to others inside a hook, the hook did not take. */
double pcomp_burst_cost(double counting, double hooks, double length, double ran);

/* gap: time off before the burst; length: of the burst; counting: what that took of it, as calibrated. */
struct pcomp_burst_weight pcomp_burst_weigh(double gap, double length, double counting);

/* The same where counting takes so many times what was calibrated. */
double pcomp_burst_weight_at(const struct pcomp_burst_weight *weight, double factor);

struct pcomp_burst_held {                       /* sums over bursts, of all functions that were held */
    double on;                                  /* calls in bursts */
    double low, high;                           /* these, weighed */
    double off;                                 /* calls in the gaps before */
    double off_squares, products, high_squares; /* squares of off, off * high, squares of high */
};

struct pcomp_burst_slowness { /* what counting takes in bursts, to what was calibrated */
    double factor, error;     /* and its standard deviation */
};

/* From the held functions as far as they tell; else what was calibrated, with an error of 20 %; between 0.6 and 1.4. */
struct pcomp_burst_slowness pcomp_burst_slowness_of(const struct pcomp_burst_held *held);

struct pcomp_burst_calls { /* of one call path, in bursts while its function was not held */
    double seen;
    double low, high, squares; /* sums over bursts: seen, weighed; squares of what adds to high */
};

struct pcomp_burst_count {
    double calls, variance; /* off */
};

/* A 95 % interval of so many standard deviations reaches the upper limit of a Poisson mean of which nothing was counted
 * (3.0). */
#define PCOMP_BURST_NONE_SEEN (3.0 / 1.96)

/* The calls of a path while hooks were off. `bursts`: how many its thread lived in; `scale`: the time that the thread's
 * hooks were off, to the sum of the gaps. */
struct pcomp_burst_count pcomp_burst_count_of(const struct pcomp_burst_calls *path, double bursts, double scale,
                                              const struct pcomp_burst_slowness *slowness);

struct pcomp_burst_times { /* of one thread */
    double on;             /* wall time in bursts */
    double counting;       /* what that took of it, as calibrated */
    double off;            /* wall time between bursts */
    double off_calls;      /* calls there */
    double off_call;       /* what one costs, and the standard deviation of that */
    double off_call_spread;
};

struct pcomp_burst_total {
    double actual; /* time of all that the bursts stand for, themselves included */
    double error;  /* its systematic standard deviation */
};

struct pcomp_burst_total pcomp_burst_total_of(const struct pcomp_burst_times *times,
                                              const struct pcomp_burst_slowness *slowness);

/* What is left of a burst, of which counting took so much: what the program got on by. */
double pcomp_burst_progress(double length, double counting);

/* Time of the program that a burst stands for: the gap before it and its own progress, less what the calls in the gap
 * took whose hooks were off: `off`, which is at most most of the gap. */
double pcomp_burst_stands_for(double gap, double progress, double off);

struct pcomp_burst_seen {   /* by one thread in one burst; predicted time of its segments: */
    double sure;            /* those that were timed */
    double brief, rest;     /* those that were only counted (compensation/in_situ.h), ... */
    double ticks, counting; /* ... which all together took so much, of which counting */
};

struct pcomp_burst_share {
    double weight; /* of a predicted time: what it stands for */
    double brief;  /* factor of what is brief in it */
};

/* Shares the time that a burst stands for, the gap before it and its own progress, out among the segments that it saw:
 * their times by these weights sum up to it. However little or much time the burst itself saw, or was kept from its
 * processor: it stands for no more. */
struct pcomp_burst_share pcomp_burst_share_of(const struct pcomp_burst_seen *seen, double stands_for);

/* Variance of the sum over bursts of which each differs from the one before as much as the program does between them.
 * changes: sum of the squares of the differences from one burst to the next, the last one to nothing included. */
double pcomp_burst_sum_variance(double changes);

/* The same at most: if each burst saw this part alone, or not at all. time: of the part; stands, squares: sum of what
 * all bursts stand for, and of the squares. ticks^2 */
double pcomp_burst_part_variance(double time, double stands, double squares);

#endif
