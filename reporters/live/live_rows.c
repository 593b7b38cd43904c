#include "reporters/live/live_rows.h"

#include "reporters/report/report_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool rows_begin(struct live_rows *rows, const struct live_snapshot *before, const struct live_snapshot *now,
                       size_t max)
{
    live_rows_free(rows);
    double seconds = before ? live_seconds_between(before, now) : NAN;
    rows->seconds = seconds > 0 ? seconds : 0;
    rows->list = calloc(max + 1, sizeof *rows->list);
    rows->total = live_total_figures(now->tree);
    if (before && rows->seconds > 0) {
        struct live_figures was = live_total_figures(before->tree);
        rows->total = live_rate(&was, &rows->total, rows->seconds);
    }
    return rows->list;
}

void live_rows_free(struct live_rows *rows)
{
    free(rows->list);
    *rows = (struct live_rows){0};
}

static struct live_figures function_between(const struct live_rows *rows, const struct live_snapshot *before,
                                            const struct live_snapshot *now, uint32_t was, uint32_t function,
                                            bool inclusive)
{
    struct live_figures figures = live_function_figures(now->tree, function, inclusive), old;
    if (!(rows->seconds > 0))
        return figures;
    if (was != LIVE_NONE)
        old = live_function_figures(before->tree, was, inclusive);
    return live_rate(was == LIVE_NONE ? NULL : &old, &figures, rows->seconds);
}

static void add_function(struct live_rows *rows, const struct live_snapshot *before, const struct live_snapshot *now,
                         uint32_t was, uint32_t function, enum live_row_kind kind)
{
    const struct tree_function *f = &now->tree->functions[function];
    rows->list[rows->count++] =
        (struct live_row){.name = f->name,
                          .level = function_level_name(f->level),
                          .rank = f->level ? f->level : NAN,
                          .index = function,
                          .kind = kind,
                          .inclusive = function_between(rows, before, now, was, function, true),
                          .exclusive = function_between(rows, before, now, was, function, false)};
}

bool live_rows_functions(struct live_rows *rows, const struct live_snapshot *before, const struct live_snapshot *now)
{
    const struct call_tree *tree = now->tree;
    if (!rows_begin(rows, before, now, tree->function_count))
        return false;
    uint32_t *was = before && rows->seconds > 0 ? live_match_functions(before->tree, tree) : NULL;
    if (before && rows->seconds > 0 && !was)
        return false;
    for (size_t i = 0; i < tree->function_count; i++)
        if (report_is_listed(tree, i) && !tree->functions[i].sum)
            add_function(rows, before, now, was ? was[i] : LIVE_NONE, (uint32_t)i, LIVE_ROW_FUNCTION);
    free(was);
    return true;
}

bool live_rows_threads(struct live_rows *rows, const struct live_snapshot *before, const struct live_snapshot *now)
{
    const struct call_tree *tree = now->tree;
    if (!rows_begin(rows, before, now, tree->thread_count))
        return false;
    for (size_t i = 0; i < tree->thread_count; i++) {
        const struct tree_thread *t = &tree->threads[i];
        struct live_figures figures = live_thread_figures(tree, i);
        if (rows->seconds > 0) {
            uint32_t was = live_match_thread(before->tree, tree, i);
            struct live_figures old = {0};
            if (was != LIVE_NONE)
                old = live_thread_figures(before->tree, was);
            figures = live_rate(was == LIVE_NONE ? NULL : &old, &figures, rows->seconds);
        }
        rows->list[rows->count++] = (struct live_row){.name = t->name,
                                                      .level = t->live     ? "running"
                                                               : t->killed ? "killed"
                                                                           : "ended",
                                                      .rank = NAN,
                                                      .index = (uint32_t)i,
                                                      .kind = LIVE_ROW_THREAD,
                                                      .inclusive = figures,
                                                      .exclusive = figures};
    }
    return true;
}

/* --- Callers and callees ----------------------------------------------------------------------------------------- */

struct pairing { /* of the edges of two snapshots */
    const struct live_snapshot *before, *now;
    const uint32_t *was; /* functions; NULL: totals */
};

