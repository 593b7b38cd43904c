#include "reporters/diff/diff_pair.h"

#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/diff/diff_cells.h"
#include "reporters/diff/diff_markdown.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"
#include "reporters/report/report_how.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIFF_DEFAULT_LIMIT 40
#define DIFF_RULE          "above the uncertainty of the compensation (other differences from run to run are not in it)"

struct diff_row {
    const struct tree_function *sides[2]; /* NULL: not in this run */
    double delta, uncertainty;            /* exclusive compensated, ns */
};

static const struct tree_times diff_nothing;

static const struct tree_times *diff_times(const struct diff_row *row, int side, bool inclusive)
{
    const struct tree_function *function = row->sides[side];
    return !function ? &diff_nothing : inclusive ? &function->inclusive : &function->exclusive;
}

/* Of sums, and where a side is missing, as of a function that was not called. */
static double diff_calls(const struct diff_row *row)
{
    double calls[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        calls[i] = row->sides[i] ? (double)row->sides[i]->calls : 0;
    return calls[1] - calls[0];
}

/* Half-width of the change of calls: of functions that were counted in windows alone. */
static double diff_calls_uncertainty(const struct diff_row *row)
{
    double halves[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        halves[i] = row->sides[i] ? (double)report_calls_uncertainty(row->sides[i]) : 0;
    return hypot(halves[0], halves[1]);
}

/* Greatest change of time first; behind all, where a time is not known, the greatest change of calls. */
static int diff_order(const void *a, const void *b)
{
    const struct diff_row *x = a, *y = b;
    if (isnan(x->delta) != isnan(y->delta))
        return isnan(x->delta) ? 1 : -1;
    if (isnan(x->delta) && fabs(diff_calls(x)) != fabs(diff_calls(y)))
        return fabs(diff_calls(x)) > fabs(diff_calls(y)) ? -1 : 1;
    if (!isnan(x->delta) && fabs(x->delta) != fabs(y->delta))
        return fabs(x->delta) > fabs(y->delta) ? -1 : 1;
    const struct tree_function *f = x->sides[0] ? x->sides[0] : x->sides[1];
    const struct tree_function *g = y->sides[0] ? y->sides[0] : y->sides[1];
    return call_tree_match(f, g);
}

static struct diff_row *diff_rows(struct call_tree *const trees[2], size_t *count)
{
    size_t counts[2], at[2] = {0, 0};
    const struct tree_function **lists[2] = {diff_functions(trees[0], &counts[0]),
                                             diff_functions(trees[1], &counts[1])};
    struct diff_row *rows = lists[0] && lists[1] ? calloc(counts[0] + counts[1] + 1, sizeof *rows) : NULL;
    *count = 0;
    while (rows && (at[0] < counts[0] || at[1] < counts[1])) {
        int order = at[0] == counts[0]   ? 1
                    : at[1] == counts[1] ? -1
                                         : call_tree_match(lists[0][at[0]], lists[1][at[1]]);
        struct diff_row *row = &rows[(*count)++];
        if (order <= 0)
            row->sides[0] = lists[0][at[0]++];
        if (order >= 0)
            row->sides[1] = lists[1][at[1]++];
        const struct tree_times *before = diff_times(row, 0, false), *after = diff_times(row, 1, false);
        row->delta = after->compensated - before->compensated;
        row->uncertainty = hypot(before->uncertainty, after->uncertainty);
    }
    free(lists[0]);
    free(lists[1]);
    if (rows)
        qsort(rows, *count, sizeof *rows, diff_order);
    return rows;
}

/* --- Output ------------------------------------------------------------------------------------------------------ */

static bool diff_significant(double delta, double uncertainty)
{
    return fabs(delta) > uncertainty && delta != 0;
}

static void diff_emit_side(struct emitter *emitter, const struct diff_row *row, int side)
{
    const struct tree_times *exclusive = diff_times(row, side, false);
    if (!row->sides[side]) {
        emit_null(emitter);
        emit_null(emitter);
        emit_null(emitter);
        emit_null(emitter);
        return;
    }
    report_emit_compensated(emitter, exclusive);
    emit_uncertainty(emitter, exclusive->uncertainty);
    emit_time(emitter, diff_times(row, side, true)->compensated);
    report_emit_calls(emitter, row->sides[side]);
}

static bool diff_is_sum(const struct diff_row *row)
{
    return (row->sides[0] && row->sides[0]->sum) || (row->sides[1] && row->sides[1]->sum);
}

static void diff_row_emit(struct emitter *emitter, const struct diff_row *row, double total)
{
    const struct tree_function *function = row->sides[1] ? row->sides[1] : row->sides[0];
    char text[TEXT_NUMBER];
    emitter_row(emitter);
    emit_name(emitter, function->name);
    emit_name(emitter, function->file);
    diff_emit_side(emitter, row, 0);
    diff_emit_side(emitter, row, 1);
    diff_emit_change(emitter, row->delta);
    emit_uncertainty(emitter, row->uncertainty);
    emit_time(emitter, diff_times(row, 1, true)->compensated - diff_times(row, 0, true)->compensated);
    const struct tree_times *before = diff_times(row, 0, false);
    diff_emit_relative(emitter, row->sides[0], row->sides[1], row->delta, before->compensated, before->uncertainty);
    diff_emit_share(emitter, report_ratio(row->delta, total));
    emit_flag(emitter, diff_significant(row->delta, row->uncertainty));
    emit_real(emitter, diff_is_sum(row) ? NAN : diff_calls(row));
    double half = diff_calls_uncertainty(row);
    if (!diff_is_sum(row) && half > 0 && half >= fabs(diff_calls(row)))
        emit_shown(emitter, "<%s", text_count(text, (uint64_t)half));
    else if (!diff_is_sum(row))
        emit_shown(emitter, "%s%s",
                   diff_calls(row) > 0   ? "+"
                   : diff_calls(row) < 0 ? "-"
                                         : "",
                   text_count(text, (uint64_t)fabs(diff_calls(row))));
    emit_real(emitter, diff_is_sum(row) ? NAN : half);
    emit_name(emitter, diff_significant(row->delta, row->uncertainty) ? "*" : "");
    emit_name(emitter, function->name);
    emitter_row_end(emitter);
}

static void diff_head(struct emitter *emitter, struct call_tree *const trees[2], const char *const dirs[2])
{
    static const char *const sides[] = {"before", "after"};
    char a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER], key[64];
    emitter_field_text(emitter, "unit", "ns");
    for (int i = 0; i < 2; i++) {
        const struct tree_totals *total = &trees[i]->total;
        snprintf(key, sizeof key, "%s|dir", sides[i]);
        emitter_field_text(emitter, key, dirs[i]);
        snprintf(key, sizeof key, "%s|total|calls", sides[i]);
        if (total->calls_partial)
            emitter_field_real(emitter, key, NAN);
        else
            emitter_field_count(emitter, key, total->calls);
        snprintf(key, sizeof key, "%s|total|raw", sides[i]);
        emitter_field_real(emitter, key, total->raw);
        snprintf(key, sizeof key, "%s|total|compensated", sides[i]);
        emitter_field_real(emitter, key, total->compensated);
        snprintf(key, sizeof key, "%s|total|uncertainty", sides[i]);
        emitter_field_real(emitter, key, total->uncertainty);
        snprintf(key, sizeof key, "%s|", sides[i]);
        report_how_fields(emitter, key, trees[i]);
        emitter_text(emitter, "%-7s %s: %s ± %s compensated%s%s%s", sides[i], dirs[i], text_time(a, total->compensated),
                     text_uncertainty(b, total->uncertainty), total->calls_partial ? "" : ", ",
                     total->calls_partial ? "" : text_count(c, total->calls),
                     total->calls_partial ? ""
                     : total->calls == 1  ? " call"
                                          : " calls");
        report_how_text(emitter, "        ", trees[i]);
    }
    double delta = trees[1]->total.compensated - trees[0]->total.compensated;
    double uncertainty = hypot(trees[0]->total.uncertainty, trees[1]->total.uncertainty);
    emitter_field_real(emitter, "total|delta", delta);
    emitter_field_real(emitter, "total|uncertainty", uncertainty);
    emitter_field_real(emitter, "total|relative", report_ratio(delta, trees[0]->total.compensated));
    emitter_field_flag(emitter, "total|significant", diff_significant(delta, uncertainty));
    char percent[TEXT_NUMBER];
    emitter_text(emitter, "change  %s ± %s (%s)%s", text_time_signed(a, delta), text_uncertainty(b, uncertainty),
                 text_percent_signed(percent, report_ratio(delta, trees[0]->total.compensated)),
                 diff_significant(delta, uncertainty) ? "" : ", not significant");
    emitter_text(emitter, "%s", "");
}

/* counted: calls are worth a column of their own, for they are all that is known of some functions. */
static void diff_table(struct emitter *emitter, const struct diff_row *rows, size_t count, double total, uint64_t limit,
                       bool counted)
{
    const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},
        {"file", NULL, NULL, EMIT_NAME, 0},
        {"before|exclusive", "before", "exclusive", EMIT_TIME, 2},
        {"before|uncertainty", NULL, NULL, EMIT_TIME, 0},
        {"before|inclusive", NULL, NULL, EMIT_TIME, 0},
        {"before|N", "before", "calls", EMIT_COUNT, 4},
        {"after|exclusive", "after", "exclusive", EMIT_TIME, 1},
        {"after|uncertainty", NULL, NULL, EMIT_TIME, 0},
        {"after|inclusive", NULL, NULL, EMIT_TIME, 0},
        {"after|N", "after", "calls", EMIT_COUNT, 3},
        {"delta|exclusive", "change", "exclusive", EMIT_TIME, 0},
        {"delta|uncertainty", "change", "±", EMIT_TIME, 5},
        {"delta|inclusive", NULL, NULL, EMIT_TIME, 0},
        {"relative", "change", "of itself", EMIT_SHARE, 6},
        {"of_total", "change", "of total", EMIT_SHARE, 7},
        {"significant", NULL, NULL, EMIT_FLAG, 0},
        {"delta|N", "change", counted ? "calls" : NULL, EMIT_REAL, 1},
        {"delta|N_uncertainty", NULL, NULL, EMIT_REAL, 0},
        {NULL, NULL, "", EMIT_NAME, 0},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    size_t shown = limit && limit < count ? (size_t)limit : count;
    emitter_table(emitter, "functions", columns, sizeof columns / sizeof *columns, true);
    for (size_t i = 0; i < shown; i++)
        diff_row_emit(emitter, &rows[i], total);
    if (shown < count)
        emitter_table_line(emitter, "... and %zu more function%s (--limit 0 shows all)", count - shown,
                           count - shown == 1 ? "" : "s");
    emitter_table_end(emitter);
    emitter_text(emitter, "%s", "");
    emitter_text(emitter, "*  " DIFF_RULE);
}

