/* Which functions a trace leaves out so that it grows no faster than it may (pcomp record --budget-trace).
 *
 * Pure arithmetic with time as a parameter, in integers, as it runs inside hooks; not thread-safe. Times are ticks,
 * amounts are bytes of trace. docs/model/trace-budget.md derives the rules and says when they fail.
 *
 *   |--|--|--|--|--|--|--|--|--|--|--|--|  100 slices of 10 ms; older ones are forgotten
 *                       now ^              */
#ifndef PCOMP_TRACE_BUDGET_H
#define PCOMP_TRACE_BUDGET_H

#include "compensation/control/excess.h"

#include <stdbool.h>
#include <stdint.h>

#define PCOMP_TRACED_SLICES 100
#define PCOMP_TRACED_MAX    2048 /* functions that are told apart */
#define PCOMP_TRACED_INDEX  4096

enum pcomp_trace_over { /* why a second had more than the budget */
                        PCOMP_TRACE_OVER_NONE,
                        PCOMP_TRACE_OVER_BEFORE, /* functions were called more than before */
                        PCOMP_TRACE_OVER_ALWAYS  /* by what cannot be left out */
};

struct pcomp_traced { /* a function */
    uint64_t function;
    uint64_t activity;    /* bytes that its calls were lately, or would have been; decays by an eighth each slice */
    uint64_t quiet_since; /* tick since when it would fit, suppressed; 0: it would not */
    uint32_t patience;    /* slices that it must have fitted to be taken up; 0: never suppressed yet */
    bool suppressed;
};

struct pcomp_trace_budget {
    uint64_t rate; /* bytes a second */
    uint64_t begin, slice_ticks, slice;
    uint64_t bytes[PCOMP_TRACED_SLICES], sum; /* of the last second */
    uint64_t weight;                          /* of the past slices in activities, 1/1024 slice */
    uint64_t other;                           /* activity of what is no function, or could not be suppressed */
    uint64_t chosen;                          /* slice in which it was decided last what is taken up */
    struct pcomp_traced functions[PCOMP_TRACED_MAX];
    uint16_t index[PCOMP_TRACED_INDEX]; /* hash of the function: its place, plus 1 */
    uint32_t count;
    uint64_t worst; /* bytes of the second that had most */
    struct pcomp_excess over;
};

/* rate: above 0, below 2^40; hz: ticks a second. */
void pcomp_trace_budget_start(struct pcomp_trace_budget *b, uint64_t rate, uint64_t now, uint64_t hz);

/* So many bytes were recorded just before `now`. Notes when the last second had more than the budget. */
void pcomp_trace_budget_add(struct pcomp_trace_budget *b, uint64_t now, uint64_t bytes);

/* What they were of, about: calls of a function, 0 for anything else. `suppressed`: they were not recorded. */
void pcomp_trace_budget_note(struct pcomp_trace_budget *b, uint64_t function, uint64_t bytes, bool suppressed);

/* Bytes a second that may be recorded from now on. */
int64_t pcomp_trace_budget_room(const struct pcomp_trace_budget *b);

/* Bytes a second of all that is recorded, lately. */
int64_t pcomp_trace_budget_recorded(const struct pcomp_trace_budget *b, uint64_t now);

/* Holds the most expensive functions until the rest fits, or takes the cheapest up again that have fitted long enough.
 * Returns how many are suppressed now that were not, or the other way round. */
uint32_t pcomp_trace_budget_decide(struct pcomp_trace_budget *b, uint64_t now);

#endif
