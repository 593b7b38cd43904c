#include "reporters/tree/call_edges.h"

#include "compensation/numeric/sorted.h"

#include <stdlib.h>

#define EDGE_NONE UINT32_MAX

struct node_key { /* for finding the pairs by sorting */
    uint64_t pair;
    uint32_t node;
};

static int key_compare(const void *a, const void *b)
{
    const struct node_key *x = a, *y = b;
    return x->pair != y->pair ? (x->pair > y->pair ? 1 : -1) : (x->node > y->node) - (x->node < y->node);
}

static int caller_compare(const void *a, const void *b)
{
    const struct call_edge *x = a, *y = b;
    if (x->caller != y->caller)
        return x->caller > y->caller ? 1 : -1;
    if (x->compensated != y->compensated)
        return x->compensated < y->compensated ? 1 : -1;
    return (x->callee > y->callee) - (x->callee < y->callee);
}

static int callee_compare(const void *a, const void *b, void *context)
{
    const struct call_edge *list = context;
    const struct call_edge *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];
    if (x->callee != y->callee)
        return x->callee > y->callee ? 1 : -1;
    if (x->compensated != y->compensated)
        return x->compensated < y->compensated ? 1 : -1;
    return (x->caller > y->caller) - (x->caller < y->caller);
}

/* Number of the pair of every node, in edge_of; the pairs in edges. */
static bool edges_number(struct call_edges *edges, const struct call_tree *tree, uint32_t *edge_of)
{
    size_t count = tree->node_count, keys = 0;
    struct node_key *key = malloc((count + 1) * sizeof *key);
    edges->list = calloc(count + 1, sizeof *edges->list);
    if (!key || !edges->list) {
        free(key);
        return false;
    }
    for (size_t i = 1; i < count; i++) {
        const struct tree_node *node = &tree->nodes[i];
        uint64_t caller = tree->nodes[node->parent].function;
        key[keys++] = (struct node_key){caller << 32 | node->function, (uint32_t)i};
    }
    qsort(key, keys, sizeof *key, key_compare);
    for (size_t i = 0; i < keys; i++) {
        if (i == 0 || key[i].pair != key[i - 1].pair)
            edges->list[edges->count++] =
                (struct call_edge){.caller = (uint32_t)(key[i].pair >> 32), .callee = (uint32_t)key[i].pair};
        edge_of[key[i].node] = (uint32_t)(edges->count - 1);
    }
    free(key);
    return true;
}

bool call_edges_make(struct call_edges *edges, const struct call_tree *tree)
{
    *edges = (struct call_edges){NULL, 0, NULL};
    uint32_t *edge_of = malloc((tree->node_count + 1) * sizeof *edge_of), *active = NULL;
    if (!edge_of || !edges_number(edges, tree, edge_of) ||
        !(active = calloc(tree->function_count + 1, sizeof *active)) ||
        !(edges->by_callee = malloc((edges->count + 1) * sizeof *edges->by_callee))) {
        free(edge_of);
        free(active);
        call_edges_free(edges);
        return false;
    }
    /* Without recursion; `active` counts the occurrences of each function on the path to here. */
    const struct tree_node *nodes = tree->nodes;
    for (uint32_t at = tree->node_count ? nodes[0].first_child : EDGE_NONE; at != EDGE_NONE;) {
        struct call_edge *edge = &edges->list[edge_of[at]];
        edge->calls += nodes[at].calls;
        if (active[nodes[at].function]++ == 0) {
            edge->raw += nodes[at].inclusive.raw;
            edge->compensated += nodes[at].inclusive.compensated;
            edge->uncertainty += nodes[at].inclusive.uncertainty;
            edge->waiting += nodes[at].inclusive.waiting;
            edge->ready += nodes[at].inclusive.ready;
            edge->calls_within += nodes[at].calls + nodes[at].descendants;
        }
        if (nodes[at].first_child != EDGE_NONE) {
            at = nodes[at].first_child;
            continue;
        }
        while (at != 0) {
            active[nodes[at].function]--;
            if (nodes[at].next_sibling != EDGE_NONE)
                break;
            at = nodes[at].parent;
        }
        at = at ? nodes[at].next_sibling : EDGE_NONE;
    }
    free(edge_of);
    free(active);
    qsort(edges->list, edges->count, sizeof *edges->list, caller_compare);
    for (size_t i = 0; i < edges->count; i++)
        edges->by_callee[i] = (uint32_t)i;
    qsort_r(edges->by_callee, edges->count, sizeof *edges->by_callee, callee_compare, edges->list);
    return true;
}

void call_edges_free(struct call_edges *edges)
{
    free(edges->list);
    free(edges->by_callee);
    *edges = (struct call_edges){NULL, 0, NULL};
}

size_t call_edges_of_caller(const struct call_edges *edges, uint32_t caller)
{
    size_t low;
    SORTED_FIND(low, edges->count, edges->list[low].caller < caller);
    return low < edges->count && edges->list[low].caller == caller ? low : edges->count;
}

size_t call_edges_of_callee(const struct call_edges *edges, uint32_t callee)
{
    size_t low;
    SORTED_FIND(low, edges->count, edges->list[edges->by_callee[low]].callee < callee);
    return low < edges->count && edges->list[edges->by_callee[low]].callee == callee ? low : edges->count;
}
