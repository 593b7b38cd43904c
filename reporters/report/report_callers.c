/* For every function: who called it, and whom it called. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"
#include "reporters/tree/call_edges.h"

#include <math.h>
#include <stdlib.h>

#define CALLERS_DEFAULT_LIMIT 20
#define CALLERS_EDGES_SHOWN   8 /* in text: callers, and callees, of one function */

#define IF_COMPENSATED(title) (times != REPORT_RAW ? (title) : NULL)
#define IF_RAW(title)         (times != REPORT_COMPENSATED ? (title) : NULL)
#define IF_BOTH(title)        (times == REPORT_BOTH ? (title) : NULL)

struct callers_row {
    const char *relation; /* "self", "caller", "callee" */
    const struct tree_function *function, *of;
    struct tree_times inclusive, exclusive;
    uint64_t calls;
    const char *marks, *shown;
    bool recursive; /* only inner calls: their time is in that of the outermost ones */
};

static void callers_row(struct emitter *emitter, const struct call_tree *tree, const struct callers_row *row)
{
    char location[300];
    emitter_row(emitter);
    emit_name(emitter, row->of->name);
    emit_name(emitter, row->relation);
    emit_name(emitter, row->function->name);
    report_emit_source(emitter, row->function);
    emit_share(emitter, report_ratio(row->inclusive.compensated, tree->total_all_threads.compensated));
    report_emit_compensated(emitter, &row->inclusive);
    emit_uncertainty(emitter, row->inclusive.uncertainty);
    emit_time(emitter, row->exclusive.compensated);
    if (isnan(row->exclusive.compensated))
        emit_shown(emitter, "%s", "");
    else if (report_is_below(&row->exclusive)) {
        char text[TEXT_NUMBER];
        emit_shown(emitter, "<%s", text_uncertainty(text, row->exclusive.uncertainty));
    }
    emit_time(emitter, row->inclusive.raw);
    emit_time(emitter, row->exclusive.raw);
    if (isnan(row->exclusive.raw))
        emit_shown(emitter, "%s", "");
    emit_share(emitter, report_overhead(&row->inclusive));
    for (int twice = 0; twice < 2; twice++) {
        if (row->function == row->of && row->function->sum)
            emit_null(emitter);
        else
            emit_count(emitter, row->calls);
    }
    emit_name(emitter, row->marks);
    emit_name(emitter, row->function->name);
    emit_shown(emitter, "%s%s%s", row->shown, row->function->name, row->recursive ? " (recursion)" : "");
    emit_remark(emitter, row->of == row->function && row->shown[0] == 0
                             ? report_location(row->function, location, sizeof location)
                             : NULL);
    emitter_row_end(emitter);
}

static struct callers_row callers_edge_row(const struct call_tree *tree, const struct call_edge *edge, bool caller)
{
    return (struct callers_row){
        .relation = caller ? "caller" : "callee",
        .function = &tree->functions[caller ? edge->caller : edge->callee],
        .of = &tree->functions[caller ? edge->callee : edge->caller],
        .inclusive = {.raw = edge->raw, .compensated = edge->compensated, .uncertainty = edge->uncertainty},
        .exclusive = {.raw = NAN, .compensated = NAN, .uncertainty = NAN},
        .calls = edge->calls,
        .marks = "",
        .shown = caller ? "  called by " : "  calls ",
        .recursive = edge->raw == 0 && edge->compensated == 0 && edge->calls,
    };
}

static void callers_edges(struct emitter *emitter, const struct call_tree *tree, const struct call_edges *edges,
                          uint32_t function, bool callers)
{
    size_t at = callers ? call_edges_of_callee(edges, function) : call_edges_of_caller(edges, function), shown = 0;
    emitter_nest(emitter, callers ? "callers" : "callees");
    for (; at < edges->count; at++) {
        const struct call_edge *edge = &edges->list[callers ? edges->by_callee[at] : at];
        if ((callers ? edge->callee : edge->caller) != function)
            break;
        if (callers && report_is_root(tree, edge->caller))
            continue;
        if (emitter_is(emitter, EMIT_TEXT) && shown++ == CALLERS_EDGES_SHOWN) {
            emitter_table_line(emitter, "  (and more %s; --format json has all)", callers ? "callers" : "callees");
            break;
        }
        struct callers_row row = callers_edge_row(tree, edge, callers);
        callers_row(emitter, tree, &row);
    }
    emitter_nest_end(emitter);
}

