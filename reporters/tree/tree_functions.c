/* From nodes to functions: order of siblings, the outermost activations, sums. */
#include "reporters/tree/build/big_array.h"
#include "reporters/tree/build/tree_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sibling {
    double compensated;
    uint32_t function, node;
};

static int compare_siblings(const void *x, const void *y)
{
    const struct sibling *a = x, *b = y;
    if (a->compensated != b->compensated)
        return a->compensated > b->compensated ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static void sort_few(struct sibling *s, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct sibling moving = s[i];
        size_t k = i;
        for (; k && compare_siblings(&moving, &s[k - 1]) < 0; k--)
            s[k] = s[k - 1];
        s[k] = moving;
    }
}

bool tree_sort_siblings(struct call_tree *tree)
{
    size_t count = tree->node_count;
    uint32_t *start = big_array(count + 1, sizeof *start); /* of the children of node n, in `all` */
    struct sibling *all = big_array(count, sizeof *all);
    if (!start || !all) {
        free(start);
        free(all);
        return false;
    }
    memset(start, 0, (count + 1) * sizeof *start);
    for (size_t n = 1; n < count; n++)
        start[tree->nodes[n].parent + 1]++;
    for (size_t n = 0; n < count; n++)
        start[n + 1] += start[n];
    for (size_t n = count; n-- > 1;) {
        /* start[p + 1] is the end of p's children; filling from the end leaves it the start of p + 1's */
        const struct tree_node *node = &tree->nodes[n];
        all[--start[node->parent + 1]] = (struct sibling){node->inclusive.compensated, node->function, (uint32_t)n};
    }
    for (size_t n = 0; n < count; n++) {
        size_t from = start[n + 1], to = n + 2 <= count ? start[n + 2] : count - 1;
        if (from == to)
            continue;
        if (to - from < 16)
            sort_few(all + from, to - from);
        else
            qsort(all + from, to - from, sizeof *all, compare_siblings);
        tree->nodes[n].first_child = all[from].node;
        for (size_t k = from; k + 1 < to; k++)
            tree->nodes[all[k].node].next_sibling = all[k + 1].node;
    }
    free(start);
    free(all);
    return true;
}

struct function_errors {
    struct pcomp_uncertainty inclusive, exclusive;
};

/* False: out of memory. */
static bool add_node(struct call_tree *tree, const struct tree_node *n, bool outermost)
{
    struct tree_function *f = &tree->functions[n->function];
    f->calls += n->calls;
    f->open += n->open;
    tree_times_add(&f->exclusive, &n->exclusive);
    if (!(f->min <= n->min)) /* also when f->min is not known yet */
        f->min = n->min;
    if (!(f->max >= n->max))
        f->max = n->max;
    if (!time_spread_add(&f->spread, n->spread))
        return false;
    for (size_t c = 0; c < tree->counter_count; c++) {
        f->counters[c].raw_exclusive += n->counters[c].raw_exclusive;
        f->counters[c].compensated_exclusive += n->counters[c].compensated_exclusive;
        f->counters[c].uncertainty_exclusive += n->counters[c].uncertainty_exclusive;
    }
    if (!outermost)
        return true;
    f->outermost += n->calls;
    f->descendants += n->descendants;
    f->children += n->children;
    tree_times_add(&f->inclusive, &n->inclusive);
    for (size_t c = 0; c < tree->counter_count; c++) {
        f->counters[c].raw_inclusive += n->counters[c].raw_inclusive;
        f->counters[c].compensated_inclusive += n->counters[c].compensated_inclusive;
        f->counters[c].uncertainty_inclusive += n->counters[c].uncertainty_inclusive;
    }
    return true;
}

/* What the loop down the tree needs of a node; a twelfth of it, so that more of them are in the caches. */
struct step {
    uint32_t function, parent, first_child, next_sibling;
};

/* outermost[n]: no ancestor of node n is of the same function. */
static void find_outermost(const struct step *steps, uint32_t *active, bool *outermost)
{
    for (uint32_t at = steps[0].first_child; at != NO_NODE;) {
        outermost[at] = !active[steps[at].function]++;
        if (steps[at].first_child != NO_NODE) {
            at = steps[at].first_child;
            continue;
        }
        active[steps[at].function]--;
        while (steps[at].next_sibling == NO_NODE) {
            at = steps[at].parent;
            if (!at)
                return;
            active[steps[at].function]--;
        }
        at = steps[at].next_sibling;
    }
}

static bool sum_nodes(struct call_tree *tree, const union node_work *work, const bool *outermost,
                      struct node_errors *sums)
{
    for (size_t i = 1; i < tree->node_count; i++) {
        const struct tree_node *n = &tree->nodes[i];
        if (!add_node(tree, n, outermost[i]))
            return false;
        pcomp_uncertainty_add(&sums[n->function].exclusive, work[i].errors.exclusive);
        if (outermost[i])
            pcomp_uncertainty_add(&sums[n->function].inclusive, work[i].errors.inclusive);
    }
    for (size_t i = 0; i < tree->function_count; i++) {
        struct tree_function *f = &tree->functions[i];
        f->inclusive.uncertainty = pcomp_uncertainty_half_width(sums[i].inclusive);
        f->exclusive.uncertainty = pcomp_uncertainty_half_width(sums[i].exclusive);
        f->calls += f->suppressed;
        f->resolved = fabs(f->inclusive.compensated) > f->inclusive.uncertainty;
    }
    return true;
}

/* One block for all functions, which the first has. */
static bool give_counters(struct call_tree *tree)
{
    if (!tree->counter_count || !tree->function_count)
        return true;
    struct tree_counter *counters = calloc(tree->function_count * tree->counter_count, sizeof *counters);
    for (size_t f = 0; counters && f < tree->function_count; f++)
        tree->functions[f].counters = counters + f * tree->counter_count;
    return counters != NULL;
}

bool tree_sum_functions(struct call_tree *tree, const union node_work *work)
{
    size_t nodes = tree->node_count, functions = tree->function_count;
    struct step *steps = big_array(nodes, sizeof *steps);
    bool *outermost = big_array(nodes, sizeof *outermost);
    uint32_t *active = calloc(functions, sizeof *active); /* nodes of each function between the root and the node */
    struct node_errors *sums = calloc(functions, sizeof *sums);
    bool ok = steps && outermost && active && sums && give_counters(tree);
    if (ok) {
        for (size_t i = 0; i < nodes; i++) {
            const struct tree_node *n = &tree->nodes[i];
            steps[i] = (struct step){n->function, n->parent, n->first_child, n->next_sibling};
        }
        find_outermost(steps, active, outermost);
        ok = sum_nodes(tree, work, outermost, sums);
    }
    free(steps);
    free(outermost);
    free(active);
    free(sums);
    return ok;
}
