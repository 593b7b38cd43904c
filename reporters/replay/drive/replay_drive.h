/* Runs a replay over the traces of a directory, with the threads of a workers: what reads, and what follows the call
 * paths and writes the approximated traces, is done by all of them (replay_workers.h). */
#ifndef PCOMP_REPLAY_DRIVE_H
#define PCOMP_REPLAY_DRIVE_H

#include "reporters/replay/drive/replay_outcome.h"
#include "reporters/replay/drive/replay_peers.h"
#include "reporters/trace/trace_directory.h"

#include <stdbool.h>
#include <stddef.h>

struct replay_request {
    const struct trace_directory *traces;
    struct replay_options options;
    bool as_measured;           /* the overhead of recording stays in */
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

/* Runs it; what the outcome says of the whole is that of all peers. False: outcome->end is not REPLAY_DONE, or
 * outcome->error, elsewhere or interrupted is set; what there is until then is in the outcome all the same. */
bool replay_drive(const struct replay_request *request, struct replay_outcome *outcome);
void replay_outcome_free(struct replay_outcome *outcome, uint32_t locations);

/* Shares the locations out among peers, whole processes one after the other, so that each peer has about as many bytes.
 * *others: as in the request, to be freed. False: out of memory. */
bool replay_share_locations(const struct trace_directory *traces, const struct replay_peers *peers, bool **others);

/* Ends a running replay early. For signal handlers. */
void replay_interrupt(void);

#endif
