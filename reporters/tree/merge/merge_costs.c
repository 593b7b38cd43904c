#include "reporters/tree/merge/merge_costs.h"

#include "compensation/numeric/array.h"

#include <math.h>
#include <stdlib.h>

struct prices { /* ns a call: what was calibrated. The model in use does not matter: cost is cost, whatever is taken off
                 */
    double repeat, lookup, skip;
};

struct coster {
    struct merge *m;
    struct prices prices;
    struct tree_cost *rows; /* of one thread, by function id in the file */
    uint32_t *touched;      /* ids that have a row */
    uint32_t touched_count, thread;
};

bool merge_costs_row(struct tree_builder *b, const struct tree_cost *row)
{
    struct call_tree *tree = b->tree;
    if (!ARRAY_ROOM(tree->costs, tree->cost_count, b->cost_room))
        return false;
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
    const struct pcomp_delta *d = m->file->header.delta_start;
    return (struct prices){.repeat = (double)d[PCOMP_VARIANT_REPEAT].descendant * m->fixed_ns,
                           .lookup = (double)d[PCOMP_VARIANT_LOOKUP].descendant * m->fixed_ns,
                           .skip = (double)d[PCOMP_VARIANT_SKIP].descendant * m->fixed_ns};
}

static struct pcomp_cost cost_of(const struct coster *c, const struct pcomp_node *node,
                                 const struct pcomp_node_extra *extra)
{
    const struct prices *p = &c->prices;
    double calls = (double)node->calls, lookups = fmin((double)profile_node_lookups(node, extra), calls);
    if (extra->flags & PCOMP_NODE_SKIPPED)
        return (struct pcomp_cost){{[PCOMP_COST_FILTERED] = calls * p->skip}};
    if (c->m->file->header.flags & PCOMP_FLAG_REPLAYED)
        return (struct pcomp_cost){{[PCOMP_COST_RECORDING] = calls * p->repeat}};
    return pcomp_cost_of_timed(calls - lookups, p->repeat, lookups, p->lookup,
                               (double)extra->slow_ticks * c->m->tick_ns);
}

static bool add_node(struct coster *c, uint32_t index, const struct pcomp_node *node,
                     const struct pcomp_node_extra *extra)
{
    const struct merge *m = c->m;
    const struct place *place = &m->places[index];
    uint32_t id = extra->function_id;
    if (place->merged > PLACED_MAX || id >= m->file->function_count || !node->parent ||
        (id == PCOMP_FUNCTION_BEYOND && !node->calls))
        return true;
    if (place->thread != c->thread && !flush(c))
        return false;
    c->thread = place->thread;
    struct tree_cost *row = &c->rows[id];
    if (!row->calls)
        c->touched[c->touched_count++] = id;
    struct pcomp_cost cost = cost_of(c, node, extra);
    row->calls += fmax((double)node->calls, 1); /* an open one */
    row->filtered |= extra->flags & PCOMP_NODE_SKIPPED;
    pcomp_cost_add(&row->cost, &cost);
    return true;
}

static bool each_node(struct coster *c)
{
    const struct profile_file *f = c->m->file;
    for (uint32_t k = 0; k < f->chunk_count; k++) {
        const struct profile_chunk *chunk = &f->chunks[k];
        for (uint32_t i = 0; chunk->kind == PCOMP_CHUNK_NODES && i < chunk->count; i++)
            if (!add_node(c, chunk->first_record + i, profile_node(f, chunk, i), profile_node_extra(f, chunk, i)))
                return false;
    }
    return flush(c);
}

bool merge_costs(struct merge *m)
{
    const struct profile_file *f = m->file;
    struct coster c = {.m = m,
                       .prices = prices_of(m),
                       .rows = calloc(f->function_count + (size_t)1, sizeof *c.rows),
                       .touched = calloc(f->function_count + (size_t)1, sizeof *c.touched)};
    bool ok = c.rows && c.touched && each_node(&c);
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
        pcomp_cost_add(&last->cost, &row->cost);
    }
    tree->cost_count = count;
    return true;
}
