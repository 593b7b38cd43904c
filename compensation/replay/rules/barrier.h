/* The rule of barriers. */
#ifndef PCOMP_BARRIER_H
#define PCOMP_BARRIER_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step barrier_rule(struct replay *r, struct location_state *p); /* BARRIER_* */

#endif
