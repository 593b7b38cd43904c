/* State of the search for bottlenecks (consult.h). */
#ifndef PCOMP_CONSULT_STATE_H
#define PCOMP_CONSULT_STATE_H

#include "compensation/search/search.h"
#include "reporters/consult/consult_cost.h"
#include "reporters/consult/observer.h"
#include <stdbool.h>
#include <stdint.h>

enum consult_stream { STREAM_EVERYWHERE, STREAM_COSTS };

enum consult_axis {
    AXIS_WHOLE,
    AXIS_PROCESS,
    AXIS_THREAD,
    AXIS_MODULE,
    AXIS_FUNCTION,
    AXIS_PATH,
    AXIS_OBJECT, /* that is waited for */
    AXIS_COUNT
};
extern const char *const consult_axis_names[AXIS_COUNT];

struct consult_options {
    double thresholds[WHY_COUNT]; /* shares */
    double budget;                /* share of time that measuring and observing may cost; 1 or more: no limit */
    uint32_t at_most;             /* hypotheses tested at a time; 0: as the budget allows */
    enum why only;                /* the one hypothesis to be tested, WHY_NONE: all, and their refinements */
    const char *focus;            /* at this place alone; NULL: in the whole program */
};

struct consult {
    struct consult_options options;
    struct observer observer;
    struct pcomp_search *search;
    uint32_t roots[WHY_COUNT];
    enum consult_axis focus_axis; /* of options.focus */
    double start_s;               /* CLOCK_MONOTONIC */
    double first_s, last_s;       /* of the first and last sample, from the start */
    double decided_s, window_s;   /* when last */
    double found_s;               /* when the last hypothesis became true */
    double answered_s;            /* since when none is queued or under test; negative: some are */
    uint64_t samples, window_samples;
    uint64_t random;
    double cpu_s, decide_cpu_s; /* processor time when the window began; of deciding in it */
    struct pcomp_search_cost cost;
    struct pcomp_search_plan plan;
    double hooks_share;                            /* of late */
    double running;                                /* threads in the window, summed over samples */
    struct consult_cost observed, hooks, evidence; /* both together, and each */
    uint64_t calls;                                /* counted while observed */
    double shown_s;                                /* progress */
};

#endif
