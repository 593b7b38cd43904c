/* Times from sampled stacks. Of the samples inside the activations of a timed node a share p found the program in a
 * function below it: p of the node's exclusive computing time is that function's, as
 * compensation/estimate/sample_split.h has it. Calls counted in place cost a constant each, and are shared out among
 * the function's nodes in the same way. */
#include "compensation/estimate/sample_split.h"
#include "compensation/numeric/t_quantile.h"
#include "reporters/tree/merge/counting_node.h"
#include "reporters/tree/merge/merge_stacks.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDING           1e-9
#define SAMPLE_UNCERTAINTY 0.5 /* half-width of what one sample costs, relative: programs use caches differently */

struct sharing {
    struct tree_builder *b;
    double *within;  /* by node: weights of the group at hand, in it and below */
    double *counted; /* by function of the table: weights of samples in it where it was not timed */
    uint32_t *touched;
    size_t touched_count;
};

struct group { /* the samples inside one timed node */
    const struct stack_share *shares;
    size_t count;
    uint32_t timed;
    double weight, hits;
    double raw, compensated; /* ns that are shared out */
};

static int by_timed(const void *x, const void *y)
{
    const struct stack_share *a = x, *b = y;
    if (a->timed != b->timed)
        return a->timed < b->timed ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static double variance_of(const struct group *g, double weight)
{
    double mean = g->hits > 0 ? g->weight / g->hits : g->weight; /* of a sample's weight */
    struct pcomp_sampled_time t =
        pcomp_sample_split((struct pcomp_sample_sums){weight, weight * mean},
                           (struct pcomp_sample_sums){g->weight, g->weight * mean}, g->compensated, 0);
    return t.error * t.error;
}

/* --- one timed node ----------------------------------------------------------------------------------------------- */

static void add_within(struct sharing *s, const struct group *g, const struct stack_share *share)
{
    for (uint32_t node = share->node; node != g->timed; node = s->b->nodes[node].parent) {
        if (!(s->within[node] > 0))
            s->touched[s->touched_count++] = node;
        s->within[node] += share->weight;
    }
}

static void give(struct tree_builder *b, const struct group *g, uint32_t node, double weight)
{
    struct tree_node *n = &b->nodes[node];
    double part = weight / g->weight;
    n->exclusive.raw += g->raw * part;
    n->exclusive.compensated += g->compensated * part;
    b->work[node].errors.exclusive.variance += variance_of(g, weight);
}

static void share_group(struct sharing *s, const struct group *g)
{
    struct tree_builder *b = s->b;
    double rest = g->weight;
    s->touched_count = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct stack_share *share = &g->shares[i];
        if (share->node == g->timed)
            continue;
        add_within(s, g, share);
        give(b, g, share->node, share->weight);
        rest -= share->weight;
    }
    for (size_t i = 0; i < s->touched_count; i++) {
        uint32_t node = s->touched[i];
        double part = s->within[node] / g->weight;
        b->nodes[node].inclusive.raw += g->raw * part;
        b->nodes[node].inclusive.compensated += g->compensated * part;
        b->work[node].errors.inclusive.variance += variance_of(g, s->within[node]);
        s->within[node] = 0;
    }
    if (!g->timed)
        return;
    struct tree_node *timed = &b->nodes[g->timed];
    timed->exclusive.raw -= g->raw * (1 - rest / g->weight);
    timed->exclusive.compensated -= g->compensated * (1 - rest / g->weight);
    if (s->touched_count)
        b->work[g->timed].errors.exclusive.variance += variance_of(g, rest);
}

/* Outside of timed functions the samples are all that tells: each period in a function that is counted is a period of
 * the thread's time. What lies in no such function (the start of a program, its exit handlers) is nobody's. */
static void add_untimed(struct tree_builder *b, struct group *g)
{
    g->raw = g->compensated = g->weight * b->stacks.period;
    for (size_t i = 0; i < g->count; i++) {
        double time = g->shares[i].node ? g->shares[i].weight * b->stacks.period : 0;
        b->nodes[0].inclusive.raw += time;
        b->nodes[0].inclusive.compensated += time;
        b->tree->threads[g->shares[i].thread].raw += time;
        b->tree->threads[g->shares[i].thread].compensated += time;
        b->threads[g->shares[i].thread].variance += time * b->stacks.period;
    }
}