int report_callers(struct emitter *emitter, const struct call_tree *tree, const struct report_options *options)
{
    int times = options->times;
    const struct emit_column columns[] = {
        {emitter_is(emitter, EMIT_CSV) ? "of" : NULL, NULL, NULL, EMIT_NAME, 0},
        {"relation", NULL, NULL, EMIT_NAME, 0},
        {"name", NULL, NULL, EMIT_NAME, 0},
        {"file", NULL, NULL, EMIT_NAME, 0},
        {"line", NULL, NULL, EMIT_COUNT, 0},
        {"share", "compensated", IF_COMPENSATED("share"), EMIT_SHARE, 3},
        {"compensated|inclusive", "compensated", IF_COMPENSATED("inclusive"), EMIT_TIME, 0},
        {"uncertainty|inclusive", "compensated", IF_COMPENSATED("±"), EMIT_TIME, 2},
        {"compensated|exclusive", "compensated", IF_COMPENSATED("exclusive"), EMIT_TIME, 5},
        {"raw|inclusive", "raw", IF_RAW("inclusive"), EMIT_TIME, times == REPORT_RAW ? 0 : 10},
        {"raw|exclusive", "raw", IF_RAW("exclusive"), EMIT_TIME, times == REPORT_RAW ? 5 : 12},
        {NULL, NULL, IF_BOTH("overhead"), EMIT_SHARE, 11},
        {"N", NULL, "calls", EMIT_COUNT, 1},
        {"calls", NULL, NULL, EMIT_COUNT, 0}, /* N again, under a name that says what it is */
        {NULL, NULL, "", EMIT_NAME, 0},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    struct call_edges edges = {NULL, 0, NULL};
    size_t count, shown = 0;
    uint32_t *order = report_order(tree, options->sort, &count);
    if (!order || !call_edges_make(&edges, tree)) {
        free(order);
        return message_no_memory("report");
    }
    uint64_t limit = options->limit_given ? options->limit : emitter_is(emitter, EMIT_TEXT) ? CALLERS_DEFAULT_LIMIT : 0;
    double min = options->min_percent_given ? options->min_percent / 100 * tree->total_all_threads.compensated : 0;
    unsigned seen = 0;
    emitter_table(emitter, "functions", columns, sizeof columns / sizeof *columns, true);
    for (size_t i = 0; i < count; i++) {
        const struct tree_function *function = &tree->functions[order[i]];
        if ((limit && shown == limit) || (min > 0 && function->inclusive.compensated < min))
            continue;
        char marks[8];
        report_marks(marks, report_exceeds(function, function->exclusive.compensated), function, function->open > 0,
                     &seen);
        if (report_is_below(&function->inclusive) || report_is_below(&function->exclusive))
            seen |= MARK_BELOW;
        if (shown++)
            emitter_table_line(emitter, "%s", "");
        callers_row(emitter, tree,
                    &(struct callers_row){"self", function, function, function->inclusive, function->exclusive,
                                          function->calls, marks, "", false});
        callers_edges(emitter, tree, &edges, order[i], true);
        if (function->in_place) {
            char calls[TEXT_NUMBER];
            emitter_table_line(emitter, "  (%s calls were counted in place: by whom is not known)",
                               text_count(calls, function->in_place));
        }
        callers_edges(emitter, tree, &edges, order[i], false);
    }
    if (shown < count) {
        emitter_table_line(emitter, "%s", "");
        emitter_table_line(emitter, "... and %zu more function%s (--limit 0 shows all)", count - shown,
                           count - shown == 1 ? "" : "s");
    }
    emitter_table_end(emitter);
    report_legend(emitter, seen);
    call_edges_free(&edges);
    free(order);
    return STATUS_DONE;
}
