#include "compensation/replay/rules/exit_order.h"

#include "compensation/replay/engine/event_commit.h"

#include <stdlib.h>

struct exit_arrival {
    int64_t time; /* fixed: approximated enter (beta), or measured exit */
    uint32_t location;
};

bool exit_order_is_used(const struct replay *r)
{
    return r->options->barrier != REPLAY_BARRIER_AFTER;
}

bool exit_order_enter(struct replay *r, struct exit_order *order, struct location_state *p)
{
    void *arrivals = order->arrivals;
    if (order->count == order->room && !replay_grow(&r->memory, &arrivals, &order->room, 4, sizeof *order->arrivals))
        return false;
    order->arrivals = arrivals;
    order->arrivals[order->count++] = (struct exit_arrival){p->running, p->index};
    p->leaving.order = order;
    return true;
}

void exit_order_clear(struct exit_order *order)
{
    order->count = 0;
    order->known = false;
}

static int by_time(const void *a, const void *b)
{
    const struct exit_arrival *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->location < y->location ? -1 : 1;
}

/* Rounds before the one in which the n-th (from 0) leaves. */
static uint32_t rounds_before(uint32_t n)
{
    uint32_t rounds = 0;
    while (n >> rounds)
        rounds++;
    return rounds;
}

/* All that take part stand before their exits, but for those of whom it is missing. */
static void give_positions(const struct replay *r, struct exit_order *order, uint64_t first)
{
    uint64_t last = first;
    bool beta = r->options->barrier == REPLAY_BARRIER_BETA;
    for (uint32_t i = 0; i < order->count && !beta; i++)
        order->arrivals[i].time = replay_fixed(r->locations[order->arrivals[i].location].time);
    if (order->count) /* qsort takes no NULL */
        qsort(order->arrivals, order->count, sizeof *order->arrivals, by_time);
    for (uint32_t i = 0; i < order->count; i++) {
        struct location_state *p = &r->locations[order->arrivals[i].location];
        if (!p->event || p->leaving.order != order)
            continue;
        p->leaving.position = beta ? order->count - i : i + 1;
        if (r->options->barrier == REPLAY_BARRIER_LOGARITHMIC)
            p->leaving.position = 1 + rounds_before(i);
        if (p->time > last)
            last = p->time;
    }
    order->spread = replay_fixed(last - first);
    order->known = true;
}

enum replay_step exit_order_leave(struct replay *r, struct exit_order *order, struct location_state *p,
                                  const struct replay_stamp *last, enum replay_wait_kind kind, const char *rule)
{
    int64_t gaps =
        r->options->barrier == REPLAY_BARRIER_LOGARITHMIC ? rounds_before(order->count - 1) : (int64_t)order->count - 1;
    if (!order->known)
        give_positions(r, order, p->time);
    if (gaps == 0) /* alone */
        return replay_commit_waited(r, p, last, kind, rule);
    /* position * spread / gaps, without leaving 64 bits */
    int64_t position = p->leaving.position, measured;
    int64_t approximated =
        last->approximated + order->spread / gaps * position + order->spread % gaps * position / gaps;
    struct replay_stamp ready = replay_ready(p, last, &measured);
    p->leaving.order = NULL;
    if (!replay_follows(r, p, last, approximated, rule))
        return REPLAY_FAILED;
    replay_report_wait(r, p, kind, last, last->measured - ready.measured, last->approximated - ready.approximated);
    replay_depends(r, p, CORE_WAIT, last, ready.approximated, approximated - last->approximated);
    return replay_commit_at(r, p, approximated, &last->path, last->written);
}
