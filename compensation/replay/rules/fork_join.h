/* The rule of threads and processes: creation and join. */
#ifndef PCOMP_FORK_JOIN_H
#define PCOMP_FORK_JOIN_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step fork_join_rule(struct replay *r, struct location_state *p); /* CREATE ... JOIN_END */

/* The location has come to its end: so has its process, if that was forked. */
void fork_join_ends(struct replay *r, struct location_state *p);

#endif
