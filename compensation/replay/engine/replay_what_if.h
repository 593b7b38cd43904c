/* What if functions were faster: active functions of a location, and the factor of their own time. */
#ifndef PCOMP_REPLAY_WHAT_IF_H
#define PCOMP_REPLAY_WHAT_IF_H

#include "compensation/replay/engine/replay_state.h"

/* Takes in the record at hand, which may change the active functions. False: no memory. */
bool replay_what_if_follow(struct replay *r, struct location_state *p, const struct pcomp_event *e);

/* What is saved of so much time (fixed) behind the event before, in which the location ran. */
static inline int64_t replay_what_if_saved(const struct replay *r, const struct location_state *p, int64_t own)
{
    bool runs = r->options->own_time && own > 0 && !p->outside.waits && !p->open.kind;
    return runs ? own - (int64_t)((double)own * p->what_if.factor) : 0;
}

#endif
