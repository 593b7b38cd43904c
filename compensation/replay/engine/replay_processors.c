/* A location needs a processor from the end of one wait to the beginning of the next. When as many places as there are
 * processors do, another one that goes on does so when one of them has begun to wait: */
#include "compensation/replay/engine/replay_processors.h"

static bool begins_wait(uint32_t kind)
{
    return kind == PCOMP_EVENT_BARRIER_ENTER || kind == PCOMP_EVENT_SEM_WAIT || kind == PCOMP_EVENT_LOCK_WAIT ||
           kind == PCOMP_EVENT_COND_WAIT || kind == PCOMP_EVENT_JOIN_BEGIN || kind == PCOMP_EVENT_STREAM_READ ||
           kind == PCOMP_EVENT_END;
}

void replay_processors_note(struct replay *r, struct location_state *p, uint32_t kind)
{
    bool needs = kind ? !begins_wait(kind) : p->event != NULL || !p->number;
    if (!r->options->processors || needs == p->runs)
        return;
    p->runs = needs;
    if (needs) {
        r->running++;
        return;
    }
    if (r->running-- == r->options->processors)
        r->freed = replay_fixed(p->measured) + p->pending;
}

int64_t replay_processors_waited(const struct replay *r, int64_t since, int64_t delay, int64_t usual)
{
    int64_t waited = 0;
    if (r->running >= r->options->processors) /* they were shared in turns: nobody gave one up */
        waited = delay - usual;
    else if (r->freed > since)
        waited = r->freed - since;
    waited = waited < delay ? waited : delay;
    return waited > 0 ? waited : 0;
}

/* The node in which the place begins, where events without dependence come before the first one with. */
static bool begin_node(struct replay *r, struct location_state *p)
{
    struct core_node node = {
        .kind = CORE_BEGIN, .location = p->index, .cause = CORE_NONE, .idle = p->first_approximated};
    p->node.begun = true;
    if (!p->number)
        return true;
    p->node.last = core_graph_add(r->options->graph, &node);
    return p->node.last != CORE_NONE;
}

static bool add_node(struct replay *r, struct location_state *p, int64_t approximated)
{
    struct core_node node = r->link;
    if (!p->node.begun && !begin_node(r, p))
        return false;
    if (node.kind == CORE_BEGIN) /* by its own time */
        node = (struct core_node){.kind = CORE_WORK, .cause = CORE_NONE, .own = approximated - p->node.time};
    if (!p->number && node.kind == CORE_WORK) { /* nothing before it */
        node.idle = approximated;
        node.own = 0;
    } else {
        node.idle = p->node.idle < node.own ? p->node.idle : node.own;
        node.idle = node.idle > 0 ? node.idle : 0;
        node.own -= node.idle;
    }
    if (node.kind == CORE_WAIT) {
        node.cost = p->node.cost;
        p->node.cost = 0;
    }
    if (r->options->graph->measured < replay_fixed(p->time))
        r->options->graph->measured = replay_fixed(p->time);
    node.location = p->index;
    node.lock = r->link_lock;
    p->node.last = core_graph_add(r->options->graph, &node);
    return p->node.last != CORE_NONE;
}

void replay_lock_used(struct replay *r, uint32_t *number, enum core_use use)
{
    if (!r->options->graph)
        return;
    if (!*number)
        *number = ++r->locks;
    r->link_lock = 4 * *number + (uint32_t)use;
}

bool replay_processors_reorder(const struct replay *r, const struct location_state *p)
{
    const struct core_time *planned =
        r->options->plan ? core_plan_time(r->options->plan, p->index, p->node.events) : NULL;
    return planned && planned->waited != CORE_AS_MEASURED;
}

bool replay_processors_commit(struct replay *r, struct location_state *p, struct core_time *when)
{
    bool good = !r->options->graph || add_node(r, p, when->time);
    r->link.kind = CORE_BEGIN;
    r->link_lock = 0;
    if (r->options->plan) {
        const struct core_time *planned = core_plan_time(r->options->plan, p->index, p->node.events++);
        *when = planned ? *planned : *when;
    }
    p->node.time = when->time;
    p->node.idle = 0;
    return good;
}
