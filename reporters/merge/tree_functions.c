/* From nodes to functions: order of siblings, the outermost activations, sums. */
#include "reporters/merge/tree_builder.h"

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
    uint32_t *start = calloc(count + 1, sizeof *start); /* of the children of node n, in `all` */
    struct sibling *all = malloc(count * sizeof *all);
    if (!start || !all) {
        free(start);
        free(all);
        return false;
    }
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

static void add_times(struct tree_times *sum, const struct tree_times *part)
{
    sum->raw += part->raw;
    sum->compensated += part->compensated;
    sum->own += part->own;
    sum->descendants += part->descendants;
    sum->direct += part->direct;
}

struct function_errors {
    struct pcomp_uncertainty inclusive, exclusive;
};

static void add_node(struct tree_builder *b, size_t i, bool outermost)
{
    struct call_tree *tree = b->tree;
    const struct tree_node *n = &tree->nodes[i];
    struct tree_function *f = &tree->functions[n->function];
    f->calls += n->calls;
    f->open += n->open;
    add_times(&f->exclusive, &n->exclusive);
    if (!(f->min <= n->min)) /* also when f->min is not known yet */
        f->min = n->min;
    if (!(f->max >= n->max))
        f->max = n->max;
    for (size_t c = 0; c < tree->counter_count; c++) {
        f->counters[c].raw_exclusive += n->counters[c].raw_exclusive;
        f->counters[c].compensated_exclusive += n->counters[c].compensated_exclusive;
        f->counters[c].uncertainty_exclusive += n->counters[c].uncertainty_exclusive;
    }
    if (!outermost)
        return;
    f->outermost += n->calls;
    f->descendants += n->descendants;
    f->children += n->children;
    add_times(&f->inclusive, &n->inclusive);
    for (size_t c = 0; c < tree->counter_count; c++) {
        f->counters[c].raw_inclusive += n->counters[c].raw_inclusive;
        f->counters[c].compensated_inclusive += n->counters[c].compensated_inclusive;
        f->counters[c].uncertainty_inclusive += n->counters[c].uncertainty_inclusive;
    }
}

bool tree_sum_functions(struct tree_builder *b, const struct tree_errors *errors)
{
    struct call_tree *tree = b->tree;
    size_t count = tree->function_count;
    uint32_t *active = calloc(count + 1, sizeof *active); /* open nodes of each function on the way down */
    struct function_errors *sums = calloc(count + 1, sizeof *sums);
    struct tree_counter *counters = calloc(count * tree->counter_count + 1, sizeof *counters);
    if (!active || !sums || !counters) {
        free(active);
        free(sums);
        free(counters);
        return false;
    }
    for (size_t f = 0; tree->counter_count && f < count; f++)
        tree->functions[f].counters = counters + f * tree->counter_count;
    if (!tree->counter_count)
        free(counters);
    for (uint32_t at = tree->nodes[0].first_child; at != NO_NODE;) {
        const struct tree_node *n = &tree->nodes[at];
        bool outermost = !active[n->function]++;
        add_node(b, at, outermost);
        /* the half-width of a sum is not the sum of half-widths: its parts are added */
        struct pcomp_uncertainty inclusive, exclusive;
        tree_node_errors(b, at, &errors[at], &inclusive, &exclusive);
        pcomp_uncertainty_add(&sums[n->function].exclusive, exclusive);
        if (outermost)
            pcomp_uncertainty_add(&sums[n->function].inclusive, inclusive);
        if (n->first_child != NO_NODE) {
            at = n->first_child;
            continue;
        }
        active[n->function]--;
        while (tree->nodes[at].next_sibling == NO_NODE) {
            at = tree->nodes[at].parent;
            if (!at)
                break;
            active[tree->nodes[at].function]--;
        }
        at = at ? tree->nodes[at].next_sibling : NO_NODE;
    }
    for (size_t i = 0; i < count; i++) {
        struct tree_function *f = &tree->functions[i];
        f->inclusive.uncertainty = pcomp_uncertainty_half_width(sums[i].inclusive);
        f->exclusive.uncertainty = pcomp_uncertainty_half_width(sums[i].exclusive);
        f->resolved = fabs(f->inclusive.compensated) > f->inclusive.uncertainty;
    }
    free(active);
    free(sums);
    return true;
}
