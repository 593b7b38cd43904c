/* The rule of collectives. */
#ifndef PCOMP_COLLECTIVES_H
#define PCOMP_COLLECTIVES_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step collective_rule(struct replay *r, struct location_state *p); /* COLLECTIVE_* */

#endif
