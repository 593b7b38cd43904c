/* The rule of semaphores. */
#ifndef PCOMP_SEMAPHORE_H
#define PCOMP_SEMAPHORE_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step semaphore_rule(struct replay *r, struct location_state *p); /* SEM_* */

#endif
