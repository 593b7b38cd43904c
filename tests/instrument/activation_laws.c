#include "tests/instrument/activation_laws.h"

static double mean_of(const struct view_node *n, uint64_t calls)
{
    return (double)n->record.compensated / (double)calls;
}

static bool is_above_least(const struct view_node *n, uint64_t calls)
{
    return (double)n->record.min <= mean_of(n, calls) + 1;
}

static bool is_below_greatest(const struct view_node *n, uint64_t calls)
{
    return (double)n->greatest >= mean_of(n, calls) - 1;
}

/* It called while the profile was being closed: its last exits may be there in part. */
static bool went_on(const struct view *v, uint32_t thread)
{
    return v->header.state == PCOMP_STATE_CLOSED && view_is_unfinished(v, thread);
}

static bool lacks_greatest(const struct view_node *n)
{
    return n->record.calls && !n->open && !n->inherited && is_above_least(n, n->record.calls) &&
           !is_below_greatest(n, n->record.calls);
}

/* A thread was in one exit at a time. */
static bool others_have_greatest(const struct view *v, uint32_t node)
{
    for (uint32_t i = 0; i < v->node_count; i++)
        if (i != node && v->nodes[i].thread == v->nodes[node].thread && lacks_greatest(&v->nodes[i]))
            return false;
    return true;
}

bool activations_have_mean(const struct view *v, uint32_t node)
{
    const struct view_node *n = &v->nodes[node];
    uint64_t calls = n->record.calls;
    if (!calls || (is_above_least(n, calls) && is_below_greatest(n, calls)) || went_on(v, n->thread))
        return true;
    if (!view_is_unfinished(v, n->thread))
        return false;
    bool no_time_yet = calls == 1 || (is_above_least(n, calls - 1) && is_below_greatest(n, calls - 1));
    return no_time_yet || (lacks_greatest(n) && others_have_greatest(v, node));
}

bool activations_are_in_buckets(const struct view *v, uint32_t node)
{
    const struct view_node *n = &v->nodes[node];
    uint64_t calls = n->record.calls, missing = calls - n->in_buckets;
    if (v->in_no_bucket || went_on(v, n->thread))
        return true; /* memory ran out, or was refused */
    if (n->record.spread == PCOMP_SPREAD_NONE)
        return calls <= (view_is_unfinished(v, n->thread) ? 2 : 1) || (v->header.flags & PCOMP_FLAG_REPLAYED);
    return missing <= (view_is_unfinished(v, n->thread) ? 2 : 0);
}
