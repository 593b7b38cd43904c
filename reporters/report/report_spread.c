/* How the compensated times of single activations are distributed: percentiles and a sparkline a function; and the
 * longest activations, with their time of day. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SPREAD_DEFAULT_LIMIT  40
#define LONGEST_DEFAULT_LIMIT 16
#define CELLS                 16 /* of a sparkline */
#define LEVELS                8
#define NEGATIVE              8 /* places below -16 ticks: all in the first cell */

/* A function whose activations were timed, and how long the percentiles of it are. */
struct shown {
    const struct call_tree *tree;
    const struct tree_function *function;
};

static double quantile(const struct shown *s, double share)
{
    const struct tree_function *f = s->function;
    return time_spread_quantile(f->spread, s->tree->spread_unit, share, f->min, f->max);
}

/* Activations from the shortest to the longest, of the same ratio in each cell; the height is the logarithm of how
 * many, so that a few long ones are seen beside a million short ones. */
static void sparkline(char *out, const struct tree_function *f)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    uint64_t cells[CELLS] = {0}, count, tallest = 0;
    uint32_t first = time_spread_next(f->spread, NEGATIVE, &count), last = first;
    for (uint32_t at = first; at != UINT32_MAX; at = time_spread_next(f->spread, at + 1, &count))
        last = at;
    uint32_t width = last - first + 1 < CELLS ? CELLS : last - first + 1;
    for (uint32_t at = 0; (at = time_spread_next(f->spread, at, &count)) != UINT32_MAX; at++)
        cells[at < first ? 0 : (at - first) * CELLS / width] += count;
    for (int i = 0; i < CELLS; i++)
        tallest = cells[i] > tallest ? cells[i] : tallest;
    for (int i = 0; i < CELLS; i++) {
        double height = cells[i] ? log1p((double)cells[i]) / log1p((double)tallest) : 0;
        out = stpcpy(out, blocks[(int)ceil(height * LEVELS)]);
    }
}

/* An activation that came out below zero took less than the correction is wrong by. */
static void emit_activation(struct emitter *emitter, double ns)
{
    char number[TEXT_NUMBER];
    emit_time(emitter, ns);
    if (ns < 0)
        emit_shown(emitter, "<%s", text_time(number, -ns));
}

static void spread_row(struct emitter *emitter, const struct shown *s)
{
    char line[CELLS * 4 + 1] = "";
    const struct tree_function *f = s->function;
    if (f->spread)
        sparkline(line, f);
    emitter_row(emitter);
    emit_name(emitter, f->name);
    emit_name(emitter, f->file);
    if (f->line)
        emit_count(emitter, f->line);
    else
        emit_null(emitter);
    report_emit_calls(emitter, f);
    emit_count(emitter, time_spread_total(f->spread));
    emit_activation(emitter, f->min);
    emit_activation(emitter, quantile(s, 0.5));
    emit_activation(emitter, quantile(s, 0.9));
    emit_activation(emitter, quantile(s, 0.99));
    emit_activation(emitter, f->max);
    emit_name(emitter, line);
    emit_name(emitter, f->name);
    emitter_row_end(emitter);
}

static void spread_rows(struct emitter *emitter, const struct call_tree *tree, const uint32_t *order, size_t count,
                        uint64_t limit)
{
    static const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},
        {"file", NULL, NULL, EMIT_NAME, 0},
        {"line", NULL, NULL, EMIT_COUNT, 0},
        {"calls", NULL, "calls", EMIT_COUNT, 2},
        {"activations", NULL, NULL, EMIT_COUNT, 0},
        {"min", "time of one activation", "min", EMIT_TIME, 3},
        {"percentiles|50", "time of one activation", "p50", EMIT_TIME, 0},
        {"percentiles|90", "time of one activation", "p90", EMIT_TIME, 0},
        {"percentiles|99", "time of one activation", "p99", EMIT_TIME, 0},
        {"max", "time of one activation", "max", EMIT_TIME, 0},
        {NULL, NULL, "min ... max", EMIT_NAME, 1},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    size_t timed = 0, untimed = 0;
    bool below = false, unknown = false;
    emitter_table(emitter, "functions", columns, sizeof columns / sizeof *columns, true);
    for (size_t i = 0; i < count; i++) {
        struct shown s = {tree, &tree->functions[order[i]]};
        if (emitter_is(emitter, EMIT_TEXT) && !s.function->spread && isnan(s.function->min)) {
            untimed++;
            continue;
        }
        if (!limit || timed < limit)
            spread_row(emitter, &s);
        below |= s.function->min < 0;
        unknown |= !s.function->spread && s.function->calls > 1;
        timed++;
    }
    if (limit && timed > limit)
        emitter_table_line(emitter, "... and %zu more function%s (--limit 0 shows all)", timed - (size_t)limit,
                           timed - limit == 1 ? "" : "s");
    if (untimed)
        emitter_table_line(emitter, "%zu function%s not timed in each of %s calls", untimed,
                           untimed == 1 ? " was" : "s were", untimed == 1 ? "its" : "their");
    if (unknown && tree->how.replayed)
        emitter_table_line(emitter,
                           "p50, p90, p99: -, since a replay keeps the shortest and the longest activation alone "
                           "(a profile without --trace has them)");
    if (below)
        emitter_table_line(emitter,
                           "<  below zero by that much: shorter than the correction of one activation can tell");
    emitter_table_end(emitter);
}

