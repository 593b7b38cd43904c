/* The scan of one location over its independent events. */
#ifndef PCOMP_EVENT_SCAN_H
#define PCOMP_EVENT_SCAN_H

#include "compensation/replay/engine/replay_state.h"

/* Fills r->action for the model. */
void replay_scan_classify(struct replay *r);

/* Gets the first block. False: failed. */
bool replay_scan_open(struct replay *r, struct location_state *p);

/* Scans to the next dependent event, which becomes the head (p->event NULL: there is none). False: failed. */
bool replay_scan(struct replay *r, struct location_state *p);

#endif
