#include "reporters/merge/merge_costs.h"

#include <math.h>
#include <stdlib.h>

struct prices { /* ns: what was calibrated. The model in use does not matter: cost is cost, whatever is taken off */
    double repeat, lookup, skip;     /* one call, all of it */
    double counted, filtered, stamp; /* SAMPLED */
    double off;                      /* BURST: a call whose hooks are off */
};

struct thread_cost { /* of one thread of the file */
    struct pcomp_cost_bursts bursts;
    double scale;
    double hook; /* inside stamped hooks of its paths, ns */
};

struct coster {
    struct merge *m;
    struct prices prices;
    struct thread_cost *threads; /* parallel to file->threads */
    struct tree_cost *rows;      /* of one thread, by function id in the file */
    uint32_t *touched;           /* ids that have a row */
    uint32_t touched_count, thread;
};

bool merge_costs_row(struct tree_builder *b, const struct tree_cost *row)
{
    struct call_tree *tree = b->tree;
    if (tree->cost_count == b->cost_room) {
        size_t room = b->cost_room ? b->cost_room * 2 : 64;
        struct tree_cost *grown = reallocarray(tree->costs, room, sizeof *grown);
        if (!grown)
            return false;
        tree->costs = grown;
        b->cost_room = room;
    }
    tree->costs[tree->cost_count++] = *row;
    return true;
}

/* Appends the rows of the thread whose nodes were last read. */
static bool flush(struct coster *c)
{
    bool ok = true;
    for (uint32_t k = 0; k < c->touched_count; k++) {
        uint32_t id = c->touched[k];
        struct tree_cost *row = &c->rows[id];
        row->function = c->m->function_of[id];
        row->thread = c->thread;
        ok = ok && merge_costs_row(c->m->b, row);
        *row = (struct tree_cost){0};
    }
    c->touched_count = 0;
    return ok;
}

static struct prices prices_of(const struct merge *m)
{
    const struct pcomp_header *h = &m->file->header;
    const struct pcomp_delta *d = h->delta_start;
    double stamp = m->is_sampled ? (double)h->stamp * m->fixed_ns : 0;
    bool counts = m->is_sampled && m->file->thread_count;
    return (struct prices){.repeat = (double)d[PCOMP_VARIANT_REPEAT].descendant * m->fixed_ns,
                           .lookup = (double)d[PCOMP_VARIANT_LOOKUP].descendant * m->fixed_ns,
                           .skip = (double)d[PCOMP_VARIANT_SKIP].descendant * m->fixed_ns,
                           .counted = counts ? m->sampled.threads[0].counted_call : 0,
                           .filtered = counts ? m->sampled.threads[0].filtered_call : 0,
                           .stamp = stamp > 0 ? stamp : 0,
                           .off = m->is_burst ? (double)h->off_call * m->fixed_ns : 0};
}

/* Whether its calls are a number alone: filtered, where those of others are timed, or in an old file. */
static bool has_calls_only(const struct coster *c, const struct pcomp_node_extra *extra)
{
    return (extra->flags & PCOMP_NODE_SKIPPED) && !profile_filtered_are_events(&c->m->file->header);
}

static struct pcomp_cost seen_cost(const struct coster *c, const struct pcomp_node *node,
                                   const struct pcomp_node_extra *extra, double *events, double *stamped)
{
    const struct prices *p = &c->prices;
    double tick = c->m->tick_ns, calls = (double)node->calls;
    *events = *stamped = 0;
    if (has_calls_only(c, extra))
        return (struct pcomp_cost){{[PCOMP_COST_COUNTING] = calls * p->skip}};
    if (!c->m->is_sampled) {
        double lookups = fmin((double)node->lookups, calls);
        if (c->m->file->header.flags & PCOMP_FLAG_REPLAYED)
            return (struct pcomp_cost){{[PCOMP_COST_RECORDING] = calls * p->repeat}};
        return pcomp_cost_of_timed(calls - lookups, p->repeat, lookups, p->lookup, (double)extra->slow_ticks * tick);
    }
    const struct pcomp_node_sampled *n = profile_node_sampled(node);
    const struct pcomp_node_always *always = profile_node_always(extra);
    *stamped = (double)n->enters + n->exits + (double)always->enters + (double)always->exits;
    *events = fmax(2 * calls, *stamped); /* an open activation has an enter alone */
    return pcomp_cost_of_events(&(struct pcomp_cost_events){*events - *stamped, *stamped, (double)n->hook_ticks * tick,
                                                            (double)extra->slow_ticks * tick},
                                extra->flags & PCOMP_NODE_SKIPPED ? p->filtered : p->counted, p->stamp);
}