static void diff_notes(struct emitter *emitter, struct call_tree *const trees[2], const char *const dirs[2])
{
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < trees[i]->warning_count; k++)
            emitter_note(emitter, "%s: %s", dirs[i], trees[i]->warnings[k]);
    if (trees[0]->model != trees[1]->model)
        emitter_note(emitter, "the runs were compensated by different models (--model makes them alike)");
    if (strcmp(trees[0]->mode, trees[1]->mode) != 0)
        emitter_note(emitter, "the runs were measured in different modes (record both with one --mode)");
    diff_programs_note(emitter, diff_program(trees[0]), diff_program(trees[1]));
}

/* Past the limit: grew significantly by more than that share of the first run's total. */
static bool diff_is_past(double delta, double uncertainty, double total, double percent)
{
    return percent >= 0 && delta > 0 && diff_significant(delta, uncertainty) && 100 * delta / total > percent;
}

/* Of the total, or a function's exclusive time. Returns the exit status. */
static int diff_verdict(struct call_tree *const trees[2], const struct diff_row *rows, size_t count, double percent)
{
    double total = trees[0]->total.compensated, all = trees[0]->total_all_threads.compensated;
    double delta = trees[1]->total.compensated - total;
    char a[TEXT_NUMBER], b[TEXT_NUMBER];
    if (!(total > 0))
        return message_failure("diff: the first run has no compensated time to compare with (record it again)");
    if (diff_is_past(delta, hypot(trees[0]->total.uncertainty, trees[1]->total.uncertainty), total, percent))
        return message_failure("diff: total: grew by %s, %s (the limit is %g %%)", text_time(a, delta),
                               text_percent(b, delta / total), percent);
    for (size_t i = 0; i < count; i++) /* greatest first */
        if (diff_is_past(rows[i].delta, rows[i].uncertainty, all, percent))
            return message_failure("diff: %s: grew by %s, %s of the first run's total (the limit is %g %%)",
                                   rows[i].sides[1]->name, text_time(a, rows[i].delta),
                                   text_percent(b, rows[i].delta / all), percent);
    return STATUS_DONE;
}