static void bucket_rows(struct emitter *emitter, const struct call_tree *tree, const uint32_t *order, size_t count)
{
    static const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},
        {"time", NULL, NULL, EMIT_TIME, 0},
        {"activations", NULL, NULL, EMIT_COUNT, 0},
    };
    emitter_table(emitter, "buckets", columns, sizeof columns / sizeof *columns, false);
    for (size_t i = 0; i < count; i++) {
        const struct tree_function *f = &tree->functions[order[i]];
        uint64_t activations;
        for (uint32_t at = 0; (at = time_spread_next(f->spread, at, &activations)) != UINT32_MAX; at++) {
            emitter_row(emitter);
            emit_name(emitter, f->name);
            emit_time(emitter, time_spread_middle(at, tree->spread_unit));
            emit_count(emitter, activations);
            emitter_row_end(emitter);
        }
    }
    emitter_table_end(emitter);
}

/* --- the longest -----------------------------------------------------------------------------------------------------
 */

static int compare_times(const void *x, const void *y)
{
    const struct tree_longest *a = x, *b = y;
    if (a->time != b->time)
        return a->time > b->time ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* "10:31:05.123456", local; and in JSON and CSV the day before it. */
static void time_of_day(char out[64], double ns, const char *format)
{
    time_t seconds = (time_t)floor(ns / 1e9);
    struct tm tm;
    if (!localtime_r(&seconds, &tm) || !strftime(out, 40, format, &tm)) {
        *out = 0;
        return;
    }
    double rest = ns / 1e9 - (double)seconds;
    sprintf(out + strlen(out), ".%06d", (int)(rest * 1e6));
}

static void longest_row(struct emitter *emitter, const struct call_tree *tree, const struct tree_longest *l)
{
    char text[64];
    const struct tree_thread *thread = &tree->threads[l->thread];
    emitter_row(emitter);
    emit_name(emitter, tree->functions[l->function].name);
    emit_time(emitter, l->time);
    time_of_day(text, l->start, "%Y-%m-%dT%H:%M:%S");
    emit_name(emitter, text);
    emit_real(emitter, l->start / 1e9);
    emit_count(emitter, (uint64_t)thread->tid);
    time_of_day(text, l->start, "%H:%M:%S");
    emit_name(emitter, text);
    emit_name(emitter, thread->name);
    emit_name(emitter, tree->functions[l->function].name);
    emitter_row_end(emitter);
}

static void longest_rows(struct emitter *emitter, const struct call_tree *tree, const struct report_options *options)
{
    static const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},    {"time", NULL, "longest", EMIT_TIME, 0},
        {"at", NULL, NULL, EMIT_NAME, 0},      {"start", NULL, NULL, EMIT_REAL, 0},
        {"thread", NULL, NULL, EMIT_COUNT, 0}, {NULL, NULL, "began at", EMIT_NAME, 0},
        {NULL, NULL, "thread", EMIT_NAME, 1},  {NULL, NULL, "function", EMIT_NAME, 0},
    };
    size_t count = tree->longest_count;
    struct tree_longest *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return;
    memcpy(sorted, tree->longest, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_times);
    size_t limit = options->limit_given             ? (size_t)options->limit
                   : emitter_is(emitter, EMIT_TEXT) ? LONGEST_DEFAULT_LIMIT
                                                    : 0;
    emitter_table(emitter, "longest", columns, sizeof columns / sizeof *columns, false);
    for (size_t i = 0; i < count && (!limit || i < limit); i++)
        if (report_is_listed(tree, sorted[i].function))
            longest_row(emitter, tree, &sorted[i]);
    emitter_table_end(emitter);
    free(sorted);
}

int report_spread(struct emitter *emitter, struct call_tree *tree, const struct report_options *options)
{
    size_t count;
    uint32_t *order = report_order(tree, options->sort, &count);
    if (!order)
        return message_no_memory("report");
    bool text = emitter_is(emitter, EMIT_TEXT);
    uint64_t limit = options->limit_given ? options->limit : text ? SPREAD_DEFAULT_LIMIT : 0;
    spread_rows(emitter, tree, order, count, limit);
    if (!text)
        bucket_rows(emitter, tree, order, count);
    if (!text || tree->longest_count) {
        emitter_text(emitter, "%s", "");
        longest_rows(emitter, tree, options);
    }
    free(order);
    return STATUS_DONE;
}
