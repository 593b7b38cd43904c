/* The call-path tree. All loops follow links of the nodes: paths may be a million calls deep. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_columns.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TREE_NONE            UINT32_MAX
#define TREE_DEFAULT_LIMIT   100
#define TREE_DEFAULT_PERCENT 0.5
#define TREE_CHAIN_SHOWN     6  /* functions of a collapsed chain that are named */
#define TREE_INDENT_MAX      60 /* deeper rows give their depth as a number */

struct tree_view {
    struct emitter *emitter;
    struct call_tree *tree;
    const struct report_options *options;
    struct report_columns columns;
    bool *keep;
    bool collapse;
    double chain_min; /* a node with less exclusive time than this may be collapsed into its only child */
    unsigned seen;
    size_t all; /* call paths that have something to show */
};

/* --- Order of siblings ------------------------------------------------------------------------------------------- */

static int tree_compare(const void *a, const void *b, void *context)
{
    const struct tree_view *view = context;
    const struct tree_node *n = &view->tree->nodes[*(const uint32_t *)a];
    const struct tree_node *m = &view->tree->nodes[*(const uint32_t *)b];
    double x, y;
    switch (view->options->sort) {
    case REPORT_BY_DEFAULT:
    case REPORT_BY_COMPUTING:
        x = report_computing(&n->inclusive), y = report_computing(&m->inclusive);
        break;
    case REPORT_BY_WAITING:
        x = n->inclusive.waiting, y = m->inclusive.waiting;
        break;
    case REPORT_BY_READY:
        x = n->inclusive.ready, y = m->inclusive.ready;
        break;
    case REPORT_BY_CALLS:
        x = (double)n->calls, y = (double)m->calls;
        break;
    case REPORT_BY_RAW:
        x = n->inclusive.raw, y = m->inclusive.raw;
        break;
    case REPORT_BY_RAW_EXCLUSIVE:
        x = n->exclusive.raw, y = m->exclusive.raw;
        break;
    case REPORT_BY_OVERHEAD:
        x = n->inclusive.raw - n->inclusive.compensated, y = m->inclusive.raw - m->inclusive.compensated;
        break;
    case REPORT_BY_NAME:
        return strcmp(view->tree->functions[n->function].name, view->tree->functions[m->function].name);
    default:
        x = n->inclusive.compensated, y = m->inclusive.compensated;
    }
    return x > y ? -1 : x < y ? 1 : 0;
}

/* Relinks siblings where another order than that of the tree (compensated inclusive) is asked for. */
static bool tree_sort(struct tree_view *view)
{
    struct tree_node *nodes = view->tree->nodes;
    bool known = view->tree->knows_waiting;
    if (view->options->sort <= REPORT_BY_INCLUSIVE || (!known && view->options->sort >= REPORT_BY_COMPUTING))
        return true;
    uint32_t *children = malloc((view->tree->node_count + 1) * sizeof *children);
    if (!children)
        return false;
    for (size_t i = 0; i < view->tree->node_count; i++) {
        size_t count = 0;
        for (uint32_t c = nodes[i].first_child; c != TREE_NONE; c = nodes[c].next_sibling)
            children[count++] = c;
        if (count < 2)
            continue;
        qsort_r(children, count, sizeof *children, tree_compare, view);
        nodes[i].first_child = children[0];
        for (size_t k = 0; k < count; k++)
            nodes[children[k]].next_sibling = k + 1 < count ? children[k + 1] : TREE_NONE;
    }
    free(children);
    return true;
}

/* --- Pruning ----------------------------------------------------------------------------------------------------- */

static double tree_weight(const struct tree_view *view, const struct tree_node *node)
{
    double raw = report_ratio(node->inclusive.raw, view->tree->total_all_threads.raw);
    double compensated = report_ratio(node->inclusive.compensated, view->tree->total_all_threads.compensated);
    if (view->tree->functions[node->function].sum) /* below zero */
        return isnan(compensated) ? 0 : fabs(compensated);
    if (view->options->times == REPORT_RAW || isnan(compensated))
        return isnan(raw) ? 0 : raw;
    return view->options->times == REPORT_COMPENSATED || isnan(raw) || compensated > raw ? compensated : raw;
}

