/* The event queue: heads of all locations, the least time first, causes before effects, then by location. */
#ifndef PCOMP_EVENT_QUEUE_H
#define PCOMP_EVENT_QUEUE_H

#include "compensation/replay/engine/replay_state.h"

/* Where the head of a location stands in the order. */
uint64_t event_queue_key(const struct location_state *p);
/* Puts a location there; REPLAY_NO_KEY takes it out. */
void event_queue_put(struct replay *r, uint32_t location, uint64_t key);

/* False: no memory. */
bool event_queue_begin(struct replay *r);

void event_queue_insert(struct replay *r, const struct location_state *p);
void event_queue_remove(struct replay *r, const struct location_state *p);
bool event_queue_is_empty(const struct replay *r);

#endif
