/* The driver: dependent events of all locations in the order of their measured times. */
#include "compensation/replay/replay.h"

#include "compensation/replay/replay_state.h"

#include <math.h>
#include <string.h>

const char *replay_wait_name(enum replay_wait_kind kind)
{
    switch ((int)kind) {
    case REPLAY_WAIT_JOIN:
        return "join";
    case REPLAY_WAIT_BARRIER:
        return "barrier";
    case REPLAY_WAIT_SEMAPHORE:
        return "semaphore";
    case REPLAY_WAIT_LOCK:
        return "lock";
    case REPLAY_WAIT_CONDITION:
        return "condition";
    case REPLAY_WAIT_AWAIT:
        return "await";
    case REPLAY_WAIT_STREAM:
        return "stream";
    case REPLAY_WAIT_LATE_SENDER:
        return "late-sender";
    case REPLAY_WAIT_LATE_RECEIVER:
        return "late-receiver";
    case REPLAY_WAIT_N_TO_N:
        return "n-to-n";
    case REPLAY_WAIT_1_TO_N:
        return "1-to-n";
    case REPLAY_WAIT_N_TO_1:
        return "n-to-1";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_SLEEP:
        return "external-sleep";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_POLL:
        return "external-poll";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_READ:
        return "external-read";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_WRITE:
        return "external-write";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_CHILD:
        return "external-child";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_SIGNAL:
        return "external-signal";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_FILE_LOCK:
        return "external-file-lock";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_TASKS:
        return "external-openmp-tasks";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_COLLECTIVE:
        return "external-mpi-collective";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_WINDOW:
        return "external-mpi-window";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_FILES:
        return "external-mpi-file";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_TEST:
        return "external-mpi-test";
    case REPLAY_WAIT_EXTERNAL + PCOMP_EXTERNAL_MESSAGE:
        return "external-mpi-message";
    default:
        return "?";
    }
}

double replay_uncertainty(const struct replay_path *path)
{
    double alpha = alpha_uncertainty((double)path->removed), outside = (double)path->external;
    return sqrt(alpha * alpha + outside * outside + 1.96 * 1.96 * path->scatter);
}

/* --- the order: the least time first, causes before effects, then by location ----------------------------------------
 */

/* At equal times: what others have made possible comes after it, and the end of a join after all that a thread does. */
static uint64_t rank_of(uint32_t kind)
{
    switch (kind) {
    case PCOMP_EVENT_START:
    case PCOMP_EVENT_BARRIER_EXIT:
    case PCOMP_EVENT_SEM_P_P:
    case PCOMP_EVENT_SEM_P_E:
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

/* A tree of winners: leaf `leaves + i` is place i, each inner node holds the lesser of its two, [1] the least of all.
 * Without branches that depend on the times, which nobody could predict. */
void replay_order_put(struct replay *r, uint32_t place, uint64_t key)
{
    uint32_t at = r->leaves + place;
    struct replay_entry least = {key, place};
    if (r->places[place].held) {
        r->places[place].held_key = key;
        return;
    }
    r->tree[at] = least;
    for (; at > 1; at >>= 1) {
        struct replay_entry other = r->tree[at ^ 1];
        /* The other one has won also with an equal key, when it stands left. */
        uint64_t take = 0 - (uint64_t)(other.key < least.key + (at & 1));
        least.key ^= (least.key ^ other.key) & take;
        least.place ^= (least.place ^ other.place) & take;
        r->tree[at >> 1] = least;
    }
}

uint64_t replay_key(const struct replay_place *p)
{
    return p->time << 2 | rank_of(p->kind);
}

static void order_insert(struct replay *r, const struct replay_place *p)
{
    replay_order_put(r, p->index, replay_key(p));
}

static void order_remove(struct replay *r, const struct replay_place *p)
{
    replay_order_put(r, p->index, REPLAY_NO_KEY);
}

static bool order_is_empty(const struct replay *r)
{
    return r->tree[1].key == REPLAY_NO_KEY;
}

/* False: no memory. */
static bool order_begin(struct replay *r)
{
    for (r->leaves = 2; r->leaves < r->count;)
        r->leaves *= 2;
    r->tree = replay_allocate(&r->memory, 2 * (size_t)r->leaves * sizeof *r->tree);
    for (uint32_t i = 0; r->tree && i < 2 * r->leaves; i++)
        r->tree[i] = (struct replay_entry){REPLAY_NO_KEY, i & (r->leaves - 1)};
    return r->tree != NULL;
}

/* --- rules ---------------------------------------------------------------------------------------------------------
 */

static enum replay_step apply_rule(struct replay *r, struct replay_place *p)
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
    case PCOMP_EVENT_SEM_P_S:
    case PCOMP_EVENT_SEM_P_W:
    case PCOMP_EVENT_SEM_P_P:
    case PCOMP_EVENT_SEM_P_E:
    case PCOMP_EVENT_SEM_P_F:
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
        struct replay_place *p = &r->places[r->woken.first - 1];
        r->woken.first = p->next_parked;
        p->parked_on = NULL;
        order_insert(r, p);
    }
}

