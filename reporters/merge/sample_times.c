/* The times of call paths by samples of the program counter: what bursts say of a path is scaled so that each function
 * has the time that compensation/sample_shares.h gives it. */
#include "compensation/sample_shares.h"
#include "reporters/merge/sampled_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUSY 0.95 /* of the time, by the samples: all of it */

struct function_time { /* of one function in one thread */
    double before;     /* its calls at any time: what paths share where no burst met the function */
    struct pcomp_sampled_part part;
};

struct sharing {
    struct sampling *s;
    uint32_t *order; /* s->order, grouped by thread */
    uint32_t *start; /* thread t: order[start[t]] to order[start[t + 1]] */
    uint32_t *body;  /* by path: id of the function whose code it runs */
    struct function_time *functions;
    struct pcomp_sampled_part *parts;
    uint32_t *ids; /* of the parts */
};

/* Groups by thread; parents stay before children. */
static void group_paths(struct sharing *g)
{
    const struct sampling *s = g->s;
    for (uint32_t k = 0; k < s->order_count; k++)
        g->start[s->paths[s->order[k]].thread + 1]++;
    for (uint32_t t = 0; t < s->file->thread_count; t++)
        g->start[t + 1] += g->start[t];
    for (uint32_t k = s->order_count; k-- > 0;)
        g->order[--g->start[s->paths[s->order[k]].thread + 1]] = s->order[k];
    /* now start[t + 1] is where thread t begins */
    memmove(g->start, g->start + 1, s->file->thread_count * sizeof *g->start);
    g->start[s->file->thread_count] = s->order_count;
}

/* A manual region is a part of the function around it. */
static uint32_t body_of(const struct sharing *g, uint32_t index)
{
    const struct profile_file *f = g->s->file;
    const struct path *p = &g->s->paths[index];
    uint32_t id = p->extra->function_id;
    if (id >= f->function_count)
        return PCOMP_FUNCTION_ROOT;
    return f->functions[id]->flags & PCOMP_FUNCTION_REGION ? g->body[p->parent] : id;
}

static double *bursts_of(const struct sharing *g, uint32_t index)
{
    return &g->functions[g->body[index]].part.bursts;
}

static double calls_of(const struct path *p)
{
    return p->segments ? (double)p->node->calls + p->open : 0;
}

/* What bursts and the calls say of each function of thread `t`. */
static void sum_functions(struct sharing *g, uint32_t t)
{
    struct sampling *s = g->s;
    memset(g->functions, 0, (s->file->function_count + (size_t)1) * sizeof *g->functions);
    g->body[s->file->threads[t].root] = PCOMP_FUNCTION_ROOT;
    for (uint32_t k = g->start[t]; k < g->start[t + 1]; k++) {
        const struct path *p = &s->paths[g->order[k]];
        g->body[g->order[k]] = body_of(g, g->order[k]);
        *bursts_of(g, g->order[k]) += p->enter_time;
        *bursts_of(g, p->parent) += p->exit_time;
        g->functions[g->body[g->order[k]]].before += calls_of(p);
    }
}

/* Of a path, a part that bursts say took `time`. How a function's time is divided among its paths is known from bursts
 * alone, and where none met it, from its calls at other times (others: the share of these). */
static void rescale(double *time, double *deviation, const struct function_time *f, double others)
{
    double share = f->part.bursts > 0 ? fmin(*time / f->part.bursts, 1) : others;
    double scale = f->part.bursts > 0 ? f->part.time / f->part.bursts : 0;
    *time = f->part.time * share;
    *deviation = sqrt(square(share) * f->part.variance + square(*deviation * scale) * (1 - share));
}

/* Of thread `t`, whose samples are `items`. */
static void share_out(struct sharing *g, uint32_t t, const struct sample_place *items, size_t items_count)
{
    struct sampling *s = g->s;
    const struct profile_file *file = s->file;
    double fixed = 1 << PCOMP_FIX_SHIFT, taken = 0;
    sum_functions(g, t);
    for (size_t i = 0; i < items_count; i++) {
        bool counts = items[i].function != SAMPLE_APART;
        s->threads[t].sampling += items[i].count * fmax((double)file->header.sample_cost, 0) / fixed;
        if (!counts || items[i].function >= file->function_count)
            continue;
        taken += items[i].count;
        g->functions[items[i].function].part.samples += pcomp_samples_without_sites(items[i].count, items[i].at_sites);
    }
    size_t count = 0;
    for (uint32_t id = 0; id < file->function_count; id++) {
        struct function_time *f = &g->functions[id];
        if (!(f->part.bursts > 0) && !(f->part.samples > 0 && f->before > 0)) /* on no path: its samples are nobody's */
            continue;
        g->ids[count] = id;
        g->parts[count++] = f->part;
    }
    double period = (double)file->header.sample_period_ns / profile_tick_ns(file),
           off = (double)file->threads[t].record->off_ticks, busy = off > 0 ? taken * period / off : 1;
    if (!pcomp_sample_shares(g->parts, count, busy > BUSY ? 1 : busy))
        return;
    s->threads[t].pc_samples = taken;
    for (size_t i = 0; i < count; i++)
        g->functions[g->ids[i]].part = g->parts[i];
    for (uint32_t k = g->start[t]; k < g->start[t + 1]; k++) {
        struct path *p = &s->paths[g->order[k]];
        const struct function_time *own = &g->functions[g->body[g->order[k]]];
        rescale(&p->enter_time, &p->deviation.enter, own, own->before > 0 ? calls_of(p) / own->before : 0);
        rescale(&p->exit_time, &p->deviation.exit, &g->functions[g->body[p->parent]], 0);
    }
}

bool sample_times_apply(struct sampling *s, const struct sample_places *places)
{
    const struct profile_file *file = s->file;
    size_t functions = file->function_count + (size_t)1, nodes = file->node_count + (size_t)1;
    struct sharing g = {.s = s,
                        .order = malloc(nodes * sizeof *g.order),
                        .start = calloc(file->thread_count + (size_t)2, sizeof *g.start),
                        .body = malloc(nodes * sizeof *g.body),
                        .functions = malloc(functions * sizeof *g.functions),
                        .parts = malloc(functions * sizeof *g.parts),
                        .ids = malloc(functions * sizeof *g.ids)};
    bool ok = g.order && g.start && g.body && g.functions && g.parts && g.ids;
    if (ok)
        group_paths(&g);
    for (uint32_t t = 0; ok && t < file->thread_count; t++) {
        size_t count;
        const struct sample_place *items = sample_places_of(places, file->threads[t].record->index, &count);
        if (count)
            share_out(&g, t, items, count);
    }
    free(g.order);
    free(g.start);
    free(g.body);
    free(g.functions);
    free(g.parts);
    free(g.ids);
    return ok;
}
