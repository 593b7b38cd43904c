/* Locations of other replays (see the source): only where r->spread. */
#ifndef PCOMP_REMOTE_LOCATIONS_H
#define PCOMP_REMOTE_LOCATIONS_H

#include "compensation/replay/engine/replay_state.h"

/* Tells the others when the own locations begin, and waits until they have published the same. False: failed. */
bool remote_locations_open(struct replay *r);

/* The own location has a new head, or has come to its end. */
void remote_publish_head(struct replay *r, struct location_state *p);

/* Tells what is known of the own locations' next events; `scanning` is about to read its next block. */
void remote_publish_bounds(struct replay *r, const struct location_state *scanning);

/* The remote location's head was committed: on to what is known of its next one. */
void remote_committed(struct replay *r, struct location_state *p);

/* The earliest own head that can be committed without waiting for other processes. NULL: none. */
struct location_state *remote_own_head(struct replay *r);

/* Waits for one update. False: failed. */
bool remote_receive(struct replay *r);

#endif