/* Calls of node `index` while hooks were off. */
static double off_calls(const struct merge *m, uint32_t index, const struct pcomp_node *node)
{
    return m->is_burst ? fmax(m->sampled.nodes[index].ended - (double)node->calls, 0) : 0;
}

static bool add_node(struct coster *c, uint32_t index, const struct pcomp_node *node,
                     const struct pcomp_node_extra *extra)
{
    const struct merge *m = c->m;
    const struct place *place = &m->places[index];
    uint32_t id = extra->function_id;
    if (place->merged > PLACED_MOST || id >= m->file->function_count || !node->parent ||
        (id == PCOMP_FUNCTION_BEYOND && !node->calls))
        return true;
    if (place->thread != c->thread && !flush(c))
        return false;
    c->thread = place->thread;
    struct tree_cost *row = &c->rows[id];
    if (!row->calls)
        c->touched[c->touched_count++] = id;
    double events, stamped, off = off_calls(m, index, node);
    struct pcomp_cost cost = seen_cost(c, node, extra, &events, &stamped);
    if (m->is_burst && !has_calls_only(c, extra))
        cost = pcomp_cost_of_bursts(&cost, c->threads[m->sampled.nodes[index].thread].scale, off, c->prices.off);
    else
        cost.of[PCOMP_COST_OFF] += off * c->prices.off;
    if (extra->flags & PCOMP_NODE_SKIPPED)
        cost = (struct pcomp_cost){{[PCOMP_COST_FILTERED] = pcomp_cost_total(&cost)}};
    row->calls += fmax((double)node->calls + off, 1); /* an open one */
    row->events += events;
    row->stamped += stamped;
    row->filtered |= extra->flags & PCOMP_NODE_SKIPPED;
    pcomp_cost_add(&row->cost, &cost);
    return true;
}

/* What bursts cost a thread as a whole, of which its paths share the part that is not known of each. */
static void sum_node(struct coster *c, uint32_t index, const struct pcomp_node *node,
                     const struct pcomp_node_extra *extra)
{
    const struct sampled_node *n = &c->m->sampled.nodes[index];
    if (c->m->places[index].merged > PLACED_MOST || !node->parent || has_calls_only(c, extra))
        return;
    struct thread_cost *t = &c->threads[n->thread];
    double events, stamped, hook = (double)profile_node_sampled(node)->hook_ticks * c->m->tick_ns;
    struct pcomp_cost cost = seen_cost(c, node, extra, &events, &stamped);
    t->hook += hook;
    t->bursts.constant += cost.of[PCOMP_COST_COUNTING] + cost.of[PCOMP_COST_TIMING];
    t->bursts.off_calls += off_calls(c->m, index, node);
    t->bursts.lost += n->calls * c->m->sampled.threads[n->thread].call + hook -
                      cost.of[PCOMP_COST_NEW_PATHS]; /* which a path has besides */
}

