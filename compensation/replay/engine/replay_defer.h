/* Holding a location back until others have come as far in the approximated execution. */
#ifndef PCOMP_REPLAY_DEFER_H
#define PCOMP_REPLAY_DEFER_H

#include "compensation/replay/engine/replay_state.h"

/* True: the rule is to return REPLAY_DEFERRED, because others may still do something before `until` (fixed,
 * approximated).
 */
bool replay_must_defer(struct replay *r, struct location_state *p, int64_t until);

/* For the driver. Holds the location's process. */
void replay_defer(struct replay *r, struct location_state *p);
/* The location has gone on: releases whom that lets go on. */
void replay_defer_passed(struct replay *r, const struct location_state *p);
/* Nothing else can go on: releases one. False: none is deferred. */
bool replay_defer_release(struct replay *r);
/* Before the first of these. False: no memory. */
bool replay_defer_prepare(struct replay *r);

#endif