static struct group group_at(struct tree_builder *b, size_t first)
{
    const struct build_stacks *s = &b->stacks;
    struct group g = {.shares = &s->shares[first], .timed = s->shares[first].timed};
    for (; first + g.count < s->share_count && g.shares[g.count].timed == g.timed; g.count++) {
        g.weight += g.shares[g.count].weight;
        g.hits += g.shares[g.count].hits;
    }
    const struct tree_times *own = &b->nodes[g.timed].exclusive;
    g.raw = own->raw - own->waiting - own->ready; /* samples are of processor time */
    g.compensated = own->compensated - own->waiting - own->ready;
    return g;
}

static void share_outer(struct tree_builder *b, const struct group *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const struct stack_share *share = &g->shares[i];
        double part = share->weight / g->weight, variance = variance_of(g, share->weight);
        for (uint32_t k = 0; k < share->outer_count; k++) {
            struct stack_times *to = &b->stacks.times[b->stacks.outer[share->outer + k]];
            to->raw += g->raw * part;
            to->compensated += g->compensated * part;
            to->error.variance += variance;
        }
    }
}

/* --- what measuring cost ------------------------------------------------------------------------------------------ */

/* Takes a cost off a node, and off all that contain it. */
static void take_off(struct tree_builder *b, uint32_t node, double cost, double error)
{
    b->nodes[node].exclusive.compensated -= cost;
    b->work[node].errors.exclusive.systematic = fmax(b->work[node].errors.exclusive.systematic + error, 0);
    for (; node; node = b->nodes[node].parent) {
        b->nodes[node].inclusive.compensated -= cost;
        b->work[node].errors.inclusive.systematic = fmax(b->work[node].errors.inclusive.systematic + error, 0);
    }
}

/* Takes a cost off where a sample found it, and off the counted functions around the timed one. */
static void take_off_share(struct tree_builder *b, const struct stack_share *share, double cost, double error)
{
    take_off(b, share->node, cost, error);
    for (uint32_t k = 0; k < share->outer_count; k++) {
        struct stack_times *from = &b->stacks.times[b->stacks.outer[share->outer + k]];
        from->compensated -= cost;
        from->error.systematic += error;
    }
}

/* What is left of the cost where all of it was placed is rounding. */
static void clear_rounding(struct tree_builder *b, uint32_t counting_node, double placed)
{
    struct tree_node *n = &b->nodes[counting_node];
    if (!counting_node || fabs(n->exclusive.compensated) > ROUNDING * placed)
        return;
    n->exclusive.compensated = n->inclusive.compensated = 0;
    b->work[counting_node].errors = (struct node_errors){0};
}

static void take_off_costs(struct sharing *s, uint32_t counting_node)
{
    struct tree_builder *b = s->b;
    const struct build_stacks *from = &b->stacks;
    double placed = 0;
    for (size_t i = 0; i < from->share_count; i++) {
        const struct stack_share *share = &from->shares[i];
        if (!share->node)
            continue;
        double signals = share->hits * from->cost;
        take_off_share(b, share, signals, signals * SAMPLE_UNCERTAINTY / PCOMP_NORMAL_95);
        b->nodes[0].inclusive.compensated -= signals;
        b->tree->threads[share->thread].compensated -= signals;
        b->threads[share->thread].terms += signals;
        b->threads[share->thread].error += signals * SAMPLE_UNCERTAINTY / PCOMP_NORMAL_95;
        uint32_t function = b->nodes[share->node].function;
        if (!counting_node || share->node == share->timed || !(s->counted[function] > 0))
            continue;
        const struct table_function *f = &b->functions.functions[function];
        double part = share->weight / s->counted[function], cost = f->counting * part;
        double error = f->counting_error * part / PCOMP_NORMAL_95;
        take_off_share(b, share, cost, error);
        take_off(b, counting_node, -cost, -error); /* it is not unknown whose it is */
        placed += cost;
    }
    clear_rounding(b, counting_node, placed);
}

/* Samples do not tell the cost of one call from that of another, so that a function of few samples and many calls may
 * lose more than it was given. What it lacks is its caller's, whose samples they may be: no time is below zero, and
 * none is longer than what contains it. */