/* The pair of the same functions in the snapshot before; NULL: it was not there. */
static const struct call_edge *edge_before(const struct pairing *p, const struct call_edge *edge)
{
    uint32_t caller = p->was[edge->caller], callee = p->was[edge->callee];
    if (caller == LIVE_NONE || callee == LIVE_NONE)
        return NULL;
    const struct call_edges *edges = &p->before->edges;
    for (size_t i = call_edges_of_caller(edges, caller); i < edges->count && edges->list[i].caller == caller; i++)
        if (edges->list[i].callee == callee)
            return &edges->list[i];
    return NULL;
}

static void add_edge(struct live_rows *rows, const struct pairing *p, const struct call_edge *edge,
                     enum live_row_kind kind)
{
    uint32_t other = kind == LIVE_ROW_CALLER ? edge->caller : edge->callee;
    const struct tree_function *f = &p->now->tree->functions[other];
    struct live_figures figures = live_edge_figures(p->now->tree, edge);
    if (p->was) {
        const struct call_edge *old = edge_before(p, edge);
        struct live_figures figures_old = {0};
        if (old)
            figures_old = live_edge_figures(p->before->tree, old);
        figures = live_rate(old ? &figures_old : NULL, &figures, rows->seconds);
    }
    rows->list[rows->count++] =
        (struct live_row){.name = report_is_root(p->now->tree, other) ? "[start of a thread]" : f->name,
                          .level = function_level_name(f->level),
                          .rank = f->level ? f->level : NAN,
                          .index = other,
                          .kind = kind,
                          .inclusive = figures,
                          .exclusive = figures};
}

bool live_rows_calls(struct live_rows *rows, struct live_snapshot *before, struct live_snapshot *now, uint32_t function)
{
    if ((before && !live_snapshot_edges(before)) || !live_snapshot_edges(now) ||
        !rows_begin(rows, before, now, now->edges.count + 1))
        return false;
    uint32_t *was = before && rows->seconds > 0 ? live_match_functions(before->tree, now->tree) : NULL;
    if (before && rows->seconds > 0 && !was)
        return false;
    struct pairing pairing = {before, now, was};
    const struct call_edges *edges = &now->edges;
    for (size_t i = call_edges_of_callee(edges, function);
         i < edges->count && edges->list[edges->by_callee[i]].callee == function; i++)
        add_edge(rows, &pairing, &edges->list[edges->by_callee[i]], LIVE_ROW_CALLER);
    add_function(rows, before, now, was ? was[function] : LIVE_NONE, function, LIVE_ROW_SELF);
    for (size_t i = call_edges_of_caller(edges, function); i < edges->count && edges->list[i].caller == function; i++)
        add_edge(rows, &pairing, &edges->list[i], LIVE_ROW_CALLEE);
    free(was);
    return true;
}

/* --- Order ------------------------------------------------------------------------------------------------------- */

double live_row_value(const struct live_row *row, const struct live_order *order)
{
    const struct live_figures *f = order->inclusive ? &row->inclusive : &row->exclusive;
    switch (order->by) {
    case LIVE_BY_WAITING:
        return f->waiting;
    case LIVE_BY_CALLS:
        return f->calls;
    case LIVE_BY_LEVEL:
        return row->rank;
    case LIVE_BY_NAME:
        return 0;
    default:
        return order->raw ? f->raw : f->computing;
    }
}

static int compare_rows(const void *x, const void *y, void *context)
{
    const struct live_row *a = x, *b = y;
    const struct live_order *order = context;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    double va = live_row_value(a, order), vb = live_row_value(b, order);
    if (isnan(va) != isnan(vb)) /* unknown ones last, whatever the direction */
        return isnan(va) ? 1 : -1;
    int greater = (va < vb) - (va > vb);
    if (!greater && order->by != LIVE_BY_NAME)
        greater = (a->exclusive.calls < b->exclusive.calls) - (a->exclusive.calls > b->exclusive.calls);
    if (!greater)
        greater = strcmp(a->name, b->name);
    if (!greater)
        return (a->index > b->index) - (a->index < b->index);
    return order->reverse ? -greater : greater;
}

void live_rows_sort(struct live_rows *rows, const struct live_order *order)
{
    if (rows->count)
        qsort_r(rows->list, rows->count, sizeof *rows->list, compare_rows, (void *)(uintptr_t)order);
}
