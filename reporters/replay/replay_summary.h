/* What `pcomp replay` says when it is done: totals, waiting, locations, and what was not as it should be. */
#ifndef PCOMP_REPLAY_SUMMARY_H
#define PCOMP_REPLAY_SUMMARY_H

#include "reporters/base/emitter.h"
#include "reporters/replay/replay_job.h"

/* actual: ns that the program took unmeasured; below 0: not known. Returns an exit status. */
int replay_summary(struct replay_job *job, double actual, enum emit_format format);

#endif
