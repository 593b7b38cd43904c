/* What the difference between the measured and the approximated execution is made of (2005, Fig. 2): execution, and
 * each kind of waiting that changed. */
#ifndef PCOMP_REPLAY_COMPOSITION_H
#define PCOMP_REPLAY_COMPOSITION_H

#include "compensation/replay/replay.h"
#include "reporters/replay/drive/path_tree.h"

enum { BEHAVIOUR_EXECUTION = REPLAY_WAIT_KINDS, BEHAVIOURS };

struct behaviour {     /* of T_m - T_a, fixed-point ticks; all zero: nothing */
    int64_t all, max;  /* of all locations; of the one that has most, by amount */
    uint32_t location; /* that one */
};

/* Adds a location: its waits by kind, and what no waiting explains as execution. */
void composition_add(struct behaviour behaviours[BEHAVIOURS], uint32_t location,
                     const struct replay_location_result *result, const struct path_tree *tree);

/* Adds the composition of other locations. */
void composition_merge(struct behaviour behaviours[BEHAVIOURS], const struct behaviour others[BEHAVIOURS]);

#endif
