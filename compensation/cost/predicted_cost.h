/* Predicted cost: what a measurement will take, before it is made (Hollingsworth and Miller 1996, 3.1 and 5): over all
 * functions, the cost of one call times how often it is called.
 *
 * Pure arithmetic in double precision, for reporters; no state; thread-safe. Times are nanoseconds; a share is cost in
 * the program's own time. docs/model/predicted-cost.md has the equations and says when they fail.
 *
 * Arguments may be absurd: as long as they are finite, results are finite, or NAN where there is no own time. */
#ifndef PCOMP_PREDICTED_COST_H
#define PCOMP_PREDICTED_COST_H

/* How often a function is called that nothing is known of, calls a second of the program's own time: of the program,
 * and of a library (1996, end of section 5). */
#define PCOMP_STATIC_USER_CALLS    1000.0
#define PCOMP_STATIC_LIBRARY_CALLS 100.0

#define PCOMP_TRACE_CALL_BYTES 32.0 /* two events */

enum pcomp_predicted_mode { PCOMP_PREDICT_AUTO, PCOMP_PREDICT_FULL, PCOMP_PREDICT_TRACE };

struct pcomp_call_prices { /* of one call, all of it */
    double timed;
    double counted;         /* but for mode full: counted in place */
    double recorded;        /* mode trace: as two events */
    double filtered;        /* of a function that --only and --skip leave out */
    double allowance, rate; /* of a function so many calls, and calls a second, are timed or recorded; others counted */
    double start, share;    /* mode trace: what recorded calls may cost, and share of the own time besides; 0: any */
    double limit;           /* greatest share that calls may cost, but for mode full */
};

/* How many of `calls` calls of one measured function are not counted in place. */
double pcomp_predicted_not_counted(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double calls,
                                   double own);

/* How many calls of a thread a trace records at most; INFINITY: any number. */
double pcomp_predicted_recorded_max(const struct pcomp_call_prices *prices, double own);

/* What `calls` calls of one measured function cost in a mode, in an own time of `own`. */
double pcomp_predicted_calls(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double calls,
                             double own);

/* What calls of a thread that cost `cost`, by pcomp_predicted_calls and prices.filtered, are of its own time; NAN where
 * that is not above 0. What is above the limit is sampled, but for mode full. */
double pcomp_predicted_share(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double cost,
                             double own);

#endif
