/* From nodes to functions: order of siblings, the outermost activations, sums. */
#include "compensation/numeric/array.h"
#include "reporters/tree/build/big_array.h"
#include "reporters/tree/build/tree_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FEW 16 /* siblings that are sorted in place */

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

/* The children of a node, in a list in any order; true: `family` had room for them all, or was given it. */
static bool gather(const struct call_tree *tree, uint32_t first, struct sibling **family, size_t *room, size_t *count)
{
    *count = 0;
    for (uint32_t at = first; at != NO_NODE; at = tree->nodes[at].next_sibling) {
        const struct tree_node *n = &tree->nodes[at];
        if (!ARRAY_ROOM(*family, *count, *room))
            return false;
        (*family)[(*count)++] = (struct sibling){n->inclusive.compensated, n->function, at};
    }
    return true;
}

bool tree_sort_siblings(struct call_tree *tree)
{
    struct tree_node *nodes = tree->nodes;
    struct sibling *family = NULL;
    size_t room = 0, count;
    for (size_t n = tree->node_count; n-- > 1;) {
        nodes[n].next_sibling = nodes[nodes[n].parent].first_child;
        nodes[nodes[n].parent].first_child = (uint32_t)n;
    }
    for (size_t n = 0; n < tree->node_count; n++) {
        if (nodes[n].first_child == NO_NODE || nodes[nodes[n].first_child].next_sibling == NO_NODE)
            continue;
        if (!gather(tree, nodes[n].first_child, &family, &room, &count)) {
            free(family);
            return false;
        }
        if (count < FEW)
            sort_few(family, count);
        else
            qsort(family, count, sizeof *family, compare_siblings);
        uint32_t *link = &nodes[n].first_child;
        for (size_t k = 0; k < count; k++) {
            *link = family[k].node;
            link = &nodes[family[k].node].next_sibling;
        }
        *link = NO_NODE;
    }
    free(family);
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
