#include "compensation/replay/engine/event_queue.h"

/* At equal times: what others have made possible comes after it, and the end of a join after all that a thread does. */
static uint64_t rank_of(uint32_t kind)
{
    switch (kind) {
    case PCOMP_EVENT_START:
    case PCOMP_EVENT_BARRIER_EXIT:
    case PCOMP_EVENT_SEM_PASSED:
    case PCOMP_EVENT_SEM_TAKEN:
    case PCOMP_EVENT_LOCK_ACQUIRED:
    case PCOMP_EVENT_COND_WOKEN:
    case PCOMP_EVENT_AWAIT_END:
    case PCOMP_EVENT_STREAM_DONE:
    case PCOMP_EVENT_SEND_DONE:
    case PCOMP_EVENT_RECV_DONE:
    case PCOMP_EVENT_PROBE_EXIT:
    case PCOMP_EVENT_WAIT_EXIT:
    case PCOMP_EVENT_COLLECTIVE_EXIT:
        return 1;
    case PCOMP_EVENT_JOIN_END:
        return 2;
    default:
        return 0;
    }
}

/* A tree of winners: leaf `leaves + i` is location i, each inner node holds the lesser of its two, [1] the least of
 * all. Without branches that depend on the times, which nobody could predict. */
void event_queue_put(struct replay *r, uint32_t location, uint64_t key)
{
    uint32_t at = r->leaves + location;
    struct replay_entry min = {key, location};
    if (r->locations[location].deferred) {
        r->locations[location].deferred_key = key;
        return;
    }
    r->tree[at] = min;
    for (; at > 1; at >>= 1) {
        struct replay_entry other = r->tree[at ^ 1];
        /* The other one has won also with an equal key, when it stands left. */
        uint64_t take = 0 - (uint64_t)(other.key < min.key + (at & 1));
        min.key ^= (min.key ^ other.key) & take;
        min.location ^= (min.location ^ other.location) & take;
        r->tree[at >> 1] = min;
    }
}

uint64_t event_queue_key(const struct location_state *p)
{
    return p->time << 2 | rank_of(p->kind);
}

void event_queue_insert(struct replay *r, const struct location_state *p)
{
    event_queue_put(r, p->index, event_queue_key(p));
}

void event_queue_remove(struct replay *r, const struct location_state *p)
{
    event_queue_put(r, p->index, REPLAY_NO_KEY);
}

bool event_queue_is_empty(const struct replay *r)
{
    return r->tree[1].key == REPLAY_NO_KEY;
}

bool event_queue_begin(struct replay *r)
{
    for (r->leaves = 2; r->leaves < r->count;)
        r->leaves *= 2;
    r->tree = replay_allocate(&r->memory, 2 * (size_t)r->leaves * sizeof *r->tree);
    for (uint32_t i = 0; r->tree && i < 2 * r->leaves; i++)
        r->tree[i] = (struct replay_entry){REPLAY_NO_KEY, i & (r->leaves - 1)};
    return r->tree != NULL;
}
