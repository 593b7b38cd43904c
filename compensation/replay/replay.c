/* The driver: dependent events of all locations in the order of their measured times. */
#include "compensation/replay/replay.h"

#include "compensation/replay/engine/event_commit.h"
#include "compensation/replay/engine/event_queue.h"
#include "compensation/replay/engine/event_scan.h"
#include "compensation/replay/engine/remote_locations.h"
#include "compensation/replay/engine/replay_defer.h"
#include "compensation/replay/engine/replay_processors.h"
#include "compensation/replay/rules/advance_await.h"
#include "compensation/replay/rules/barrier.h"
#include "compensation/replay/rules/collectives.h"
#include "compensation/replay/rules/condition.h"
#include "compensation/replay/rules/fork_join.h"
#include "compensation/replay/rules/locks.h"
#include "compensation/replay/rules/messages.h"
#include "compensation/replay/rules/semaphore.h"
#include "compensation/replay/rules/stream.h"

#include <string.h>

/* --- rules ---------------------------------------------------------------------------------------------------------
 */

static enum replay_step apply_rule(struct replay *r, struct location_state *p)
{
    switch (p->kind) {
    case PCOMP_EVENT_CREATE:
    case PCOMP_EVENT_START:
    case PCOMP_EVENT_END:
    case PCOMP_EVENT_JOIN_BEGIN:
    case PCOMP_EVENT_JOIN_END:
        return fork_join_rule(r, p);
    case PCOMP_EVENT_BARRIER_ENTER:
    case PCOMP_EVENT_BARRIER_EXIT:
        return barrier_rule(r, p);
    case PCOMP_EVENT_SEM_INIT:
    case PCOMP_EVENT_SEM_V:
    case PCOMP_EVENT_SEM_REQUEST:
    case PCOMP_EVENT_SEM_WAIT:
    case PCOMP_EVENT_SEM_PASSED:
    case PCOMP_EVENT_SEM_TAKEN:
    case PCOMP_EVENT_SEM_FAILED:
        return semaphore_rule(r, p);
    case PCOMP_EVENT_LOCK_REQUEST:
    case PCOMP_EVENT_LOCK_WAIT:
    case PCOMP_EVENT_LOCK_ACQUIRED:
    case PCOMP_EVENT_LOCK_FAILED:
    case PCOMP_EVENT_LOCK_RELEASE:
        return lock_rule(r, p);
    case PCOMP_EVENT_COND_SIGNAL:
    case PCOMP_EVENT_COND_BROADCAST:
    case PCOMP_EVENT_COND_WAIT:
    case PCOMP_EVENT_COND_WOKEN:
        return condition_rule(r, p);
    case PCOMP_EVENT_ADVANCE:
    case PCOMP_EVENT_AWAIT_BEGIN:
    case PCOMP_EVENT_AWAIT_END:
        return advance_rule(r, p);
    case PCOMP_EVENT_STREAM_WRITE:
    case PCOMP_EVENT_STREAM_WRITTEN:
    case PCOMP_EVENT_STREAM_READ:
    case PCOMP_EVENT_STREAM_DONE:
        return stream_rule(r, p);
    case PCOMP_EVENT_COLLECTIVE_ENTER:
    case PCOMP_EVENT_COLLECTIVE_EXIT:
        return collective_rule(r, p);
    default:
        return message_rule(r, p);
    }
}

/* What a rule has woken goes back into the order. */
static void return_woken(struct replay *r)
{
    while (r->woken.first) {
        struct location_state *p = &r->locations[r->woken.first - 1];
        r->woken.first = p->next_suspended;
        p->suspended_on = NULL;
        event_queue_insert(r, p);
    }
}

/* Nothing can go on but what is suspended: the earliest of it is forced. False: nothing is suspended. */
static bool force_one(struct replay *r)
{
    struct location_state *min = NULL;
    for (struct location_state *p = r->locations; p < r->locations + r->count; p++)
        if (p->suspended_on && (!min || event_queue_key(p) < event_queue_key(min)))
            min = p;
    if (!min)
        return false;
    if (r->spread) { /* the first location among all replay processes is not known */
        replay_bad_input(r, min, "what it waits for is in no trace, or waits for it");
        return false;
    }
    uint32_t *link = &min->suspended_on->first;
    while (*link != min->index + 1)
        link = &r->locations[*link - 1].next_suspended;
    *link = min->next_suspended;
    min->suspended_on = NULL;
    min->forced = true;
    event_queue_insert(r, min);
    return true;
}

/* On to the next dependent event of a location. False: failed. */
static bool go_on(struct replay *r, struct location_state *p)
{
    if (p->remote) {
        remote_committed(r, p);
        return true;
    }
    if (!replay_scan(r, p))
        return false;
    if (p->event)
        event_queue_insert(r, p);
    else {
        event_queue_remove(r, p);
        replay_processors_note(r, p, 0);
        fork_join_ends(r, p);
    }
    if (r->spread)
        remote_publish_head(r, p);
    return true;
}

