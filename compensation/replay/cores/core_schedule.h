/* List scheduling: the execution of a core_graph on a given number of processors. Ready
 * locations wait in one queue, in the order of becoming ready. A running location keeps its processor until its next
 * wait, or until the end of a slice while others are ready. The papers assume a processor for each location.
 *
 * The result is the time of each event, which a second replay takes over (replay.h). */
#ifndef PCOMP_CORE_SCHEDULE_H
#define PCOMP_CORE_SCHEDULE_H

#include "compensation/replay/cores/core_graph.h"

#define CORE_AS_MEASURED (-1)

struct core_time {  /* of an event; fixed */
    int64_t time;   /* when it happens */
    int64_t queued; /* how long its location waited for processors before */
    int64_t waited; /* how long it waited for a mutex; CORE_AS_MEASURED: it waits for what it waited for as measured */
};

struct core_plan { /* free with core_plan_free */
    uint32_t locations;
    uint64_t *first;         /* by location: index of its first event in `times`; one more at the end */
    struct core_time *times; /* by location and dependent event */
};

struct core_machine {
    uint32_t cores; /* at least 1 */
    int64_t slice;  /* fixed-point ticks, above 0 */
    double pace;    /* work takes so many times as long, at least 1: what a scheduler loses between threads */
};

/* Schedules `locations` locations. False: no memory. */
bool core_schedule(struct core_graph *graph, uint32_t locations, const struct core_machine *machine,
                   struct core_plan *plan);

/* Fixed-point ticks from 0 to the last event of the plan. */
int64_t core_plan_length(const struct core_plan *plan);

/* The n-th dependent event of a location; NULL where the plan has none. */
const struct core_time *core_plan_time(const struct core_plan *plan, uint32_t location, uint64_t event);

void core_plan_free(struct core_plan *plan);

#endif
