/* The rule of streams. */
#ifndef PCOMP_STREAM_H
#define PCOMP_STREAM_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step stream_rule(struct replay *r, struct location_state *p); /* STREAM_* */

#endif
