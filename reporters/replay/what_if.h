/* What if a function were faster (pcomp replay --what-if): its own code takes a part of its time, what it calls and
 * waits for takes what follows from that. */
#ifndef PCOMP_WHAT_IF_H
#define PCOMP_WHAT_IF_H

#include "compensation/replay/engine/wake_delay.h"
#include "reporters/replay/drive/path_tree.h"
#include "reporters/trace/trace_functions.h"

#include <stdbool.h>

struct what_if {      /* all zero: not asked */
    const char *text; /* as given; NULL: not asked */
    char name[512];   /* of the function, or a pattern */
    double speed;     /* times as fast */
    struct trace_functions *functions;
    double *factors;  /* of own time, by number of the function */
    bool *unrecorded; /* by number: not all calls were recorded, the time of the others is their callers' */
    uint32_t count;
    struct wake_memory wakes; /* of the program as it is */
    int64_t without;          /* fixed-point ticks: T_a of the program as it is */
};

/* "FUNCTION=SPEEDx", a number above 0. False: it is not. */
bool what_if_parse(const char *text, struct what_if *what_if);

/* Makes a factor of 1 for each function, and finds those that were counted in place; names must be resolved. False: no
 * memory. */
bool what_if_open(struct what_if *what_if, struct trace_functions *functions);

/* Gives the functions that the name means their factor. Returns how many. */
uint32_t what_if_choose(struct what_if *what_if);

/* Takes in the functions of a location's tree of which not all calls were recorded (--budget-trace). */
void what_if_add_unrecorded(struct what_if *what_if, uint32_t process, const struct path_tree *tree);

/* A function that was chosen and has unrecorded calls; UINT32_MAX: none. What if it were faster is not known. */
uint32_t what_if_find_unrecorded(const struct what_if *what_if);

/* For replay_options.own_time; context: a what_if. */
double what_if_own_time(void *context, uint32_t process, uint64_t function);

void what_if_close(struct what_if *what_if);

#endif