static struct diff_line diff_line_of(const struct diff_row *row, double total, double percent)
{
    const struct tree_function *function = row->sides[1] ? row->sides[1] : row->sides[0];
    struct diff_line line = {.name = function->name, .file = function->file, .line = function->line};
    for (int i = 0; i < 2; i++) {
        line.values[i] = row->sides[i] ? diff_times(row, i, false)->compensated : NAN;
        line.halves[i] = diff_times(row, i, false)->uncertainty;
    }
    line.change = row->delta;
    line.half = row->uncertainty;
    line.share = report_ratio(row->delta, total);
    line.significant = diff_significant(row->delta, row->uncertainty);
    line.failed = diff_is_past(row->delta, row->uncertainty, total, percent);
    return line;
}

static int diff_write_markdown(struct call_tree *const trees[2], const char *const dirs[2],
                               const struct diff_options *options, const struct diff_row *rows, size_t count)
{
    double total = trees[0]->total.compensated, all = trees[0]->total_all_threads.compensated;
    struct diff_line *lines = calloc(count + 1, sizeof *lines);
    if (!lines)
        return message_no_memory("diff");
    for (size_t i = 0; i < count; i++)
        lines[i] = diff_line_of(&rows[i], all, options->fail_above);
    struct diff_document document = {
        .sides = {dirs[0], dirs[1]},
        .total = {.change = trees[1]->total.compensated - total,
                  .half = hypot(trees[0]->total.uncertainty, trees[1]->total.uncertainty),
                  .share = NAN},
        .lines = lines,
        .count = count,
        .rule = DIFF_RULE,
    };
    for (int i = 0; i < 2; i++) {
        document.total.values[i] = trees[i]->total.compensated;
        document.total.halves[i] = trees[i]->total.uncertainty;
    }
    document.total.significant = diff_significant(document.total.change, document.total.half);
    document.total.failed = diff_is_past(document.total.change, document.total.half, total, options->fail_above);
    char *programs = diff_programs(diff_program(trees[0]), diff_program(trees[1]));
    document.notes = &programs;
    document.note_count = programs ? 1 : 0;
    int status = diff_markdown_write(stdout, &document, options->format == DIFF_GITHUB);
    free(programs);
    free(lines);
    return status;
}

