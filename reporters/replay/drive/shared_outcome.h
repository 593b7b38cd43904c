/* What each of several processes that replay together found of its own locations, put together. */
#ifndef PCOMP_SHARED_OUTCOME_H
#define PCOMP_SHARED_OUTCOME_H

#include "reporters/replay/drive/replay_outcome.h"
#include "reporters/replay/drive/replay_peers.h"

/* Makes the outcome that of all, with the first violations of all, in every process. False: out of memory, or somebody
 * has failed. */
bool outcome_share(struct replay_outcome *outcome, struct replay_peers *peers);

/* Frees what the violations of others refer to. */
void outcome_unshare(struct replay_outcome *outcome);

#endif
