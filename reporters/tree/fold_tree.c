#include "reporters/tree/fold_tree.h"

#include "reporters/filter/filter_match.h"
#include "reporters/tree/build/tree_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOT        0u
#define LEFT_OVER   0.001 /* share of a function's time that belongs to no call path and is worth a row */
#define NO_ANCESTOR UINT32_MAX

struct folding {
    struct call_tree *tree;
    struct tree_node *nodes; /* the folded ones */
    uint32_t count;
    uint32_t *place;  /* of each node of the tree: the folded one that has its time */
    bool *mixed;      /* of each folded node: others were folded into it, so that its children may meet */
    bool *gone;       /* of each function: it is folded into callers ... */
    uint32_t *kept;   /* ... but for so many nodes */
    double *original; /* of each function: its exclusive raw time before */
    bool recursion, out_of_memory;
};

/* --- Sums --------------------------------------------------------------------------------------------------------- */

static void add_times(struct tree_times *sum, const struct tree_times *part, double sign)
{
    if (isnan(part->raw)) /* not known: it is in the callers' already */
        return;
    sum->raw += sign * part->raw;
    sum->compensated += sign * part->compensated;
    sum->own += sign * part->own;
    sum->descendants += sign * part->descendants;
    sum->direct += sign * part->direct;
    sum->waiting += sign * part->waiting;
    sum->ready += sign * part->ready;
    if (sign > 0)
        sum->uncertainty += part->uncertainty;
}

static void add_counters(const struct folding *f, struct tree_counter *sum, const struct tree_counter *part,
                         bool inclusive)
{
    for (size_t c = 0; c < f->tree->counter_count; c++) {
        sum[c].raw_exclusive += part[c].raw_exclusive;
        sum[c].compensated_exclusive += part[c].compensated_exclusive;
        sum[c].uncertainty_exclusive += part[c].uncertainty_exclusive;
        if (!inclusive)
            continue;
        sum[c].raw_inclusive += part[c].raw_inclusive;
        sum[c].compensated_inclusive += part[c].compensated_inclusive;
        sum[c].uncertainty_inclusive += part[c].uncertainty_inclusive;
    }
}

/* --- Where a node goes -------------------------------------------------------------------------------------------- */

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static uint32_t find_child(const struct folding *f, uint32_t parent, const struct tree_node *node)
{
    for (uint32_t c = f->nodes[parent].first_child; c != NO_NODE; c = f->nodes[c].next_sibling)
        if (f->nodes[c].function == node->function && is_same_text(f->nodes[c].native, node->native) &&
            is_same_text(f->nodes[c].call_site, node->call_site))
            return c;
    return NO_NODE;
}

static uint32_t find_ancestor(const struct folding *f, uint32_t from, uint32_t function)
{
    for (uint32_t a = from; a != ROOT; a = f->nodes[a].parent)
        if (f->nodes[a].function == function)
            return a;
    return NO_ANCESTOR;
}

/* The node's own time goes to its caller. */
static uint32_t into_caller(struct folding *f, uint32_t caller, const struct tree_node *node)
{
    struct tree_function *from = &f->tree->functions[node->function];
    struct tree_function *to = &f->tree->functions[f->nodes[caller].function];
    add_times(&f->nodes[caller].exclusive, &node->exclusive, 1);
    add_times(&from->exclusive, &node->exclusive, -1);
    add_times(&to->exclusive, &node->exclusive, 1);
    add_counters(f, f->nodes[caller].counters, node->counters, false);
    return caller;
}

/* An inner call of a recursion: its time leaves the functions between, which are then called by the outer one. */
static uint32_t into_recursion(struct folding *f, uint32_t outer, uint32_t parent, const struct tree_node *node)
{
    struct tree_node *to = &f->nodes[outer];
    for (uint32_t between = parent; between != outer; between = f->nodes[between].parent)
        add_times(&f->nodes[between].inclusive, &node->inclusive, -1);
    to->calls += node->calls;
    to->open += node->open;
    add_times(&to->exclusive, &node->exclusive, 1);
    add_counters(f, to->counters, node->counters, false);
    return outer;
}

static uint32_t into_sibling(struct folding *f, uint32_t sibling, const struct tree_node *node)
{
    struct tree_node *to = &f->nodes[sibling];
    to->calls += node->calls;
    to->open += node->open;
    to->descendants += node->descendants;
    to->children += node->children;
    to->min = fmin(to->min, node->min);
    to->max = fmax(to->max, node->max);
    f->out_of_memory |= !time_spread_add(&to->spread, node->spread);
    add_times(&to->inclusive, &node->inclusive, 1);
    add_times(&to->exclusive, &node->exclusive, 1);
    add_counters(f, to->counters, node->counters, true);
    return sibling;
}