/* Nothing can go on but what is parked: the earliest of it is forced. False: nothing is parked. */
static bool force_one(struct replay *r)
{
    struct replay_place *least = NULL;
    for (struct replay_place *p = r->places; p < r->places + r->count; p++)
        if (p->parked_on && (!least || replay_key(p) < replay_key(least)))
            least = p;
    if (!least)
        return false;
    if (r->spread) { /* who comes first among all replays is not known */
        replay_bad_input(r, least, "what it waits for is in no trace, or waits for it");
        return false;
    }
    uint32_t *link = &least->parked_on->first;
    while (*link != least->index + 1)
        link = &r->places[*link - 1].next_parked;
    *link = least->next_parked;
    least->parked_on = NULL;
    least->forced = true;
    order_insert(r, least);
    return true;
}

/* On to the next dependent event of a place. False: failed. */
static bool go_on(struct replay *r, struct replay_place *p)
{
    if (p->ghost) {
        replay_ghost_passed(r, p);
        return true;
    }
    if (!replay_place_walk(r, p))
        return false;
    if (p->event)
        order_insert(r, p);
    else {
        order_remove(r, p);
        fork_join_ends(r, p);
    }
    if (r->spread)
        replay_tell_head(r, p);
    return true;
}

static bool handle_all(struct replay *r)
{
    while (!order_is_empty(r) || replay_hold_release(r) || force_one(r)) {
        struct replay_place *p = &r->places[r->tree[1].place];
        if (p->ghost && !p->event && !(p = replay_own_head(r))) {
            if (!replay_learn(r))
                return false;
            continue;
        }
        enum replay_step step = apply_rule(r, p);
        if (step == REPLAY_FAILED)
            return false;
        if (step == REPLAY_PARKED) {
            order_remove(r, p);
        } else if (step == REPLAY_HELD) {
            replay_hold(r, p);
        } else {
            r->handled++;
            if (!go_on(r, p))
                return false;
        }
        if (r->woken.first)
            return_woken(r);
        if (r->holding)
            replay_hold_passed(r, p);
    }
    return true;
}

/* --- the whole -----------------------------------------------------------------------------------------------------
 */

static bool open_all(struct replay *r, const struct replay_location *locations)
{
    r->origin = UINT64_MAX;
    for (uint32_t i = 0; i < r->count; i++) {
        struct replay_place *p = &r->places[i];
        *p = (struct replay_place){.index = i,
                                   .process = locations[i].process,
                                   .rank = locations[i].rank,
                                   .alpha = locations[i].alpha,
                                   .protocols = &locations[i].protocols,
                                   .dearer = 1,
                                   .ghost = locations[i].ghost};
        r->unheard += p->ghost;
        if (!p->ghost && !replay_place_open(r, p))
            return false;
        if (p->block && p->first < r->origin)
            r->origin = p->first;
    }
    if (r->options->receive != REPLAY_RECEIVE_PRESERVE && !replay_hold_prepare(r)) {
        replay_no_memory(r);
        return false;
    }
    if (r->spread && !replay_ghosts_open(r))
        return false;
    for (uint32_t i = 0; i < r->count; i++) {
        struct replay_place *p = &r->places[i];
        if (!p->block)
            continue;
        p->measured = p->first - r->origin;
        p->running = p->first_approximated = replay_fixed(p->measured);
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
        const struct replay_place *p = &r->places[i];
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
    all->held_most = r->memory.held_most;
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
    struct replay r = {.options = options, .io = io, .count = count, .spread = io->learn, .result = result};
    memset(result, 0, sizeof *result);
    memset(results, 0, count * sizeof *results);
    result->error_location = result->error_other = REPLAY_NOBODY;
    if (!count)
        return REPLAY_DONE;
    r.places = replay_allocate(&r.memory, count * sizeof *r.places);
    if (!r.places || !order_begin(&r)) {
        replay_release_all(&r.memory);
        return REPLAY_NO_MEMORY;
    }
    replay_classify(&r);
    r.end = REPLAY_DONE;
    if (open_all(&r, locations))
        handle_all(&r);
    write_results(&r, results);
    replay_release_all(&r.memory);
    return r.end;
}