static bool handle_all(struct replay *r)
{
    while (!event_queue_is_empty(r) || replay_defer_release(r) || force_one(r)) {
        struct location_state *p = &r->locations[r->tree[1].location];
        if (p->remote && !p->event && !(p = remote_own_head(r))) {
            if (!remote_receive(r))
                return false;
            continue;
        }
        uint32_t kind = p->kind;
        enum replay_step step = apply_rule(r, p);
        if (step == REPLAY_FAILED)
            return false;
        if (step == REPLAY_SUSPENDED) {
            event_queue_remove(r, p);
        } else if (step == REPLAY_DEFERRED) {
            replay_defer(r, p);
        } else {
            r->handled++;
            replay_processors_note(r, p, kind);
            if (!go_on(r, p))
                return false;
        }
        if (r->woken.first)
            return_woken(r);
        if (r->deferred)
            replay_defer_passed(r, p);
    }
    return true;
}

/* --- the whole -----------------------------------------------------------------------------------------------------
 */

static bool open_all(struct replay *r, const struct replay_location *locations)
{
    r->origin = UINT64_MAX;
    for (uint32_t i = 0; i < r->count; i++) {
        struct location_state *p = &r->locations[i];
        *p = (struct location_state){.index = i,
                                     .process = locations[i].process,
                                     .rank = locations[i].rank,
                                     .alpha = locations[i].alpha,
                                     .context = locations[i].context,
                                     .protocols = &locations[i].protocols,
                                     .machine = locations[i].machine,
                                     .alpha_factor = 1,
                                     .sites = locations[i].sites,
                                     .what_if.factor = 1,
                                     .remote = locations[i].remote};
        r->unopened += p->remote;
        if (!p->remote && !replay_scan_open(r, p))
            return false;
        if (p->block && p->first < r->origin)
            r->origin = p->first;
    }
    if (r->options->receive != REPLAY_RECEIVE_PRESERVE && !replay_defer_prepare(r)) {
        replay_no_memory(r);
        return false;
    }
    if (r->spread && !remote_locations_open(r))
        return false;
    for (uint32_t i = 0; i < r->count; i++) {
        struct location_state *p = &r->locations[i];
        if (!p->block)
            continue;
        p->measured = p->first - r->origin;
        p->running = p->first_approximated = p->node.time = replay_fixed(p->measured);
        p->node.last = CORE_NONE;
        replay_processors_note(r, p, 0);
        if (!go_on(r, p))
            return false;
    }
    return true;
}

static void write_results(const struct replay *r, struct replay_location_result *results)
{
    struct replay_result *all = r->result;
    uint64_t last = r->origin;
    int64_t first_approximated = INT64_MAX, last_approximated = INT64_MIN;
    for (uint32_t i = 0; i < r->count; i++) {
        const struct location_state *p = &r->locations[i];
        results[i] = (struct replay_location_result){.events = p->number, .lost = p->lost};
        all->events += p->number;
        all->lost += p->lost;
        if (!p->number)
            continue;
        results[i].first = p->first;
        results[i].last = r->origin + p->measured;
        results[i].first_approximated = p->first_approximated;
        results[i].last_approximated = p->running;
        if (results[i].last > last)
            last = results[i].last;
        if (p->first_approximated < first_approximated)
            first_approximated = p->first_approximated;
        if (p->running > last_approximated) {
            last_approximated = p->running;
            all->critical_path = p->path;
            all->direct_perturbation = p->path.removed;
        }
    }
    all->bytes_max = r->memory.bytes_max;
    if (!all->events)
        return;
    all->origin = r->origin;
    all->measured = last - r->origin;
    all->approximated = last_approximated - first_approximated;
}

enum replay_end replay_run(const struct replay_location *locations, uint32_t count,
                           const struct replay_options *options, const struct replay_io *io,
                           struct replay_location_result *results, struct replay_result *result)
{
    struct replay r = {
        .options = options, .io = io, .count = count, .spread = io->receive, .freed = REPLAY_NEVER, .result = result};
    memset(result, 0, sizeof *result);
    memset(results, 0, count * sizeof *results);
    result->error_location = result->error_other = REPLAY_NOBODY;
    if (!count)
        return REPLAY_DONE;
    r.locations = replay_allocate(&r.memory, count * sizeof *r.locations);
    if (!r.locations || !event_queue_begin(&r)) {
        replay_release_all(&r.memory);
        return REPLAY_NO_MEMORY;
    }
    replay_scan_classify(&r);
    r.end = REPLAY_DONE;
    if (open_all(&r, locations))
        handle_all(&r);
    write_results(&r, results);
    replay_release_all(&r.memory);
    return r.end;
}