static uint32_t keep_node(struct folding *f, uint32_t parent, const struct tree_node *node)
{
    uint32_t index = f->count++;
    f->nodes[index] = *node;
    f->nodes[index].parent = parent;
    f->nodes[index].first_child = NO_NODE;
    f->nodes[index].next_sibling = f->nodes[parent].first_child;
    f->nodes[parent].first_child = index;
    f->kept[node->function]++;
    return index;
}

static uint32_t place_node(struct folding *f, const struct tree_node *node)
{
    uint32_t parent = f->place[node->parent];
    uint32_t outer = f->recursion ? find_ancestor(f, parent, node->function) : NO_ANCESTOR;
    if (outer != NO_ANCESTOR) {
        f->mixed[outer] = true;
        return into_recursion(f, outer, parent, node);
    }
    if (f->gone[node->function] && parent != ROOT) {
        f->mixed[parent] = true;
        return into_caller(f, parent, node);
    }
    uint32_t sibling = f->mixed[parent] ? find_child(f, parent, node) : NO_NODE;
    if (sibling == NO_NODE)
        return keep_node(f, parent, node);
    f->mixed[sibling] = true;
    return into_sibling(f, sibling, node);
}

/* Callers before callees. */
static void place_all(struct folding *f)
{
    struct tree_node *old = f->tree->nodes;
    f->nodes[ROOT] = old[ROOT];
    f->nodes[ROOT].first_child = NO_NODE;
    f->count = 1;
    for (uint32_t at = old[ROOT].first_child; at != NO_NODE;) {
        uint32_t count = f->count;
        f->place[at] = place_node(f, &old[at]);
        if (f->count > count) /* it is the kept node's */
            old[at].spread = NULL;
        if (old[at].first_child != NO_NODE) {
            at = old[at].first_child;
            continue;
        }
        while (at != ROOT && old[at].next_sibling == NO_NODE)
            at = old[at].parent;
        at = at == ROOT ? NO_NODE : old[at].next_sibling;
    }
}

/* Functions of which no call path is left have no row, but for time that was on none. */
static void finish_functions(const struct folding *f)
{
    for (size_t i = 1; i < f->tree->function_count; i++) {
        struct tree_function *function = &f->tree->functions[i];
        if (!f->gone[i] || f->kept[i])
            continue;
        bool left = fabs(function->exclusive.raw) > LEFT_OVER * fabs(f->original[i]);
        function->calls = function->outermost = function->open = function->in_place = 0;
        if (!left)
            function->exclusive = (struct tree_times){0};
        function->inclusive = function->exclusive;
    }
}

static bool is_folded(const struct tree_function *function, const struct option_list *patterns)
{
    static const struct option_list none;
    const struct filter_function subject = {.name = (char *)function->linkage_name, .file = (char *)function->file};
    return patterns && patterns->count && !function->sum && function->linkage_name &&
           !filter_keeps(&subject, function->module ? function->module : "", &none, patterns);
}

static void folding_free(struct folding *f)
{
    free(f->nodes);
    free(f->place);
    free(f->mixed);
    free(f->gone);
    free(f->kept);
    free(f->original);
}

bool fold_tree(struct call_tree *tree, const struct fold_options *options)
{
    size_t nodes = tree->node_count + 1, functions = tree->function_count + 1;
    struct folding f = {.tree = tree,
                        .nodes = calloc(nodes, sizeof *f.nodes),
                        .place = calloc(nodes, sizeof *f.place),
                        .mixed = calloc(nodes, sizeof *f.mixed),
                        .gone = calloc(functions, sizeof *f.gone),
                        .kept = calloc(functions, sizeof *f.kept),
                        .original = calloc(functions, sizeof *f.original),
                        .recursion = options->recursion};
    bool good = tree->node_count && f.nodes && f.place && f.mixed && f.gone && f.kept && f.original;
    if (good) {
        for (size_t i = 1; i < tree->function_count; i++) {
            f.gone[i] = is_folded(&tree->functions[i], options->functions);
            f.original[i] = tree->functions[i].exclusive.raw;
        }
        place_all(&f);
        finish_functions(&f);
        struct tree_node *old = tree->nodes;
        for (size_t i = 0; i < tree->node_count; i++)
            time_spread_free(&old[i].spread);
        tree->nodes = f.nodes;
        tree->node_count = f.count;
        f.nodes = old;
        for (size_t i = 0; i < tree->node_count; i++)
            tree->nodes[i].first_child = tree->nodes[i].next_sibling = NO_NODE;
        good = tree_sort_siblings(tree) && !f.out_of_memory;
    }
    folding_free(&f);
    return good;
}
