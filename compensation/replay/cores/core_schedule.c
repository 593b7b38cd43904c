#include "compensation/replay/cores/core_schedule.h"

#include <stdlib.h>

#define NEVER INT64_MIN

/* A node is passed in these phases; the thread needs a processor in WORK, to LEAVE, to RETRY to get a lock, and to
 * FINISH. */
enum phase { WORK, IDLE, BLOCKED, DELAY, LEAVE, FINISH, RETRY };

struct runner { /* a location */
    uint32_t *chain;
    uint32_t length, at; /* nodes of the location; the one it is in */
    enum phase phase;
    bool has_core, in_queue;
    int64_t left;            /* work of the phase */
    int64_t begun;           /* when it got the processor for it last */
    int64_t ready, queued;   /* since when it is ready; how long it was, since the event before */
    int64_t blocked, waited; /* the same of mutexes that are taken */
    uint32_t next_waiter;
    uint64_t planned;
};

struct lock {
    bool in_order, taken;
    uint32_t first, last; /* runners that wait for it, + 1; 0 none */
};

struct timer {
    int64_t time;
    uint64_t order;
    uint32_t runner;
};

struct schedule {
    struct core_graph *graph;
    struct runner *runners;
    const struct core_machine *machine;
    uint32_t count, busy;
    struct timer *timers; /* a heap; each runner has at most one */
    uint32_t timer_count;
    uint64_t order;
    uint32_t *queue; /* of ready locations: a ring of `count` */
    uint32_t queue_first, queued;
    struct lock *locks;
    uint32_t lock_count;
    struct core_plan *plan;
};

/* --- timers --------------------------------------------------------------------------------------------------------
 */

static bool is_before(const struct timer *a, const struct timer *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void timer_add(struct schedule *s, uint32_t runner, int64_t time)
{
    struct timer timer = {time, s->order++, runner};
    uint32_t i = s->timer_count++;
    for (; i && is_before(&timer, &s->timers[(i - 1) / 2]); i = (i - 1) / 2)
        s->timers[i] = s->timers[(i - 1) / 2];
    s->timers[i] = timer;
}

static struct timer timer_take(struct schedule *s)
{
    struct timer first = s->timers[0], last = s->timers[--s->timer_count];
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < s->timer_count) {
        if (child + 1 < s->timer_count && is_before(&s->timers[child + 1], &s->timers[child]))
            child++;
        if (!is_before(&s->timers[child], &last))
            break;
        s->timers[i] = s->timers[child];
        i = child;
    }
    s->timers[i] = last;
    return first;
}

/* --- causes --------------------------------------------------------------------------------------------------------
 */

/* A node that has still to happen before `node` has, an event; CORE_NONE: none, and node's time is known. */
static uint32_t missing_for(struct schedule *s, uint32_t node)
{
    int64_t latest = NEVER;
    struct core_node *nodes = s->graph->nodes;
    for (uint32_t at = node;; at = nodes[at].location) {
        bool join = nodes[at].kind == CORE_JOIN && nodes[at].time == NEVER;
        uint32_t one = join ? nodes[at].cause : at;
        if (nodes[one].time == NEVER) {
            uint32_t missing = nodes[one].kind == CORE_JOIN ? missing_for(s, one) : one;
            if (missing != CORE_NONE)
                return missing;
        }
        latest = nodes[one].time > latest ? nodes[one].time : latest;
        if (!join)
            break;
    }
    nodes[node].time = latest;
    return CORE_NONE;
}

/* --- running -------------------------------------------------------------------------------------------------------
 */

static struct core_node *node_of(const struct schedule *s, const struct runner *r)
{
    return &s->graph->nodes[r->chain[r->at]];
}

static uint32_t index_of(const struct schedule *s, const struct runner *r)
{
    return (uint32_t)(r - s->runners);
}

static void make_ready(struct schedule *s, struct runner *r, enum phase phase, int64_t now)
{
    r->phase = phase;
    r->ready = now;
    uint32_t at = s->queue_first + s->queued++;
    s->queue[at < s->count ? at : at - s->count] = index_of(s, r);
}

static void give_up_core(struct schedule *s, struct runner *r)
{
    s->busy -= r->has_core;
    r->has_core = false;
}

static void run_on(struct schedule *s, struct runner *r, int64_t now)
{
    r->begun = now;
    timer_add(s, index_of(s, r), now + (r->left < s->machine->slice ? r->left : s->machine->slice));
}

static void begin_node(struct schedule *s, struct runner *r)
{
    if (r->at == r->length) {
        give_up_core(s, r);
        return;
    }
    r->phase = WORK;
    double work = (double)(node_of(s, r)->own > 0 ? node_of(s, r)->own : 0) + (double)node_of(s, r)->cost;
    r->left = (int64_t)(work * s->machine->pace);
}

static void wake_waiters(struct schedule *s, struct core_node *node, int64_t now)
{
    while (node->waiter) {
        struct runner *waiter = &s->runners[node->waiter - 1];
        node->waiter = waiter->next_waiter;
        timer_add(s, index_of(s, waiter), now);
    }
}

