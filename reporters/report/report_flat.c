/* The flat profile: a row a function. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_columns.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"

#include <math.h>
#include <stdlib.h>

#define FLAT_DEFAULT_LIMIT 40

/* Where the terminal is narrow, what is not compensated goes first: raw inclusive, overhead, raw exclusive. Title only
 * where the times asked for have the column. */
#define IF_COMPENSATED(title) (times != REPORT_RAW ? (title) : NULL)
#define IF_RAW(title)         (times != REPORT_COMPENSATED ? (title) : NULL)
#define IF_BOTH(title)        (times == REPORT_BOTH ? (title) : NULL)

static bool flat_columns(struct report_columns *columns, const struct call_tree *tree, int times)
{
    bool shown = report_is_estimated(tree) || tree->counting.inexact, raw_alone = times == REPORT_RAW;
    struct emit_column base[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},
        {"linkage_name", NULL, NULL, EMIT_NAME, 0},
        {"file", NULL, NULL, EMIT_NAME, 0},
        {"line", NULL, NULL, EMIT_COUNT, 0},
        {"module", NULL, NULL, EMIT_NAME, 0},
        {"share", "compensated", IF_COMPENSATED("share"), EMIT_SHARE, 3},
        {"compensated|exclusive", "compensated", IF_COMPENSATED("exclusive"), EMIT_TIME, 0},
        {"uncertainty|exclusive", "compensated", IF_COMPENSATED("±"), EMIT_TIME, 2},
        {"compensated|inclusive", "compensated", IF_COMPENSATED("inclusive"), EMIT_TIME, 4},
        {"uncertainty|inclusive", NULL, NULL, EMIT_TIME, 0},
        REPORT_OFF_CPU(REPORT_OFF_CPU_TEXT),
        {"raw|exclusive", "raw", IF_RAW("exclusive"), EMIT_TIME, raw_alone ? 0 : 10},
        {"raw|inclusive", "raw", IF_RAW("inclusive"), EMIT_TIME, raw_alone ? 5 : 12},
        {"overhead|exclusive", NULL, NULL, EMIT_TIME, 0},
        {"overhead|inclusive", NULL, NULL, EMIT_TIME, 0},
        {NULL, NULL, IF_BOTH("overhead"), EMIT_SHARE, 11},
        {"N", NULL, "calls", EMIT_COUNT, 1},
        {NULL, NULL, shown ? "±" : NULL, EMIT_COUNT, 6},
        {"outermost", NULL, NULL, EMIT_COUNT, 0},
        {"open", NULL, NULL, EMIT_COUNT, 0},
        {"held", NULL, NULL, EMIT_COUNT, 0},
        {"M", NULL, NULL, EMIT_COUNT, 0},
        {"L", NULL, NULL, EMIT_COUNT, 0},
        {"min", NULL, NULL, EMIT_TIME, 0},
        {"max", NULL, NULL, EMIT_TIME, 0},
        {"resolved", NULL, NULL, EMIT_FLAG, 0},
        {"exact", NULL, NULL, EMIT_FLAG, 0},
        {"callees_exceed", NULL, NULL, EMIT_FLAG, 0},
        {"level", NULL, NULL, EMIT_NAME, 0},
        {"calls_uncertainty", NULL, NULL, EMIT_COUNT, 0},
        {tree->counting.any ? "in_place" : NULL, NULL, NULL, EMIT_COUNT, 0},
        {tree->counting.any ? "before|raw" : NULL, NULL, NULL, EMIT_TIME, 0},
        {tree->counting.any ? "before|compensated" : NULL, NULL, NULL, EMIT_TIME, 0},
        {tree->counting.any ? "before|uncertainty" : NULL, NULL, NULL, EMIT_TIME, 0},
        REPORT_OFF_CPU(REPORT_OFF_CPU_KEYS),
        {"calls", NULL, NULL, EMIT_COUNT, 0},
        {"calls_below", NULL, NULL, EMIT_COUNT, 0},
        {"calls_children", NULL, NULL, EMIT_COUNT, 0},
        REPORT_PERCENTILE_COLUMNS,
    };
    static const struct emit_column last[] = {
        {NULL, NULL, "", EMIT_NAME, 0},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    report_off_cpu_columns(base, sizeof base / sizeof *base, tree, false);
    return report_columns_make(columns, tree, base, sizeof base / sizeof *base, last, sizeof last / sizeof *last);
}

