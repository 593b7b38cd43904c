#include "reporters/replay/drive/replay_composition.h"

#include "compensation/numeric/delta.h"

#include <stdlib.h>

static void take_greatest(struct behaviour *b, uint32_t location, int64_t time)
{
    bool more = llabs(time) > llabs(b->max);
    if (!more && (llabs(time) < llabs(b->max) || location >= b->location))
        return;
    b->max = time;
    b->location = location;
}

static void add(struct behaviour *b, uint32_t location, int64_t time)
{
    b->all += time;
    take_greatest(b, location, time);
}

void composition_add(struct behaviour behaviours[BEHAVIOURS], uint32_t location,
                     const struct replay_location_result *result, const struct path_tree *tree)
{
    int64_t length = (int64_t)((result->last - result->first) << PCOMP_FIX_SHIFT) -
                     (result->last_approximated - result->first_approximated);
    int64_t waits[REPLAY_WAIT_KINDS] = {0}, waiting = 0;
    for (uint32_t i = 0; i < tree->wait_count; i++)
        waits[tree->waits[i].kind] += tree->waits[i].measured - tree->waits[i].approximated;
    for (int k = 0; k < REPLAY_WAIT_KINDS; k++) {
        add(&behaviours[k], location, waits[k]);
        waiting += waits[k];
    }
    add(&behaviours[BEHAVIOUR_EXECUTION], location, length - waiting);
}

void composition_merge(struct behaviour behaviours[BEHAVIOURS], const struct behaviour others[BEHAVIOURS])
{
    for (int k = 0; k < BEHAVIOURS; k++) {
        behaviours[k].all += others[k].all;
        take_greatest(&behaviours[k], others[k].location, others[k].max);
    }
}