/* Made, but never completed a call: "[beyond limit]" of most threads. */
static bool tree_is_empty(const struct tree_node *node)
{
    return !node->calls && node->inclusive.raw == 0 && node->inclusive.compensated == 0 &&
           node->first_child == TREE_NONE;
}

static int weight_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* A node with nothing to say beside its only child: one row stands for both, where rows are collapsed. */
static bool tree_is_link(const struct tree_view *view, uint32_t index)
{
    const struct tree_node *nodes = view->tree->nodes, *node = &nodes[index];
    return view->collapse && node->first_child != TREE_NONE && nodes[node->first_child].next_sibling == TREE_NONE &&
           fabs(node->exclusive.compensated) < view->chain_min && node->exclusive.raw < 2 * view->chain_min;
}

static bool tree_collapses(const struct tree_view *view, uint32_t index)
{
    return tree_is_link(view, index) && view->keep[view->tree->nodes[index].first_child];
}

/* Whether a row of its own is wanted for the node, by its share. */
static bool tree_is_wanted(const struct tree_view *view, size_t index, double threshold)
{
    const struct tree_node *nodes = view->tree->nodes, *node = &nodes[index];
    if (tree_is_empty(node) || (threshold > 0 && tree_weight(view, node) < threshold))
        return false;
    return !tree_is_link(view, (uint32_t)index) ||
           (threshold > 0 && tree_weight(view, &nodes[node->first_child]) < threshold);
}

/* Fills keep: what has the least share, of that the `limit` greatest, and the way to them. False: out of memory. */
static bool tree_prune(struct tree_view *view)
{
    const struct report_options *options = view->options;
    const struct tree_node *nodes = view->tree->nodes;
    size_t count = view->tree->node_count, heavy = 0;
    bool text = emitter_is(view->emitter, EMIT_TEXT);
    double threshold = options->min_percent_given      ? options->min_percent / 100
                       : text && !options->limit_given ? TREE_DEFAULT_PERCENT / 100
                                                       : 0;
    uint64_t limit = options->limit_given ? options->limit : text ? TREE_DEFAULT_LIMIT : 0;
    view->keep = calloc(count + 1, sizeof *view->keep);
    double *weights = view->keep ? malloc((count + 1) * sizeof *weights) : NULL;
    if (!weights)
        return false;
    for (size_t i = 1; i < count; i++) {
        view->all += !tree_is_empty(&nodes[i]);
        if (tree_is_wanted(view, i, threshold))
            weights[heavy++] = tree_weight(view, &nodes[i]);
    }
    if (limit && limit < heavy) {
        qsort(weights, heavy, sizeof *weights, weight_compare);
        threshold = weights[limit - 1];
    } else
        limit = 0;
    free(weights);
    for (size_t i = 1, kept = 0; i < count && (!limit || kept < limit); i++) {
        if (tree_is_wanted(view, i, threshold)) {
            kept++;
            for (uint32_t n = (uint32_t)i; n && n != TREE_NONE && !view->keep[n]; n = nodes[n].parent)
                view->keep[n] = true;
        }
    }
    return true;
}

/* --- Rows -------------------------------------------------------------------------------------------------------- */

static void tree_label_step(const struct tree_view *view, FILE *out, uint32_t index, uint64_t times, bool first)
{
    const struct tree_node *node = &view->tree->nodes[index];
    fputs(first ? "" : " > ", out);
    if (node->native)
        fprintf(out, "[%s] > ", node->native);
    fputs(view->tree->functions[node->function].name, out);
    if (node->call_site)
        fprintf(out, " @%s", node->call_site);
    if (times > 1)
        fprintf(out, " ×%llu", (unsigned long long)times);
}

/* "main > run ×3 > loop", from top down to bottom; the middle of a long chain is a number. malloc'ed. */
static char *tree_label(const struct tree_view *view, uint32_t top, uint32_t bottom, size_t depth)
{
    const struct tree_node *nodes = view->tree->nodes;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (depth > TREE_INDENT_MAX / 2)
        fprintf(out, "%*s[depth %zu] ", TREE_INDENT_MAX, "", depth);
    else
        fprintf(out, "%*s", (int)(2 * depth), "");
    size_t steps = 0, step = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t n = top, next;; n = next) {
            uint64_t times = 1;
            next = n;
            while (next != bottom && nodes[nodes[next].first_child].function == nodes[n].function &&
                   !nodes[next].native && !nodes[next].call_site) {
                next = nodes[next].first_child;
                times++;
            }
            if (pass == 0)
                steps++;
            else {
                if (steps <= TREE_CHAIN_SHOWN || step < TREE_CHAIN_SHOWN / 2 || step >= steps - TREE_CHAIN_SHOWN / 2)
                    tree_label_step(view, out, n, times, step == 0);
                else if (step == TREE_CHAIN_SHOWN / 2)
                    fprintf(out, " > [%zu more]", steps - TREE_CHAIN_SHOWN);
                step++;
            }
            if (next == bottom)
                break;
            next = nodes[next].first_child;
        }
    return fclose(out) == 0 ? text : (free(text), NULL);
}

