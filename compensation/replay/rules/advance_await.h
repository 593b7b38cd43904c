/* The rule of advance and await. */
#ifndef PCOMP_ADVANCE_AWAIT_H
#define PCOMP_ADVANCE_AWAIT_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step advance_rule(struct replay *r, struct location_state *p); /* ADVANCE, AWAIT_* */

#endif
