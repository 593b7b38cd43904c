/* The rule of condition variables. */
#ifndef PCOMP_CONDITION_H
#define PCOMP_CONDITION_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step condition_rule(struct replay *r, struct location_state *p); /* COND_* */

#endif
