/* Carries updates between replays that run in threads of one program. What is published stays behind until it is
 * flushed, as it may with any carrier. Thread-safe. */
#ifndef PCOMP_TEST_REPLAY_HUB_H
#define PCOMP_TEST_REPLAY_HUB_H

#include "compensation/replay/replay.h"

struct replay_hub;

struct replay_hub *replay_hub_new(uint32_t parts);
void replay_hub_free(struct replay_hub *hub); /* NULL: nothing */

void replay_hub_publish(struct replay_hub *hub, uint32_t part, const struct replay_update *update);
void replay_hub_flush(struct replay_hub *hub, uint32_t part);
/* Flushes and waits. False: all that are left wait, or one has failed, so nothing will come. */
bool replay_hub_receive(struct replay_hub *hub, uint32_t part, struct replay_update *update);
/* The replay is over. */
void replay_hub_leave(struct replay_hub *hub, uint32_t part);

#endif
