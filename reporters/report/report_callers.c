/* For every function: who called it, and whom it called. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_columns.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"
#include "reporters/tree/call_edges.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLERS_DEFAULT_LIMIT 20
#define CALLERS_EDGES_SHOWN   8 /* in text: callers, and callees, of one function */

static double callers_share(const struct call_tree *tree, const struct tree_times *times)
{
    return report_ratio(times->compensated, tree->total_all_threads.compensated);
}

static void callers_self(const struct report_columns *columns, struct emitter *emitter,
                         const struct tree_function *function, unsigned *seen)
{
    char marks[8], location[300];
    struct report_row row = {
        .function = function,
        .of = function,
        .relation = "self",
        .inclusive = &function->inclusive,
        .exclusive = &function->exclusive,
        .share = callers_share(columns->tree, &function->inclusive),
        .calls = function->calls,
        .marks = marks,
        .label = function->name,
        .remark = report_location(function, location, sizeof location),
    };
    report_marks(marks, report_exceeds(function, function->exclusive.compensated), function, function->open > 0, seen);
    if (report_is_below(&function->inclusive) || report_is_below(&function->exclusive))
        *seen |= MARK_BELOW;
    report_columns_row(columns, emitter, &row);
}

static void callers_edge(const struct report_columns *columns, struct emitter *emitter, const struct call_edge *edge,
                         bool caller, unsigned *seen)
{
    const struct tree_function *functions = columns->tree->functions;
    const struct tree_function *function = &functions[caller ? edge->caller : edge->callee];
    struct tree_times exclusive = {.raw = NAN, .compensated = NAN, .uncertainty = NAN};
    struct tree_times inclusive = {
        .raw = edge->raw, .compensated = edge->compensated, .uncertainty = edge->uncertainty};
    bool recursive = edge->raw == 0 && edge->compensated == 0 && edge->calls; /* in the time of the outermost calls */
    char *label = NULL;
    if (asprintf(&label, "%s%s%s", caller ? "  called by " : "  calls ", function->name,
                 recursive ? " (recursion)" : "") < 0)
        label = NULL;
    struct report_row row = {
        .function = function,
        .of = &functions[caller ? edge->callee : edge->caller],
        .relation = caller ? "caller" : "callee",
        .inclusive = &inclusive,
        .exclusive = &exclusive,
        .share = callers_share(columns->tree, &inclusive),
        .calls = edge->calls,
        .marks = "",
        .label = label ? label : function->name,
    };
    if (report_has_more_calls(&row))
        *seen |= MARK_MORE;
    report_columns_row(columns, emitter, &row);
    free(label);
}

static void callers_edges(const struct report_columns *columns, struct emitter *emitter, const struct call_edges *edges,
                          uint32_t function, bool callers, unsigned *seen)
{
    size_t at = callers ? call_edges_of_callee(edges, function) : call_edges_of_caller(edges, function), shown = 0;
    emitter_nest(emitter, callers ? "callers" : "callees");
    for (; at < edges->count; at++) {
        const struct call_edge *edge = &edges->list[callers ? edges->by_callee[at] : at];
        if ((callers ? edge->callee : edge->caller) != function)
            break;
        if (callers && report_is_root(columns->tree, edge->caller))
            continue;
        if (emitter_is(emitter, EMIT_TEXT) && shown++ == CALLERS_EDGES_SHOWN) {
            emitter_table_line(emitter, "  (and more %s; --format json has all)", callers ? "callers" : "callees");
            break;
        }
        callers_edge(columns, emitter, edge, callers, seen);
    }
    emitter_nest_end(emitter);
}

int report_callers(struct emitter *emitter, struct call_tree *tree, const struct report_options *options)
{
    struct report_columns columns = {.list = NULL};
    struct call_edges edges = {NULL, 0, NULL};
    size_t count, shown = 0;
    uint32_t *order = report_order(tree, options->sort, &count);
    if (!order || !report_columns_make(&columns, REPORT_CALLERS, tree, options->times, emitter) ||
        !call_edges_make(&edges, tree)) {
        free(order);
        report_columns_free(&columns);
        return message_no_memory("report");
    }
    uint64_t limit = options->limit_given ? options->limit : emitter_is(emitter, EMIT_TEXT) ? CALLERS_DEFAULT_LIMIT : 0;
    double min = options->min_percent_given ? options->min_percent / 100 * tree->total_all_threads.compensated : 0;
    unsigned seen = 0;
    emitter_table(emitter, "functions", columns.list, columns.count, true);
    for (size_t i = 0; i < count; i++) {
        const struct tree_function *function = &tree->functions[order[i]];
        if ((limit && shown == limit) || (min > 0 && function->inclusive.compensated < min))
            continue;
        if (shown++)
            emitter_table_line(emitter, "%s", "");
        callers_self(&columns, emitter, function, &seen);
        callers_edges(&columns, emitter, &edges, order[i], true, &seen);
        if (function->in_place) {
            char calls[TEXT_NUMBER];
            emitter_table_line(emitter, "  (%s calls were counted in place: by whom is not known)",
                               text_count(calls, function->in_place));
        }
        callers_edges(&columns, emitter, &edges, order[i], false, &seen);
    }
    if (shown < count) {
        emitter_table_line(emitter, "%s", "");
        emitter_table_line(emitter, "... and %zu more function%s (--limit 0 shows all)", count - shown,
                           count - shown == 1 ? "" : "s");
    }
    emitter_table_end(emitter);
    report_legend(emitter, seen);
    call_edges_free(&edges);
    report_columns_free(&columns);
    free(order);
    return STATUS_DONE;
}