static bool each_node(struct coster *c, bool rows)
{
    const struct profile_file *f = c->m->file;
    for (uint32_t k = 0; k < f->chunk_count; k++) {
        const struct profile_chunk *chunk = &f->chunks[k];
        for (uint32_t i = 0; chunk->kind == PCOMP_CHUNK_NODES && i < chunk->count; i++) {
            uint32_t index = chunk->first_record + i;
            const struct pcomp_node *node = profile_node(f, chunk, i);
            const struct pcomp_node_extra *extra = profile_node_extra(f, chunk, i);
            if (!rows)
                sum_node(c, index, node, extra);
            else if (!add_node(c, index, node, extra))
                return false;
        }
    }
    return !rows || flush(c);
}

/* Stamped hooks that belong to no path: until the first call, at jumps. */
static bool add_rests(struct coster *c)
{
    const struct merge *m = c->m;
    for (uint32_t t = 0; t < m->file->thread_count; t++) {
        double rest = (double)m->file->threads[t].record->hook_ticks * m->tick_ns - c->threads[t].hook;
        const struct place *place = &m->places[m->file->threads[t].root];
        struct tree_cost row = {
            .function = PCOMP_FUNCTION_ROOT, .thread = place->thread, .cost = {{[PCOMP_COST_NEW_PATHS] = rest}}};
        if (place->merged <= PLACED_MOST && rest > 0 && !merge_costs_row(m->b, &row))
            return false;
    }
    return true;
}

bool merge_costs(struct merge *m)
{
    const struct profile_file *f = m->file;
    struct coster c = {.m = m,
                       .prices = prices_of(m),
                       .threads = calloc(f->thread_count + (size_t)1, sizeof *c.threads),
                       .rows = calloc(f->function_count + (size_t)1, sizeof *c.rows),
                       .touched = calloc(f->function_count + (size_t)1, sizeof *c.touched)};
    bool ok = c.threads && c.rows && c.touched && (!m->is_sampled || each_node(&c, false));
    for (uint32_t t = 0; ok && t < f->thread_count; t++) {
        c.threads[t].bursts.off_call = c.prices.off;
        c.threads[t].scale = pcomp_cost_burst_scale(&c.threads[t].bursts);
    }
    ok = ok && each_node(&c, true) && (!m->is_sampled || add_rests(&c));
    free(c.threads);
    free(c.rows);
    free(c.touched);
    return ok;
}

/* --- All files ---------------------------------------------------------------------------------------------------- */

static int compare_rows(const void *x, const void *y)
{
    const struct tree_cost *a = x, *b = y;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* A trace holds more than calls, and the time of writing it away: all that the replay found. */
static bool add_recording(struct tree_builder *b)
{
    struct call_tree *tree = b->tree;
    size_t count = tree->cost_count;
    for (uint32_t t = 0; tree->how.replayed && t < tree->thread_count; t++) {
        double calls = 0;
        for (size_t i = 0; i < count; i++)
            calls += tree->costs[i].thread == t ? tree->costs[i].cost.of[PCOMP_COST_RECORDING] : 0;
        struct tree_cost row = {.thread = t, .cost = {{[PCOMP_COST_RECORDING] = tree->threads[t].overhead - calls}}};
        if (!merge_costs_row(b, &row))
            return false;
    }
    return true;
}

bool merge_costs_finish(struct tree_builder *b, const uint32_t *place)
{
    struct call_tree *tree = b->tree;
    size_t count = 0;
    for (size_t i = 0; i < tree->cost_count; i++)
        tree->costs[i].function = place[tree->costs[i].function];
    if (b->options->want_costs && !add_recording(b))
        return false;
    if (tree->cost_count)
        qsort(tree->costs, tree->cost_count, sizeof *tree->costs, compare_rows);
    for (size_t i = 0; i < tree->cost_count; i++) {
        struct tree_cost *last = count ? &tree->costs[count - 1] : NULL, *row = &tree->costs[i];
        if (!last || compare_rows(last, row) != 0) {
            tree->costs[count++] = *row;
            continue;
        }
        last->filtered |= row->filtered;
        last->calls += row->calls;
        last->events += row->events;
        last->stamped += row->stamped;
        pcomp_cost_add(&last->cost, &row->cost);
    }
    tree->cost_count = count;
    return true;
}
