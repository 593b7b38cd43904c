/* pcomp compare: the raw ranking against the compensated one, and what each term took away. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/cmd/command.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"
#include "reporters/report/report_head.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COMPARE_DEFAULT_LIMIT   30
#define COMPARE_DEFAULT_PERCENT 1.0
#define ROUNDING                1e-12

struct compare_row {
    uint32_t function;
    uint32_t rank_raw, rank_compensated; /* from 1 */
    double share_raw, share_compensated;
};

static const struct tree_times *compare_times(const struct tree_function *function, bool inclusive)
{
    return inclusive ? &function->inclusive : &function->exclusive;
}

/* Of a function that was only counted they are not: it has no rank, and comes last. */
static bool times_known(const struct tree_times *times)
{
    return !isnan(times->raw);
}

static int64_t compare_move(const struct compare_row *row)
{
    return (int64_t)row->rank_raw - (int64_t)row->rank_compensated;
}

/* Most moved first; of equal moves the greater change of its share. */
static int compare_order(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;
    if (isnan(x->share_raw) != isnan(y->share_raw))
        return isnan(x->share_raw) ? 1 : -1;
    if (isnan(x->share_raw))
        return (x->rank_compensated > y->rank_compensated) - (x->rank_compensated < y->rank_compensated);
    int64_t move_x = llabs(compare_move(x)), move_y = llabs(compare_move(y));
    if (move_x != move_y)
        return move_x > move_y ? -1 : 1;
    double shift_x = fabs(x->share_raw - x->share_compensated), shift_y = fabs(y->share_raw - y->share_compensated);
    if (shift_x != shift_y)
        return shift_x > shift_y ? -1 : 1;
    return (x->rank_compensated > y->rank_compensated) - (x->rank_compensated < y->rank_compensated);
}

/* Rows by rank; NULL: out of memory. */
static struct compare_row *compare_rows(const struct call_tree *tree, bool inclusive, size_t *count)
{
    size_t raw_count;
    uint32_t *compensated = report_order(tree, inclusive ? REPORT_BY_INCLUSIVE : REPORT_BY_EXCLUSIVE, count);
    uint32_t *raw = report_order(tree, inclusive ? REPORT_BY_RAW : REPORT_BY_RAW_EXCLUSIVE, &raw_count);
    uint32_t *rank = calloc(tree->function_count + 1, sizeof *rank);
    struct compare_row *rows = calloc(*count + 1, sizeof *rows);
    if (compensated && raw && rank && rows) {
        for (size_t i = 0; i < raw_count; i++)
            rank[raw[i]] = (uint32_t)(i + 1);
        for (size_t i = 0; i < *count; i++) {
            const struct tree_times *times = compare_times(&tree->functions[compensated[i]], inclusive);
            double share_raw = report_ratio(times->raw, tree->total_all_threads.raw);
            double share = report_ratio(times->compensated, tree->total_all_threads.compensated);
            rows[i] = (struct compare_row){compensated[i], rank[compensated[i]], (uint32_t)(i + 1),
                                           times_known(times) && isnan(share_raw) ? 0 : share_raw,
                                           times_known(times) && isnan(share) ? 0 : share};
        }
    } else {
        free(rows);
        rows = NULL;
    }
    free(compensated);
    free(raw);
    free(rank);
    return rows;
}

/* What a counted call and its site, a sample, or the first call of a path cost is in no term of the model. */
static double compare_other(const struct tree_times *times)
{
    double other = times->raw - times->compensated - times->own - times->descendants - times->direct;
    return fabs(other) <= ROUNDING * times->raw ? 0 : other;
}

static void compare_ranks_emit(struct emitter *emitter, const struct compare_row *row, bool known)
{
    int64_t move = compare_move(row);
    if (!known) {
        emit_null(emitter);
        emit_null(emitter);
        emit_null(emitter);
        return;
    }
    emit_count(emitter, row->rank_raw);
    emit_shown(emitter, "#%u", row->rank_raw);
    emit_count(emitter, row->rank_compensated);
    emit_shown(emitter, "→ #%u", row->rank_compensated);
    emit_real(emitter, (double)move);
    if (move)
        emit_shown(emitter, "%s %lld", move > 0 ? "▲" : "▼", (long long)llabs(move));
    else
        emit_shown(emitter, "=");
}

static void compare_row_emit(struct emitter *emitter, const struct call_tree *tree, const struct compare_row *row,
                             bool inclusive, unsigned *seen)
{
    const struct tree_function *function = &tree->functions[row->function];
    const struct tree_times *times = compare_times(function, inclusive);
    char location[300], marks[8];
    emitter_row(emitter);
    emit_name(emitter, function->name);
    report_emit_source(emitter, function);
    compare_ranks_emit(emitter, row, times_known(times));
    emit_time(emitter, times->raw);
    emit_share(emitter, row->share_raw);
    report_emit_compensated(emitter, times);
    emit_uncertainty(emitter, times->uncertainty);
    emit_share(emitter, row->share_compensated);
    emit_time(emitter, times->own);
    emit_time(emitter, times->descendants);
    emit_time(emitter, times->direct);
    emit_time(emitter, compare_other(times));
    report_emit_calls(emitter, function);
    report_emit_below(emitter, tree, function->descendants);
    report_emit_below(emitter, tree, function->children);
    report_marks(marks, report_exceeds(function, function->exclusive.compensated), function, function->open > 0, seen);
    if (report_is_below(times))
        *seen |= MARK_BELOW;
    emit_name(emitter, marks);
    emit_name(emitter, function->name);
    emit_remark(emitter, report_location(function, location, sizeof location));
    emitter_row_end(emitter);
}

