/* What a replay of a directory found (replay_drive.h). */
#ifndef PCOMP_REPLAY_OUTCOME_H
#define PCOMP_REPLAY_OUTCOME_H

#include "compensation/replay/replay.h"
#include "reporters/replay/drive/path_tree.h"
#include "reporters/replay/drive/replay_composition.h"
#include <stdbool.h>
#include <stdint.h>

enum { REPLAY_VIOLATIONS_KEPT = 5 };

struct replay_outcome {
    enum replay_end end;
    struct replay_result result;
    struct replay_location_result *locations; /* by location */
    bool *ends_early;        /* by location: it was replayed up to where it is damaged, or cannot be read */
    struct path_tree *trees; /* by location; those of others are empty */
    const bool *others;      /* as in the request */
    struct replay_violation violations[REPLAY_VIOLATIONS_KEPT]; /* the first ones */
    uint32_t violation_count;                                   /* how many are kept */
    struct shared_part *parts;                                  /* of peers (shared_outcome.h) */
    struct replay_violation
        missing; /* the first whose cause is not in the traces; its rule is NULL where there is none */
    struct behaviour composition[BEHAVIOURS]; /* of T_m - T_a; by replay_wait_kind, then BEHAVIOUR_EXECUTION */
    double pace; /* of replay_cores.h: work takes so many times as long; 0: not looked for */
    bool has_messages;
    bool elsewhere;         /* it failed in one of the peers, who says why */
    bool interrupted;       /* by replay_interrupt */
    char error[1024];       /* what could not be read or written; "" nothing */
    uint32_t read_location; /* error: the location whose trace could not be read; UINT32_MAX none */
};

#endif
