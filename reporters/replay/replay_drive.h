/* Runs a replay over the traces of a directory, with the threads of a crew: what reads, and what follows the call paths
 * and writes the approximated traces, is done by all of them (replay_crew.h). */
#ifndef PCOMP_REPLAY_DRIVE_H
#define PCOMP_REPLAY_DRIVE_H

#include "compensation/replay/replay.h"
#include "reporters/replay/path_tree.h"
#include "reporters/replay/replay_composition.h"
#include "reporters/replay/replay_peers.h"
#include "reporters/trace/trace_directory.h"

#include <stdbool.h>
#include <stddef.h>

enum { REPLAY_VIOLATIONS_KEPT = 5 };

struct replay_request {
    const struct trace_directory *traces;
    struct replay_options options;
    unsigned jobs;              /* threads, at least 1 */
    bool stop;                  /* at the first violation */
    const char *write_to;       /* directory for the approximated traces; NULL: none are written */
    uint8_t run_id[16];         /* of what is written */
    uint64_t before;            /* only events with a measured time before this tick; UINT64_MAX all */
    const char *progress;       /* what the bar on a terminal says; NULL: no bar */
    uint64_t bytes;             /* of all traces, for the bar */
    struct replay_peers *peers; /* who replay the other locations; NULL: there are none */
    const bool *others;         /* by location: it is one of theirs; NULL: none is */
};

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
    bool has_messages;
    bool elsewhere;         /* it failed in one of the peers, who says why */
    bool interrupted;       /* by replay_interrupt */
    char error[1024];       /* what could not be read or written; "" nothing */
    uint32_t read_location; /* error: the location whose trace could not be read; UINT32_MAX none */
};

/* Runs it; what the outcome says of the whole is that of all peers. False: outcome->end is not REPLAY_DONE, or
 * outcome->error, elsewhere or interrupted is set; what there is until then is in the outcome all the same. */
bool replay_drive(const struct replay_request *request, struct replay_outcome *outcome);
void replay_outcome_free(struct replay_outcome *outcome, uint32_t locations);

/* Ends a running replay early. For signal handlers. */
void replay_interrupt(void);

#endif