static void raise_to_zero(struct sharing *s)
{
    struct tree_builder *b = s->b;
    double *is_counted = s->within;
    for (size_t i = 0; i < b->stacks.share_count; i++)
        for (uint32_t node = b->stacks.shares[i].node; node != b->stacks.shares[i].timed; node = b->nodes[node].parent)
            is_counted[node] = 1;
    for (size_t i = b->node_count; i-- > 1;) { /* children have greater indices */
        struct tree_node *n = &b->nodes[i];
        double lacking = n->exclusive.waiting + n->exclusive.ready - n->exclusive.compensated;
        if (!(is_counted[i] > 0) || !n->parent || !(lacking > 0))
            continue;
        n->exclusive.compensated = n->exclusive.waiting + n->exclusive.ready;
        n->inclusive.compensated += lacking;
        b->nodes[n->parent].exclusive.compensated -= lacking;
    }
}

static void renew_half_widths(struct tree_builder *b)
{
    for (size_t i = 1; i < b->node_count; i++) {
        b->nodes[i].inclusive.uncertainty = pcomp_uncertainty_half_width(b->work[i].errors.inclusive);
        b->nodes[i].exclusive.uncertainty = pcomp_uncertainty_half_width(b->work[i].errors.exclusive);
    }
}

/* Only what was clocked is shared out: a node whose function's level fell is also given time, by others. So all groups
 * are made before one is shared. */
static bool share_all(struct sharing *s)
{
    struct tree_builder *b = s->b;
    struct build_stacks *from = &b->stacks;
    struct group *groups = malloc(from->share_count * sizeof *groups);
    size_t count = 0;
    for (size_t i = 0; groups && i < from->share_count; i += groups[count++].count)
        groups[count] = group_at(b, i);
    for (size_t i = 0; i < count; i++) {
        struct group *g = &groups[i];
        if (g->timed && !(g->compensated > 0)) /* its own callees took longer: there is nothing to share out */
            continue;
        if (!g->timed)
            add_untimed(b, g);
        share_outer(b, g);
        share_group(s, g);
    }
    free(groups);
    return groups;
}

bool stack_times_share(struct tree_builder *b)
{
    struct build_stacks *from = &b->stacks;
    if (!from->share_count)
        return true;
    struct sharing s = {.b = b,
                        .within = calloc(b->node_count, sizeof *s.within),
                        .counted = calloc(b->functions.count, sizeof *s.counted),
                        .touched = malloc(b->node_count * sizeof *s.touched)};
    from->times = calloc(b->functions.count, sizeof *from->times);
    bool ok = s.within && s.counted && s.touched && from->times;
    if (ok) {
        qsort(from->shares, from->share_count, sizeof *from->shares, by_timed);
        for (size_t i = 0; i < from->share_count; i++)
            if (from->shares[i].node != from->shares[i].timed)
                s.counted[b->nodes[from->shares[i].node].function] += from->shares[i].weight;
        ok = share_all(&s);
        if (b->model != PCOMP_MODEL_NONE) {
            take_off_costs(&s, counting_node_find(b));
            raise_to_zero(&s);
        }
        renew_half_widths(b);
    }
    free(s.within);
    free(s.counted);
    free(s.touched);
    return ok;
}

void stack_times_finish(struct tree_builder *b, const uint32_t *place)
{
    const struct stack_times *times = b->stacks.times;
    for (uint32_t i = 0; times && i < b->functions.count; i++) {
        struct tree_function *f = &b->tree->functions[place[i]];
        if (!(times[i].raw > 0))
            continue;
        f->inclusive.raw += times[i].raw;
        f->inclusive.compensated += times[i].compensated;
        /* prices are the same inside and outside, so that their errors add up */
        f->inclusive.uncertainty = hypot(f->inclusive.uncertainty + PCOMP_NORMAL_95 * times[i].error.systematic,
                                         PCOMP_NORMAL_95 * sqrt(times[i].error.variance));
        f->resolved = fabs(f->inclusive.compensated) > f->inclusive.uncertainty;
    }
    b->tree->how.stack_samples = b->stacks.hits;
    b->tree->how.sample_cost = b->stacks.cost;
}
