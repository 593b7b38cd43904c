/* The rule of messages. */
#ifndef PCOMP_MESSAGES_H
#define PCOMP_MESSAGES_H

#include "compensation/replay/engine/replay_state.h"

enum replay_step message_rule(struct replay *r, struct location_state *p); /* SEND_* ... REQUEST_GONE, WAIT_* */

#endif