/* The lock that an event is about, unless its measured order is kept; NULL: none. */
static struct lock *lock_of(struct schedule *s, const struct core_node *node, enum core_use use)
{
    struct lock *lock = node->lock % 4 == use ? &s->locks[node->lock / 4] : NULL;
    return lock && !lock->in_order ? lock : NULL;
}

/* Wakes the location that waited longest. It does not own the lock yet: as with a futex, the first to try gets it. */
static void release(struct schedule *s, struct lock *lock, int64_t now)
{
    lock->taken = false;
    if (!lock->first)
        return;
    struct runner *waiter = &s->runners[lock->first - 1];
    lock->first = waiter->next_waiter;
    waiter->phase = RETRY;
    waiter->waited += now - waiter->blocked;
    timer_add(s, index_of(s, waiter), now + (node_of(s, waiter)->delay > 0 ? node_of(s, waiter)->delay : 0));
}

static void wait_for_lock(struct schedule *s, struct runner *r, struct lock *lock, int64_t now)
{
    give_up_core(s, r);
    r->phase = BLOCKED;
    r->blocked = now;
    r->next_waiter = 0;
    if (lock->first)
        s->runners[lock->last - 1].next_waiter = index_of(s, r) + 1;
    else
        lock->first = index_of(s, r) + 1;
    lock->last = index_of(s, r) + 1;
}

static void finish_node(struct schedule *s, struct runner *r, int64_t now)
{
    struct core_node *node = node_of(s, r);
    struct lock *released = lock_of(s, node, CORE_RELEASES);
    node->time = node->kind == CORE_BEGIN ? node->idle : now;
    if (node->kind != CORE_BEGIN) {
        int64_t waited = lock_of(s, node, CORE_ACQUIRES) ? r->waited : CORE_AS_MEASURED;
        s->plan->times[r->planned++] = (struct core_time){now, r->queued, waited};
        r->queued = r->waited = 0;
    }
    wake_waiters(s, node, now);
    if (released)
        release(s, released, now);
    r->at++;
    begin_node(s, r);
}

static void try_lock(struct schedule *s, struct runner *r, struct lock *lock, int64_t now)
{
    if (!r->has_core) {
        make_ready(s, r, RETRY, now);
    } else if (lock->taken) {
        wait_for_lock(s, r, lock, now);
    } else {
        lock->taken = true;
        finish_node(s, r, now);
    }
}

/* The thread stands before the event of its node, with or without a processor: it waits for what must come before. */
static void wait_for_cause(struct schedule *s, struct runner *r, int64_t now)
{
    struct core_node *node = node_of(s, r);
    struct lock *lock = lock_of(s, node, CORE_ACQUIRES);
    if (lock) {
        try_lock(s, r, lock, now);
        return;
    }
    uint32_t missing = node->cause == CORE_NONE ? CORE_NONE : missing_for(s, node->cause);
    if (missing != CORE_NONE) {
        give_up_core(s, r);
        r->phase = BLOCKED;
        r->next_waiter = s->graph->nodes[missing].waiter;
        s->graph->nodes[missing].waiter = index_of(s, r) + 1;
        return;
    }
    bool waited = r->phase == BLOCKED;
    if (node->kind == CORE_WAIT && !waited && r->has_core) { /* the delay is work where nothing is waited for */
        r->left = node->delay - node->cost;
        if (r->left <= 0) {
            finish_node(s, r, now);
            return;
        }
        r->phase = LEAVE;
        timer_add(s, index_of(s, r), now + r->left);
        return;
    }
    int64_t due = node->kind == CORE_WAIT ? now + node->delay : now;
    if (node->kind == CORE_PASS && node->cause != CORE_NONE && s->graph->nodes[node->cause].time + node->delay > now)
        due = s->graph->nodes[node->cause].time + node->delay;
    if (due > now) {
        give_up_core(s, r);
        r->phase = DELAY;
        timer_add(s, index_of(s, r), due);
    } else if (r->has_core) {
        finish_node(s, r, now);
    } else {
        make_ready(s, r, FINISH, now);
    }
}

/* All that a thread with a processor does at once. */
static void run(struct schedule *s, struct runner *r, int64_t now)
{
    while (r->has_core && r->at < r->length && r->phase != LEAVE) {
        struct core_node *node = node_of(s, r);
        if (r->phase == FINISH) {
            finish_node(s, r, now);
        } else if (r->phase == RETRY) {
            wait_for_cause(s, r, now);
        } else if (r->left > 0) {
            run_on(s, r, now);
            return;
        } else if (node->idle > 0) {
            give_up_core(s, r);
            r->phase = IDLE;
            timer_add(s, index_of(s, r), now + node->idle);
        } else {
            wait_for_cause(s, r, now);
        }
    }
}