static void flat_row(struct emitter *emitter, const struct call_tree *tree, const struct tree_function *function,
                     unsigned *seen)
{
    char marks[8], location[300];
    bool exceeded = report_exceeds(function, function->exclusive.compensated);
    emitter_row(emitter);
    emit_name(emitter, function->name);
    emit_name(emitter, function->linkage_name);
    report_emit_source(emitter, function);
    emit_name(emitter, function->module);
    double share = report_ratio(report_computing(&function->exclusive), report_whole(tree));
    emit_share(emitter, report_is_below(&function->exclusive) ? NAN : share);
    report_emit_compensated(emitter, &function->exclusive);
    emit_uncertainty(emitter, function->exclusive.uncertainty);
    report_emit_compensated(emitter, &function->inclusive);
    emit_uncertainty(emitter, function->inclusive.uncertainty);
    report_emit_off_cpu(emitter, tree, &function->inclusive, &function->exclusive);
    emit_time(emitter, function->exclusive.raw);
    emit_time(emitter, function->inclusive.raw);
    emit_time(emitter, function->exclusive.raw - function->exclusive.compensated);
    emit_time(emitter, function->inclusive.raw - function->inclusive.compensated);
    emit_share(emitter, report_overhead(&function->exclusive));
    report_emit_calls(emitter, function);
    uint64_t half = report_calls_uncertainty(function);
    emit_count(emitter, half);
    if (!half || half >= function->calls)
        emit_shown(emitter, "%s", "");
    report_emit_path_counts(emitter, tree, function);
    emit_time(emitter, function->min);
    emit_time(emitter, function->max);
    emit_flag(emitter, function->resolved);
    emit_flag(emitter, function->exact);
    emit_flag(emitter, exceeded);
    emit_name(emitter, function_level_name(function->level));
    emit_count(emitter, report_calls_uncertainty(function));
    emit_count(emitter, function->in_place);
    emit_time(emitter, function->counted ? function->before.raw : NAN);
    emit_time(emitter, function->counted ? function->before.compensated : NAN);
    emit_time(emitter, function->counted ? function->before.uncertainty : NAN);
    report_emit_off_cpu(emitter, tree, &function->inclusive, &function->exclusive);
    report_emit_calls(emitter, function); /* N, M and L again, under names that say what they are */
    report_emit_below(emitter, tree, function->descendants);
    report_emit_below(emitter, tree, function->children);
    report_emit_percentiles(emitter, tree, function->spread, function->min, function->max);
    report_emit_counters(emitter, tree, function->counters);
    report_marks(marks, exceeded, function, function->open > 0, seen);
    if (report_is_below(&function->exclusive) || report_is_below(&function->inclusive))
        *seen |= MARK_BELOW;
    emit_name(emitter, marks);
    emit_name(emitter, function->name);
    emit_remark(emitter, report_location(function, location, sizeof location));
    emitter_row_end(emitter);
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

int report_flat(struct emitter *emitter, const struct call_tree *tree, const struct report_options *options)
{
    struct report_columns columns;
    size_t count;
    uint32_t *order = report_order(tree, options->sort, &count);
    if (!order || !flat_columns(&columns, tree, options->times)) {
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
        flat_row(emitter, tree, function, &seen);
        shown++;
    }
    for (size_t i = 0; !emitter_is(emitter, EMIT_TEXT) && i < tree->function_count; i++)
        if (tree->functions[i].off)
            flat_row(emitter, tree, &tree->functions[i], &seen);
    if (shown < count)
        emitter_table_line(emitter, "... and %llu more function%s%s", (unsigned long long)(count - shown),
                           count - shown == 1 ? "" : "s", limit && shown == limit ? " (--limit 0 shows all)" : "");
    emitter_table_end(emitter);
    report_legend(emitter, options->times == REPORT_RAW ? seen & ~(unsigned)MARK_BELOW : seen);
    free(order);
    report_columns_free(&columns);
    return STATUS_DONE;
}
