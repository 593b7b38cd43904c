/* A predicted cost: which functions a program calls how often, and what that will cost in a mode of measuring
 * (compensation/cost/predicted_cost.h). Each thread counts for itself, as in cost_sums.h. Times are nanoseconds. */
#ifndef PCOMP_PREDICTION_H
#define PCOMP_PREDICTION_H

#include "compensation/cost/predicted_cost.h"
#include "reporters/base/options.h"
#include "reporters/tree/call_tree.h"

enum predict_from { PREDICT_STATIC, PREDICT_PROFILE, PREDICT_START };
#define PREDICT_FROMS "static|profile|start"
#define PREDICT_MODES "auto|full|trace" /* in the order of enum pcomp_predicted_mode */

struct predict_request {
    int mode;     /* enum pcomp_predicted_mode */
    double limit; /* but for mode full: share of the own time that calls may cost */
    const struct option_list *only, *skip;
};

struct predicted_function {
    char *name, *file, *module; /* file, module: NULL unknown */
    bool filtered;              /* by --only, --skip */
    bool left_out;              /* to keep the budget: out of instrumentation */
    double calls, cost;         /* of all threads */
};

struct predicted_thread {
    int pid, tid; /* 0 unknown */
    char name[32];
    double own;      /* the program's time that the calls are of */
    double once;     /* start-up, exit, first calls of paths */
    double calls;    /* as left */
    double recorded; /* of all calls, those that a trace has two events of */
    double share;    /* cost of own; NAN where own is not above 0 */
};

struct predicted_row { /* of one function in one thread */
    uint32_t function, thread;
    double calls, price; /* ns a call */
};

struct prediction {
    enum predict_from from;
    enum pcomp_predicted_mode mode;
    struct pcomp_call_prices prices;
    struct predicted_function *functions;
    size_t function_count;
    struct predicted_thread *threads;
    size_t thread_count;
    struct predicted_row *rows;
    size_t row_count;
    bool decoded;  /* from static: the instrumented functions are known; else all functions were taken */
    double memory; /* bytes of the profile; NAN unknown */
    /* by prediction_sum */
    double own, calls, cost, once, share; /* once is part of cost */
    size_t costliest;                     /* thread; SIZE_MAX where no share is known */
    /* by prediction_fit */
    double share_then; /* of the costliest thread, without what is left out */
    size_t left_out;
    bool fits_then;
};

/* From an earlier profile, or one that is being written. False after a message. */
bool prediction_from_tree(struct prediction *prediction, const struct call_tree *tree,
                          const struct predict_request *request);

/* From the functions of a program and its libraries alone: so many calls a second of each. False after a message. */
bool prediction_from_program(struct prediction *prediction, const char *program, const struct predict_request *request);

/* The sums of a prediction that is complete but for them. */
void prediction_sum(struct prediction *prediction);

/* Marks functions to be left out of instrumentation, the costliest of the costliest thread first, until its share is at
 * most `budget`; none where it is. False: out of memory. */
bool prediction_fit(struct prediction *prediction, double budget);

void prediction_free(struct prediction *prediction);

#endif
