/* Holding a lock, for the two rules that do: of locks, and of conditions, whose wait gives a mutex up and takes it
 * back.
 */
#ifndef PCOMP_REPLAY_LOCKS_H
#define PCOMP_REPLAY_LOCKS_H

#include "compensation/replay/replay_state.h"

/* The location of p releases the lock at `here` / acquires it, after `cause`. False: no memory. */
bool lock_release(struct replay *r, const struct replay_place *p, uint64_t name, const struct replay_stamp *here);
bool lock_acquire(struct replay *r, const struct replay_place *p, uint64_t name, struct replay_stamp *cause);

#endif
