/* Locations that share processors: what of a measured delay was waiting for one, and the replay on so many of them. */
#ifndef PCOMP_REPLAY_PROCESSORS_H
#define PCOMP_REPLAY_PROCESSORS_H

#include "compensation/replay/engine/replay_state.h"

/* The location begins or ends to need one: `kind` was committed; 0: it has come to its first event, or to its end. */
void replay_processors_note(struct replay *r, struct location_state *p, uint32_t kind);

/* Of the measured delay (fixed) from `since` (fixed) to the event at hand, which ended a wait of threads: the part in
 * which the location waited for a processor. `usual`: what such a delay is otherwise; 0: not known. */
int64_t replay_processors_waited(const struct replay *r, int64_t since, int64_t delay, int64_t usual);

/* The event at hand, not yet committed, uses a lock in this way; *number is the lock's, 0 before the first time. */
void replay_lock_used(struct replay *r, uint32_t *number, enum core_use use);

/* The event at hand acquires a mutex in the order of the plan: its measured cause is none. */
bool replay_processors_reorder(const struct replay *r, const struct location_state *p);

/* The event at hand gets a node of the graph, and *when, which is as it would be without, from the plan. False: no
 * memory. */
bool replay_processors_commit(struct replay *r, struct location_state *p, struct core_time *when);

#endif
