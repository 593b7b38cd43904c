/* A replay on so many processors (pcomp replay --cores): a first pass finds who waits for whom, list scheduling when
 * each event happens then, and a last pass has these times. */
#ifndef PCOMP_REPLAY_CORES_H
#define PCOMP_REPLAY_CORES_H

#include "reporters/replay/drive/replay_drive.h"

/* Runs a request; returns an exit status, after a message if it is not 0. */
typedef int replay_pass(void *context, struct replay_request *request, struct replay_outcome *outcome);

/* Replays on `cores` processors. Where the program was measured on as many, with fewer processors than threads, the
 * same is done with the measured execution: how much longer it took than its schedule is what the machine's scheduler
 * and its other work take (outcome->pace), and they take as much of the approximated execution. Returns an exit status,
 * after a message if it is not 0. */
int replay_on_cores(const struct replay_request *request, uint32_t cores, struct replay_outcome *outcome,
                    replay_pass *run, void *context);

#endif