struct compare_options {
    const char *dir;
    uint64_t limit;
    double min_percent;
    int by, format;
};

static int compare_write(struct emitter *emitter, const struct call_tree *tree, const struct compare_options *options)
{
    bool counts = tree->counting.any;
    const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},
        {"file", NULL, NULL, EMIT_NAME, 0},
        {"line", NULL, NULL, EMIT_COUNT, 0},
        {"rank|raw", "rank", "raw", EMIT_COUNT, 0},
        {"rank|compensated", "rank", "comp.", EMIT_COUNT, 0},
        {"rank|moved", "rank", "moved", EMIT_COUNT, 0},
        {"raw", "raw", "time", EMIT_TIME, 1},
        {"share|raw", "raw", "share", EMIT_SHARE, 3},
        {"compensated", "compensated", "time", EMIT_TIME, 0},
        {"uncertainty", "compensated", "±", EMIT_TIME, 5},
        {"share|compensated", "compensated", "share", EMIT_SHARE, 2},
        {"terms|own", "taken away", "N·Δi", EMIT_TIME, 6},
        {"terms|descendants", "taken away", "M·Δi", EMIT_TIME, 7},
        {"terms|direct", "taken away", "L·Δe", EMIT_TIME, 8},
        {"terms|other", counts ? "taken away" : NULL, counts ? "other" : NULL, EMIT_TIME, 5},
        {"N", NULL, "calls", EMIT_COUNT, 4},
        {"M", NULL, NULL, EMIT_COUNT, 0},
        {"L", NULL, NULL, EMIT_COUNT, 0},
        {NULL, NULL, "", EMIT_NAME, 0},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    size_t count, shown = 0;
    struct compare_row *rows = compare_rows(tree, options->by, &count);
    if (!rows)
        return message_no_memory("compare");
    qsort(rows, count, sizeof *rows, compare_order);
    uint64_t limit = options->limit != UINT64_MAX     ? options->limit
                     : emitter_is(emitter, EMIT_TEXT) ? COMPARE_DEFAULT_LIMIT
                                                      : 0;
    double min = options->min_percent >= 0        ? options->min_percent / 100
                 : emitter_is(emitter, EMIT_TEXT) ? COMPARE_DEFAULT_PERCENT / 100
                                                  : 0;
    unsigned seen = 0;
    emitter_text(emitter, "Functions by %s time, most moved first:", options->by ? "inclusive" : "exclusive");
    emitter_table(emitter, "functions", columns, sizeof columns / sizeof *columns, true);
    for (size_t i = 0; i < count; i++) {
        if ((limit && shown == limit) || (min > 0 && rows[i].share_raw < min && fabs(rows[i].share_compensated) < min))
            continue;
        compare_row_emit(emitter, tree, &rows[i], options->by, &seen);
        shown++;
    }
    if (shown < count)
        emitter_table_line(emitter, "... and %zu more function%s (--limit 0 --min-percent 0 shows all)", count - shown,
                           count - shown == 1 ? "" : "s");
    emitter_table_end(emitter);
    emitter_text(emitter, "%s", "");
    emitter_text(emitter, "▲▼  places a function gained or lost when the measurement's own time was taken away:");
    emitter_text(emitter,
                 "    N·Δi for its own calls, M·Δi for the calls below it, L·Δe for the calls that it made itself");
    if (tree->counting.any)
        emitter_text(emitter, "    other: counting in place, sites that are off, samples, first calls of paths");
    report_legend(emitter, seen);
    free(rows);
    return STATUS_DONE;
}

static int compare_tree(struct call_tree *tree, void *context)
{
    const struct compare_options *options = context;
    struct emitter *emitter = emitter_open((enum emit_format)options->format, stdout, "pcomp-compare/1");
    if (!emitter)
        return message_no_memory("compare");
    report_head(emitter, tree, options->dir, true);
    emitter_field_text(emitter, "by", options->by ? "inclusive" : "exclusive");
    int status = compare_write(emitter, tree, options);
    report_notes(emitter, tree);
    int closed = emitter_close(emitter);
    return status ? status : closed;
}

static struct compare_options given = {.limit = UINT64_MAX, .min_percent = -1};
static struct load_options part = LOAD_OPTIONS;
static const struct option_spec specs[] = {
    {"--by", 0, OPTION_CHOICE, "WHICH", "rank by exclusive (default) or inclusive time", &given.by,
     "exclusive|inclusive"},
    LIMIT_SPEC(&given.limit),
    {"--min-percent", 0, OPTION_NUMBER, "P", "only functions with P % of the time, raw or compensated",
     &given.min_percent, NULL},
    LOAD_OPTION_SPECS(part),
    EMIT_FORMAT_SPEC(&given.format),
    {0},
};

static int compare_run(const struct operands *operands)
{
    given.dir = operand_directory(operands);
    return report_with_tree("compare", given.dir, &part, compare_tree, &given);
}

const struct command_usage cmd_compare = {
    .command = "compare",
    .summary = "raw against compensated, and what was taken away",
    .synopsis = "[OPTION...] [DIR]",
    .purpose = "Shows which functions the measurement made look more, or less, expensive than they are.",
    .options = specs,
    OPERAND_DIRECTORY,
    .run = compare_run,
};
