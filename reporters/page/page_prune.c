#include "reporters/page/page_prune.h"

#include <math.h>
#include <stdlib.h>

struct pruning {
    struct page_tree *page;
    double *weights; /* by node: greatest inclusive time of either side, in it or below */
    uint32_t *order; /* nodes, depth first */
    uint32_t
        *sum_of; /* by node: the sum below it, of what was left out; of a node that was left out, the one it is in */
    size_t count;
};

static void weigh(struct pruning *p)
{
    const struct page_node *nodes = p->page->nodes;
    size_t depth = 0;
    for (uint32_t at = 0; at != PAGE_NONE; at = page_tree_next(p->page, at, &depth)) {
        p->order[p->count++] = at;
        p->weights[at] = fmax(fabs(nodes[at].side[0].inclusive), fabs(nodes[at].side[1].inclusive));
    }
    for (size_t i = p->count; i-- > 1;) {
        uint32_t parent = nodes[p->order[i]].parent;
        p->weights[parent] = fmax(p->weights[parent], p->weights[p->order[i]]);
    }
}

static int heavier_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Keeps `most` nodes and with each its parent: those above the limit, then those at it in depth-first order. */
static bool choose(struct pruning *p, size_t max)
{
    double *sorted = malloc(p->count * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < p->count; i++)
        sorted[i] = p->weights[i];
    qsort(sorted, p->count, sizeof *sorted, heavier_first);
    double limit = sorted[max - 1];
    size_t above = 0;
    while (sorted[above] > limit)
        above++;
    free(sorted);
    for (size_t i = 0, at_limit = max - above; i < p->count; i++) {
        uint32_t node = p->order[i];
        struct page_node *n = &p->page->nodes[node];
        bool kept = p->weights[node] > limit || (p->weights[node] >= limit && at_limit > 0);
        kept = kept && (!node || !p->page->nodes[n->parent].left_out);
        n->left_out = !kept;
        at_limit -= kept && !(p->weights[node] > limit);
    }
    return true;
}

static void add_times(struct page_times *to, const struct page_times *from)
{
    to->inclusive += from->inclusive;
    to->exclusive += from->inclusive;
    to->waiting += from->waiting_inclusive;
    to->waiting_inclusive += from->waiting_inclusive;
    to->uncertainty += from->uncertainty;
}

/* A node that was left out is in the sum of its parent with all that is below it. */
static bool add_sums(struct pruning *p, struct page_pruned *result)
{
    struct page_tree *page = p->page;
    uint32_t *sum_of = p->sum_of;
    for (size_t i = 1; i < p->count; i++) {
        uint32_t node = p->order[i], parent = page->nodes[node].parent;
        if (!page->nodes[node].left_out)
            continue;
        result->left_out++;
        result->largest = fmax(result->largest, page->nodes[node].side[1].inclusive);
        result->together += page->nodes[node].side[1].exclusive;
        if (page->nodes[parent].left_out) {
            sum_of[node] = sum_of[parent];
            page->nodes[sum_of[node]].paths++;
            continue;
        }
        if (sum_of[parent] == PAGE_NONE) {
            uint32_t sum = page_tree_add(page, parent, PAGE_NONE);
            if (sum == PAGE_NONE)
                return false;
            page->nodes[sum].paths = 0;
            sum_of[parent] = sum;
        }
        struct page_node *sum = &page->nodes[sum_of[parent]];
        sum_of[node] = sum_of[parent];
        sum->paths++;
        add_times(&sum->side[0], &page->nodes[node].side[0]);
        add_times(&sum->side[1], &page->nodes[node].side[1]);
    }
    return true;
}

/* Takes what was left out off the lists of children; the sum comes last. */
static void relink(struct pruning *p)
{
    struct page_node *nodes = p->page->nodes;
    for (size_t i = 0; i < p->count; i++) {
        struct page_node *n = &nodes[p->order[i]];
        if (n->left_out)
            continue;
        uint32_t *link = &n->first_child;
        while (*link != PAGE_NONE)
            if (nodes[*link].left_out)
                *link = nodes[*link].next_sibling;
            else
                link = &nodes[*link].next_sibling;
        *link = p->sum_of[p->order[i]];
    }
}

bool page_prune(struct page_tree *page, size_t max, struct page_pruned *result)
{
    *result = (struct page_pruned){.paths = page->node_count ? page->node_count - 1 : 0};
    if (page->node_count <= max)
        return true;
    size_t count = page->node_count;
    struct pruning p = {page, calloc(count, sizeof *p.weights), malloc(count * sizeof *p.order),
                        malloc(count * sizeof *p.sum_of), 0};
    bool ok = p.weights && p.order && p.sum_of;
    if (ok) {
        for (size_t i = 0; i < count; i++)
            p.sum_of[i] = PAGE_NONE;
        weigh(&p);
        ok = choose(&p, max) && add_sums(&p, result);
    }
    if (ok)
        relink(&p);
    free(p.weights);
    free(p.order);
    free(p.sum_of);
    return ok;
}