static int diff_write_table(struct call_tree *const trees[2], const char *const dirs[2],
                            const struct diff_options *options, const struct diff_row *rows, size_t count)
{
    struct emitter *emitter = emitter_open((enum emit_format)options->format, stdout, "pcomp-diff/1");
    if (!emitter)
        return message_no_memory("diff");
    diff_head(emitter, trees, dirs);
    uint64_t limit = options->limit != UINT64_MAX     ? options->limit
                     : emitter_is(emitter, EMIT_TEXT) ? DIFF_DEFAULT_LIMIT
                                                      : 0;
    diff_table(emitter, rows, count, trees[0]->total_all_threads.compensated, limit,
               trees[0]->counting.any || trees[1]->counting.any);
    diff_notes(emitter, trees, dirs);
    return emitter_close(emitter);
}

int diff_pair_write(struct call_tree *const trees[2], const char *const dirs[2], const struct diff_options *options)
{
    size_t count;
    struct diff_row *rows = diff_rows(trees, &count);
    if (!rows)
        return message_no_memory("diff");
    int status = options->format >= DIFF_MARKDOWN ? diff_write_markdown(trees, dirs, options, rows, count)
                                                  : diff_write_table(trees, dirs, options, rows, count);
    if (!status && options->fail_above >= 0)
        status = diff_verdict(trees, rows, count, options->fail_above);
    free(rows);
    return status;
}