static void hand_out(struct schedule *s, int64_t now)
{
    while (s->busy < s->machine->cores && s->queued) {
        struct runner *r = &s->runners[s->queue[s->queue_first]];
        if (++s->queue_first == s->count)
            s->queue_first = 0;
        s->queued--;
        s->busy++;
        r->has_core = true;
        r->queued += now - r->ready;
        run(s, r, now);
    }
}

static void timer_ends(struct schedule *s, struct runner *r, int64_t now)
{
    switch (r->phase) {
    case WORK:
        r->left -= now - r->begun;
        if (r->left > 0 && s->queued) {
            give_up_core(s, r);
            make_ready(s, r, WORK, now);
        } else {
            run(s, r, now);
        }
        break;
    case LEAVE:
        finish_node(s, r, now);
        run(s, r, now);
        break;
    case DELAY:
        make_ready(s, r, FINISH, now);
        break;
    default: /* IDLE, BLOCKED, RETRY */
        wait_for_cause(s, r, now);
        break;
    }
}

static void run_all(struct schedule *s)
{
    int64_t now = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct runner *r = &s->runners[i];
        if (!r->length)
            continue;
        begin_node(s, r);
        if (r->left > 0 || node_of(s, r)->kind == CORE_WORK)
            make_ready(s, r, WORK, now);
        else if (node_of(s, r)->idle > 0) {
            r->phase = IDLE;
            timer_add(s, i, node_of(s, r)->idle);
        } else {
            wait_for_cause(s, r, 0);
        }
    }
    hand_out(s, now);
    while (s->timer_count) {
        struct timer timer = timer_take(s);
        now = timer.time;
        timer_ends(s, &s->runners[timer.runner], now);
        hand_out(s, now);
    }
}

/* --- the whole -----------------------------------------------------------------------------------------------------
 */

static bool is_event(const struct core_node *node)
{
    return node->kind == CORE_WORK || node->kind == CORE_WAIT || node->kind == CORE_PASS;
}

/* Gives each location its chain, and its part of the plan. */
static bool make_chains(struct schedule *s, uint32_t **chains)
{
    uint64_t events = 0, at = 0;
    for (uint32_t n = 0; n < s->graph->count; n++) {
        const struct core_node *node = &s->graph->nodes[n];
        if (node->kind != CORE_JOIN)
            s->runners[node->location].length++;
        if (is_event(node))
            s->plan->first[node->location + 1]++;
        events += is_event(node);
        if (node->lock / 4 >= s->lock_count)
            s->lock_count = node->lock / 4 + 1;
    }
    s->locks = calloc((size_t)s->lock_count + 1, sizeof *s->locks);
    *chains = malloc((s->graph->count + 1) * sizeof **chains);
    s->plan->times = calloc(events + 1, sizeof *s->plan->times);
    if (!*chains || !s->plan->times || !s->locks)
        return false;
    for (uint32_t i = 0; i < s->count; i++) {
        struct runner *r = &s->runners[i];
        s->plan->first[i + 1] += s->plan->first[i];
        r->planned = s->plan->first[i];
        r->chain = *chains + at;
        at += r->length;
        r->length = 0;
    }
    for (uint32_t n = 0; n < s->graph->count; n++) {
        const struct core_node *node = &s->graph->nodes[n];
        if (node->kind == CORE_JOIN)
            continue;
        struct runner *r = &s->runners[node->location];
        r->chain[r->length++] = n;
        s->locks[node->lock / 4].in_order |= node->lock % 4 == CORE_IN_ORDER;
    }
    return true;
}

bool core_schedule(struct core_graph *graph, uint32_t locations, const struct core_machine *machine,
                   struct core_plan *plan)
{
    struct schedule s = {.graph = graph, .count = locations, .machine = machine, .plan = plan};
    uint32_t *chains = NULL;
    *plan = (struct core_plan){.locations = locations, .first = calloc((size_t)locations + 1, sizeof *plan->first)};
    s.runners = calloc((size_t)locations + 1, sizeof *s.runners);
    s.timers = calloc((size_t)locations + 1, sizeof *s.timers);
    s.queue = calloc((size_t)locations + 1, sizeof *s.queue);
    bool good = plan->first && s.runners && s.timers && s.queue && make_chains(&s, &chains);
    if (good)
        run_all(&s);
    else
        core_plan_free(plan);
    free(s.runners);
    free(s.timers);
    free(s.queue);
    free(s.locks);
    free(chains);
    return good;
}

const struct core_time *core_plan_time(const struct core_plan *plan, uint32_t location, uint64_t event)
{
    if (location >= plan->locations || event >= plan->first[location + 1] - plan->first[location])
        return NULL;
    return &plan->times[plan->first[location] + event];
}

int64_t core_plan_length(const struct core_plan *plan)
{
    int64_t last = 0;
    for (uint64_t i = 0; i < plan->first[plan->locations]; i++)
        last = plan->times[i].time > last ? plan->times[i].time : last;
    return last;
}

void core_plan_free(struct core_plan *plan)
{
    free(plan->first);
    free(plan->times);
    *plan = (struct core_plan){0};
}