static void tree_row(struct tree_view *view, uint32_t index, uint32_t top, size_t depth)
{
    const struct tree_node *node = &view->tree->nodes[index];
    const struct tree_function *function = &view->tree->functions[node->function];
    char marks[8], location[300];
    char *label = emitter_is(view->emitter, EMIT_TEXT) ? tree_label(view, top, index, depth) : NULL;
    struct report_row row = {
        .function = function,
        .inclusive = &node->inclusive,
        .exclusive = &node->exclusive,
        .share = report_ratio(report_computing(&node->inclusive), report_whole(view->tree)),
        .exceeded = report_exceeds(function, node->exclusive.compensated),
        .marks = marks,
        .label = label ? label : "",
        .remark = report_location(function, location, sizeof location),
        .node = node,
        .index = index,
        .depth = depth,
    };
    report_marks(marks, row.exceeded, function, node->open > 0, &view->seen);
    if (report_is_below(&node->inclusive) || report_is_below(&node->exclusive))
        view->seen |= MARK_BELOW;
    if (report_has_more_calls(&row))
        view->seen |= MARK_MORE;
    report_columns_row(&view->columns, view->emitter, &row);
    free(label);
}

/* Pre-order without recursion: down to the first kept child, else on to the next kept sibling of the nearest. */
static size_t tree_rows(struct tree_view *view)
{
    const struct tree_node *nodes = view->tree->nodes;
    size_t depth = 0, shown = 0;
    uint32_t at = nodes[0].first_child, parent = 0;
    for (;;) {
        while (at != TREE_NONE && !view->keep[at])
            at = nodes[at].next_sibling;
        if (at == TREE_NONE) {
            if (parent == 0)
                return shown;
            emitter_nest_end(view->emitter);
            uint32_t top = parent; /* the row stood for the chain from here */
            while (nodes[top].parent != 0 && tree_collapses(view, nodes[top].parent))
                top = nodes[top].parent;
            at = nodes[top].next_sibling;
            parent = nodes[top].parent;
            depth--;
            continue;
        }
        uint32_t bottom = at;
        for (shown++; tree_collapses(view, bottom); shown++)
            bottom = nodes[bottom].first_child;
        tree_row(view, bottom, at, depth);
        emitter_nest(view->emitter, "children");
        parent = bottom;
        at = nodes[bottom].first_child;
        depth++;
    }
}

int report_tree(struct emitter *emitter, struct call_tree *tree, const struct report_options *options)
{
    bool text = emitter_is(emitter, EMIT_TEXT);
    struct tree_view view = {.emitter = emitter,
                             .tree = tree,
                             .options = options,
                             .collapse = text && !options->expand,
                             .chain_min = 0.005 * tree->total_all_threads.raw};
    if (!tree->node_count || !tree_sort(&view) || !tree_prune(&view) ||
        !report_columns_make(&view.columns, REPORT_TREE, tree, options->times, emitter)) {
        free(view.keep);
        return tree->node_count ? message_no_memory("report") : message_failure("report: the tree has no root");
    }
    emitter_table(emitter, "functions", view.columns.list, view.columns.count, true);
    size_t shown = tree_rows(&view);
    if (shown < view.all)
        emitter_table_line(emitter, "... and %zu more call path%s (--limit 0 --min-percent 0 shows all)",
                           view.all - shown, view.all - shown == 1 ? "" : "s");
    emitter_table_end(emitter);
    report_legend(emitter, options->times == REPORT_RAW ? view.seen & ~(unsigned)MARK_BELOW : view.seen);
    report_columns_free(&view.columns);
    free(view.keep);
    return STATUS_DONE;
}
