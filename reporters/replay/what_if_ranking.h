/* pcomp replay --what-if all: the functions whose own code, were it twice as fast, would make the whole program faster;
 * one replay each. */
#ifndef PCOMP_WHAT_IF_RANKING_H
#define PCOMP_WHAT_IF_RANKING_H

#include "reporters/base/emitter.h"
#include "reporters/replay/replay_job.h"

/* Prints the ranking; nothing is written to job->out. Returns an exit status, after a message if it is not 0. */
int what_if_ranking(struct replay_job *job, enum emit_format format);

#endif
