/* The rule of locks; and deferred one, for conditions, too: their wait gives a mutex up and takes it back. */
#ifndef PCOMP_LOCKS_H
#define PCOMP_LOCKS_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step lock_rule(struct replay *r, struct location_state *p); /* LOCK_* */

/* The location of p releases the lock at `here` / acquires it, after `cause`. False: no memory. */
bool lock_release(struct replay *r, const struct location_state *p, uint64_t name, const struct replay_stamp *here);
bool lock_acquire(struct replay *r, const struct location_state *p, uint64_t name, struct replay_stamp *cause);

#endif
