/* Predicted cost: what a measurement will take, before it is made (Hollingsworth and Miller 1996, 3.1 and 5): over all
 * functions, the cost of one call times how often it is called.
 *
 * Pure arithmetic in double precision, for reporters; no state; thread-safe. Times are nanoseconds; a share is cost in
 * the program's own time. docs/cost-model.md has the equations and says when they fail.
 *
 * Arguments may be absurd: as long as they are finite, results are finite, or NAN where there is no own time. */
#ifndef PCOMP_PREDICTED_COST_H
#define PCOMP_PREDICTED_COST_H

/* How often a function is called that nothing is known of, calls a second of the program's own time: of the program,
 * and of a library (1996, end of section 5). */
#define PCOMP_STATIC_USER_CALLS    1000.0
#define PCOMP_STATIC_LIBRARY_CALLS 100.0

#define PCOMP_TRACE_CALL_BYTES 32.0 /* two events */

enum pcomp_predicted_mode { PCOMP_PREDICT_EXACT, PCOMP_PREDICT_FULL, PCOMP_PREDICT_BURST, PCOMP_PREDICT_TRACE };

struct pcomp_call_prices { /* of one call, all of it */
    double counted;        /* mode exact: counted, no clock is read */
    double stamped;        /* mode exact: its enter and its exit read the clock */
    double sampled;        /* share of the calls of a counted function that are stamped nevertheless, 0..1 */
    double timed;          /* mode full */
    double recorded;       /* as two events of a trace */
    double filtered;       /* of a function that --only and --skip leave out */
    double off;            /* mode burst: hooks are off */
    double burst, gap;     /* mode burst: mean length, and mean distance */
};

/* Own time of a segment from which on mode exact stamps all calls of a path (profiler/sampling.c). */
#define PCOMP_PREDICT_LONG 1000.0

/* What one call of a measured function costs in a mode; in mode burst: in a burst. segment: mean time between two
 * events that is the function's own; NAN unknown, which means short. stamped: share of its calls that are known to be
 * stamped; NAN: by `segment`. */
double pcomp_predicted_call(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode, double segment,
                            double stamped);

struct pcomp_demand { /* of a thread in some time, hooks on */
    double own;       /* the program's time */
    double calls;     /* measured or filtered */
    double cost;      /* of these, by pcomp_predicted_call and prices.filtered */
};

/* What they cost as a share of the own time; NAN where that is not above 0. In mode burst the program is slowed down by
 * `cost` in bursts alone, and by calls whose hooks are off between them. */
double pcomp_predicted_share(const struct pcomp_call_prices *prices, enum pcomp_predicted_mode mode,
                             const struct pcomp_demand *demand);

#endif
