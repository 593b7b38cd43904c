/* Active functions of a location, and the factor of the own time of the innermost one. */
#include "compensation/replay/engine/replay_what_if.h"

struct replay_active {
    uint64_t function;
    double factor;
    bool counted; /* no exit follows: it ends when it is the innermost one */
};

static bool enter(struct replay *r, struct location_state *p, uint64_t function)
{
    void *stack = p->what_if.stack;
    if (p->what_if.depth == p->what_if.room &&
        !replay_grow(&r->memory, &stack, &p->what_if.room, 16, sizeof *p->what_if.stack))
        return false;
    p->what_if.stack = stack;
    double factor = r->options->own_time(r->options->own_time_context, p->process, function);
    p->what_if.stack[p->what_if.depth++] = (struct replay_active){.function = function, .factor = factor};
    return true;
}

/* An exit ends the activations inside it, whose own exits are missing; one of a function that is not active, none. */
static void leave(struct location_state *p, uint64_t function)
{
    uint32_t i = p->what_if.depth;
    while (i && p->what_if.stack[i - 1].function != function)
        i--;
    if (i)
        p->what_if.depth = i - 1;
}

static void count(struct location_state *p, uint64_t function)
{
    for (uint32_t i = 0; i < p->what_if.depth; i++)
        p->what_if.stack[i].counted |= p->what_if.stack[i].function == function;
}

bool replay_what_if_follow(struct replay *r, struct location_state *p, const struct pcomp_event *e)
{
    uint32_t kind = pcomp_event_kind(e);
    uint64_t value = pcomp_event_value(e);
    if (kind == PCOMP_EVENT_ENTER && !enter(r, p, value))
        return false;
    if (kind == PCOMP_EVENT_EXIT)
        leave(p, value);
    if (kind == PCOMP_EVENT_UNWIND)
        p->what_if.depth -= (uint32_t)(value < p->what_if.depth ? value : p->what_if.depth);
    if (kind == PCOMP_EVENT_COUNTED)
        count(p, value);
    while (p->what_if.depth && p->what_if.stack[p->what_if.depth - 1].counted)
        p->what_if.depth--;
    p->what_if.factor = p->what_if.depth ? p->what_if.stack[p->what_if.depth - 1].factor : 1;
    return true;
}
