/* The flat profile: a row a function. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_columns.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"

#include <math.h>
#include <stdlib.h>

#define FLAT_DEFAULT_LIMIT 40

static void flat_row(const struct report_columns *columns, struct emitter *emitter,
                     const struct tree_function *function, unsigned *seen)
{
    char marks[8], location[300];
    const struct call_tree *tree = columns->tree;
    bool below = report_is_below(&function->exclusive);
    struct report_row row = {
        .function = function,
        .inclusive = &function->inclusive,
        .exclusive = &function->exclusive,
        .share = below ? NAN : report_ratio(report_computing(&function->exclusive), report_whole(tree)),
        .exceeded = report_exceeds(function, function->exclusive.compensated),
        .marks = marks,
        .label = function->name,
        .remark = report_location(function, location, sizeof location),
    };
    report_marks(marks, row.exceeded, function, function->open > 0, seen);
    if (below || report_is_below(&function->inclusive))
        *seen |= MARK_BELOW;
    report_columns_row(columns, emitter, &row);
}

static bool flat_is_small(const struct call_tree *tree, const struct tree_function *function,
                          const struct report_options *options)
{
    if (options->min_percent <= 0 || isnan(function->exclusive.raw) || function->sum) /* unknown is not small */
        return false;
    double threshold = options->min_percent / 100;
    const struct tree_totals *total = &tree->total_all_threads;
    bool raw = options->times != REPORT_COMPENSATED &&
               (function->exclusive.raw >= threshold * total->raw || function->inclusive.raw >= threshold * total->raw);
    bool compensated =
        options->times != REPORT_RAW && (function->exclusive.compensated >= threshold * total->compensated ||
                                         function->inclusive.compensated >= threshold * total->compensated);
    return !raw && !compensated;
}

int report_flat(struct emitter *emitter, struct call_tree *tree, const struct report_options *options)
{
    struct report_columns columns;
    size_t count;
    uint32_t *order = report_order(tree, options->sort, &count);
    if (!order || !report_columns_make(&columns, REPORT_FLAT, tree, options->times, emitter)) {
        free(order);
        return message_no_memory("report");
    }
    uint64_t limit = options->limit_given ? options->limit : emitter_is(emitter, EMIT_TEXT) ? FLAT_DEFAULT_LIMIT : 0;
    uint64_t shown = 0;
    unsigned seen = 0;
    emitter_table(emitter, "functions", columns.list, columns.count, true);
    for (size_t i = 0; i < count; i++) {
        const struct tree_function *function = &tree->functions[order[i]];
        if ((limit && shown == limit) || flat_is_small(tree, function, options))
            continue;
        flat_row(&columns, emitter, function, &seen);
        shown++;
    }
    for (size_t i = 0; !emitter_is(emitter, EMIT_TEXT) && i < tree->function_count; i++)
        if (tree->functions[i].off)
            flat_row(&columns, emitter, &tree->functions[i], &seen);
    if (shown < count)
        emitter_table_line(emitter, "... and %llu more function%s%s", (unsigned long long)(count - shown),
                           count - shown == 1 ? "" : "s", limit && shown == limit ? " (--limit 0 shows all)" : "");
    emitter_table_end(emitter);
    report_legend(emitter, options->times == REPORT_RAW ? seen & ~(unsigned)MARK_BELOW : seen);
    free(order);
    report_columns_free(&columns);
    return STATUS_DONE;
}
