#include "reporters/report/report_columns.h"

#include "reporters/base/text.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A field that a call path and a function both have, of the one that `row` is of. */
#define PATH_OR_FUNCTION(field) (row->node ? row->node->field : row->function->field)

/* --- Cells ------------------------------------------------------------------------------------------------------- */

/* Of an edge of callers only the inclusive time is known: text leaves the place free. */
static void emit_blank_edge(struct emitter *emitter, const struct report_row *row, double exclusive)
{
    if (row->of && isnan(exclusive))
        emit_shown(emitter, "%s", "");
}

static void emit_exclusive(struct emitter *emitter, const struct report_row *row)
{
    report_emit_compensated(emitter, row->exclusive);
    emit_blank_edge(emitter, row, row->exclusive->compensated);
}

static void emit_raw_exclusive(struct emitter *emitter, const struct report_row *row)
{
    emit_time(emitter, row->exclusive->raw);
    emit_blank_edge(emitter, row, row->exclusive->raw);
}

/* N: of a function what counters leave in doubt is said; of a path, or an edge, the number is what was timed. */
static void emit_calls(struct emitter *emitter, const struct report_row *row)
{
    if (!row->node && !row->of) {
        report_emit_calls(emitter, row->function);
        return;
    }
    if (row->function->sum && (!row->of || row->of == row->function)) {
        emit_null(emitter);
        return;
    }
    uint64_t calls = row->of ? row->calls : row->node->calls;
    char text[TEXT_NUMBER];
    emit_count(emitter, calls);
    if (report_has_more_calls(row))
        emit_shown(emitter, "%s+", text_count(text, calls));
}

static void emit_calls_uncertainty(struct emitter *emitter, const struct tree_function *function)
{
    uint64_t half = report_calls_uncertainty(function);
    emit_count(emitter, half);
    if (!half || half >= function->calls)
        emit_shown(emitter, "%s", "");
}

/* Outermost and open activations: of a function whose calls were counted in place neither is known. */
static void emit_if_timed(struct emitter *emitter, const struct report_row *row, uint64_t count)
{
    if (!row->node && (isnan(row->inclusive->raw) || row->function->sum || row->function->in_place))
        emit_null(emitter);
    else
        emit_count(emitter, count);
}

static void emit_line(struct emitter *emitter, const struct tree_function *function)
{
    if (function->line)
        emit_count(emitter, function->line);
    else
        emit_null(emitter);
}

static bool is_resolved(const struct report_row *row)
{
    return row->node ? fabs(row->inclusive->compensated) > row->inclusive->uncertainty : row->function->resolved;
}

/* Of a path, or an edge, what is below resolution has no share to be shown: that of a function is none at all. */
static void emit_row_share(struct emitter *emitter, const struct report_row *row)
{
    emit_share(emitter, row->share);
    if (row->inclusive->uncertainty > 0 && (row->node || row->of) &&
        fabs(row->inclusive->compensated) <= row->inclusive->uncertainty)
        emit_shown(emitter, "-");
}

static void emit_label(struct emitter *emitter, const struct report_row *row)
{
    emit_name(emitter, row->label);
    emit_remark(emitter, row->remark);
}

static void emit_off_cpu(struct emitter *emitter, const struct call_tree *tree, double time)
{
    emit_time(emitter, tree->knows_waiting ? time : NAN);
}

static void emit_percentile(struct emitter *emitter, const struct call_tree *tree, const struct report_row *row,
                            double share)
{
    emit_time(emitter, time_spread_quantile(PATH_OR_FUNCTION(spread), tree->spread_unit, share, PATH_OR_FUNCTION(min),
                                            PATH_OR_FUNCTION(max)));
}

static void emit_before(struct emitter *emitter, const struct tree_function *function, double time)
{
    emit_time(emitter, function->counted ? time : NAN);
}

bool report_has_more_calls(const struct report_row *row)
{
    const struct tree_function *called = row->of && !strcmp(row->relation, "caller") ? row->of : row->function;
    bool is_function = !row->node && (!row->of || !strcmp(row->relation, "self"));
    return !is_function && (called->level == LEVEL_COUNTED || called->level == LEVEL_SAMPLED);
}

/* --- Columns ----------------------------------------------------------------------------------------------------- */

/* When text shows a column; of a column without a title, when the other formats have it. */
enum column_when {
    ALWAYS,
    COMPENSATED, /* these times are asked for */
    RAW,
    BOTH,
    ESTIMATED, /* calls of some functions are uncertain */
    OFF_CPU,   /* the program waited, or was preempted, for more than 1 % of its time */
    WAITING,
    READY,
    COUNTING, /* some process counted calls in place */
    NOT_JSON, /* which nests instead */
    CSV
};

#define RAW_DROP      10 /* beside compensated times raw ones go first */
#define OFF_CPU_GROUP "on and off the processor"
enum { FLAT = REPORT_FLAT, TREE = REPORT_TREE, CALLERS = REPORT_CALLERS };
enum { PROFILE = FLAT | TREE, PATHS = TREE | CALLERS, LISTS = FLAT | CALLERS, EACH = FLAT | TREE | CALLERS };

/* One line a column, in their order: views; key (struct emit_column; NULL: text only); heading in text: group, title
 * and drop, of raw times that beside compensated ones; kind; when; the cell, of `e` (emitter), `tree` and `row`. */
#define REPORT_COLUMNS(COLUMN)                                                                                         \
    COLUMN(id, TREE, "id", HIDDEN, COUNT, NOT_JSON, emit_count(e, row->index))                                         \
    COLUMN(parent, TREE, "parent", HIDDEN, COUNT, NOT_JSON, emit_count(e, row->node->parent))                          \
    COLUMN(depth, TREE, "depth", HIDDEN, COUNT, ALWAYS, emit_count(e, row->depth))                                     \
    COLUMN(of, CALLERS, "of", HIDDEN, NAME, CSV, emit_name(e, row->of->name))                                          \
    COLUMN(relation, CALLERS, "relation", HIDDEN, NAME, ALWAYS, emit_name(e, row->relation))                           \
    COLUMN(name, EACH, "name", HIDDEN, NAME, ALWAYS, emit_name(e, row->function->name))                                \
    COLUMN(linkage_name, FLAT, "linkage_name", HIDDEN, NAME, ALWAYS, emit_name(e, row->function->linkage_name))        \
    COLUMN(file, EACH, "file", HIDDEN, NAME, ALWAYS, emit_name(e, row->function->file))                                \
    COLUMN(line, EACH, "line", HIDDEN, COUNT, ALWAYS, emit_line(e, row->function))                                     \
    COLUMN(module, FLAT, "module", HIDDEN, NAME, ALWAYS, emit_name(e, row->function->module))                          \
    COLUMN(native, TREE, "native", HIDDEN, NAME, ALWAYS, emit_name(e, row->node->native))                              \
    COLUMN(call_site, TREE, "call_site", HIDDEN, NAME, ALWAYS, emit_name(e, row->node->call_site))                     \
    COLUMN(share, EACH, "share", TITLE("compensated", "share", 2), SHARE, COMPENSATED, emit_row_share(e, row))         \
    COLUMN(flat_exclusive, FLAT, "compensated|exclusive", TITLE("compensated", "exclusive", 0), TIME, COMPENSATED,     \
           emit_exclusive(e, row))                                                                                     \
    COLUMN(flat_exclusive_uncertainty, FLAT, "uncertainty|exclusive", TITLE("compensated", "±", 2), TIME, COMPENSATED, \
           emit_uncertainty(e, row->exclusive->uncertainty))                                                           \
    COLUMN(flat_inclusive, FLAT, "compensated|inclusive", TITLE("compensated", "inclusive", 4), TIME, COMPENSATED,     \
           report_emit_compensated(e, row->inclusive))                                                                 \
    COLUMN(flat_inclusive_uncertainty, FLAT, "uncertainty|inclusive", HIDDEN, TIME, ALWAYS,                            \
           emit_uncertainty(e, row->inclusive->uncertainty))                                                           \
    COLUMN(inclusive, PATHS, "compensated|inclusive", TITLE("compensated", "inclusive", 0), TIME, COMPENSATED,         \
           report_emit_compensated(e, row->inclusive))                                                                 \
    COLUMN(inclusive_uncertainty, PATHS, "uncertainty|inclusive", TITLE("compensated", "±", 2), TIME, COMPENSATED,     \
           emit_uncertainty(e, row->inclusive->uncertainty))                                                           \
    COLUMN(exclusive, PATHS, "compensated|exclusive", TITLE("compensated", "exclusive", 5), TIME, COMPENSATED,         \
           emit_exclusive(e, row))                                                                                     \
    COLUMN(exclusive_uncertainty, TREE, "uncertainty|exclusive", HIDDEN, TIME, ALWAYS,                                 \
           emit_uncertainty(e, row->exclusive->uncertainty))                                                           \
    COLUMN(shown_flat_computing, FLAT, NULL, TITLE(OFF_CPU_GROUP, "computing", 3), TIME, OFF_CPU,                      \
           emit_off_cpu(e, tree, report_computing(row->exclusive)))                                                    \
    COLUMN(shown_flat_waiting, FLAT, NULL, TITLE(OFF_CPU_GROUP, "waiting", 0), TIME, WAITING,                          \
           emit_off_cpu(e, tree, row->exclusive->waiting))                                                             \
    COLUMN(shown_flat_ready, FLAT, NULL, TITLE(OFF_CPU_GROUP, "ready", 3), TIME, READY,                                \
           emit_off_cpu(e, tree, row->exclusive->ready))                                                               \
    COLUMN(shown_tree_computing, TREE, NULL, TITLE(OFF_CPU_GROUP, "computing", 3), TIME, OFF_CPU,                      \
           emit_off_cpu(e, tree, report_computing(row->inclusive)))                                                    \
    COLUMN(shown_tree_waiting, TREE, NULL, TITLE(OFF_CPU_GROUP, "waiting", 0), TIME, WAITING,                          \
           emit_off_cpu(e, tree, row->inclusive->waiting))                                                             \
    COLUMN(shown_tree_ready, TREE, NULL, TITLE(OFF_CPU_GROUP, "ready", 3), TIME, READY,                                \
           emit_off_cpu(e, tree, row->inclusive->ready))                                                               \
    COLUMN(flat_raw_exclusive, FLAT, "raw|exclusive", TITLE("raw", "exclusive", 10), TIME, RAW,                        \
           emit_raw_exclusive(e, row))                                                                                 \
    COLUMN(flat_raw_inclusive, FLAT, "raw|inclusive", TITLE("raw", "inclusive", 15), TIME, RAW,                        \
           emit_time(e, row->inclusive->raw))                                                                          \
    COLUMN(raw_inclusive, PATHS, "raw|inclusive", TITLE("raw", "inclusive", 10), TIME, RAW,                            \
           emit_time(e, row->inclusive->raw))                                                                          \
    COLUMN(raw_exclusive, PATHS, "raw|exclusive", TITLE("raw", "exclusive", 15), TIME, RAW,                            \
           emit_raw_exclusive(e, row))                                                                                 \
    COLUMN(flat_overhead_exclusive, FLAT, "overhead|exclusive", HIDDEN, TIME, ALWAYS,                                  \
           emit_time(e, row->exclusive->raw - row->exclusive->compensated))                                            \
    COLUMN(overhead_inclusive, PROFILE, "overhead|inclusive", HIDDEN, TIME, ALWAYS,                                    \
           emit_time(e, row->inclusive->raw - row->inclusive->compensated))                                            \
    COLUMN(overhead_exclusive, TREE, "overhead|exclusive", HIDDEN, TIME, ALWAYS,                                       \
           emit_time(e, row->exclusive->raw - row->exclusive->compensated))                                            \
    COLUMN(flat_overhead, FLAT, NULL, TITLE(NULL, "overhead", 11), SHARE, BOTH,                                        \
           emit_share(e, report_overhead(row->exclusive)))                                                             \
    COLUMN(overhead, PATHS, NULL, TITLE(NULL, "overhead", 11), SHARE, BOTH,                                            \
           emit_share(e, report_overhead(row->inclusive)))                                                             \
    COLUMN(N, EACH, "N", TITLE(NULL, "calls", 1), COUNT, ALWAYS, emit_calls(e, row))                                   \
    COLUMN(N_uncertainty, FLAT, NULL, TITLE(NULL, "±", 1), COUNT, ESTIMATED, emit_calls_uncertainty(e, row->function)) \
    COLUMN(outermost, FLAT, "outermost", HIDDEN, COUNT, ALWAYS, emit_if_timed(e, row, row->function->outermost))       \
    COLUMN(open, PROFILE, "open", HIDDEN, COUNT, ALWAYS, emit_if_timed(e, row, PATH_OR_FUNCTION(open)))                \
    COLUMN(suppressed, FLAT, "held", HIDDEN, COUNT, ALWAYS, emit_count(e, row->function->suppressed))                  \
    COLUMN(M, PROFILE, "M", HIDDEN, COUNT, ALWAYS, report_emit_below(e, tree, PATH_OR_FUNCTION(descendants)))          \
    COLUMN(L, PROFILE, "L", HIDDEN, COUNT, ALWAYS, report_emit_below(e, tree, PATH_OR_FUNCTION(children)))             \
    COLUMN(min, PROFILE, "min", HIDDEN, TIME, ALWAYS, emit_time(e, PATH_OR_FUNCTION(min)))                             \
    COLUMN(max, PROFILE, "max", HIDDEN, TIME, ALWAYS, emit_time(e, PATH_OR_FUNCTION(max)))                             \
    COLUMN(resolved, PROFILE, "resolved", HIDDEN, FLAG, ALWAYS, emit_flag(e, is_resolved(row)))                        \
    COLUMN(exact, FLAT, "exact", HIDDEN, FLAG, ALWAYS, emit_flag(e, row->function->exact))                             \
    COLUMN(callees_exceed, PROFILE, "callees_exceed", HIDDEN, FLAG, ALWAYS, emit_flag(e, row->exceeded))               \
    COLUMN(level, FLAT, "level", HIDDEN, NAME, ALWAYS, emit_name(e, function_level_name(row->function->level)))        \
    COLUMN(calls_uncertainty, FLAT, "calls_uncertainty", HIDDEN, COUNT, ALWAYS,                                        \
           emit_calls_uncertainty(e, row->function))                                                                   \
    COLUMN(in_place, FLAT, "in_place", HIDDEN, COUNT, COUNTING, emit_count(e, row->function->in_place))                \
    COLUMN(before_raw, FLAT, "before|raw", HIDDEN, TIME, COUNTING,                                                     \
           emit_before(e, row->function, row->function->before.raw))                                                   \
    COLUMN(before_compensated, FLAT, "before|compensated", HIDDEN, TIME, COUNTING,                                     \
           emit_before(e, row->function, row->function->before.compensated))                                           \
    COLUMN(before_uncertainty, FLAT, "before|uncertainty", HIDDEN, TIME, COUNTING,                                     \
           emit_before(e, row->function, row->function->before.uncertainty))                                           \
    COLUMN(computing_inclusive, PROFILE, "computing|inclusive", HIDDEN, TIME, COUNTING,                                \
           emit_off_cpu(e, tree, report_computing(row->inclusive)))                                                    \
    COLUMN(computing_exclusive, PROFILE, "computing|exclusive", HIDDEN, TIME, COUNTING,                                \
           emit_off_cpu(e, tree, report_computing(row->exclusive)))                                                    \
    COLUMN(waiting_inclusive, PROFILE, "waiting|inclusive", HIDDEN, TIME, COUNTING,                                    \
           emit_off_cpu(e, tree, row->inclusive->waiting))                                                             \
    COLUMN(waiting_exclusive, PROFILE, "waiting|exclusive", HIDDEN, TIME, COUNTING,                                    \
           emit_off_cpu(e, tree, row->exclusive->waiting))                                                             \
    COLUMN(ready_inclusive, PROFILE, "ready|inclusive", HIDDEN, TIME, COUNTING,                                        \
           emit_off_cpu(e, tree, row->inclusive->ready))                                                               \
    COLUMN(ready_exclusive, PROFILE, "ready|exclusive", HIDDEN, TIME, COUNTING,                                        \
           emit_off_cpu(e, tree, row->exclusive->ready))                                                               \
    COLUMN(calls, EACH, "calls", HIDDEN, COUNT, ALWAYS, emit_calls(e, row))                                            \
    COLUMN(calls_below, PROFILE, "calls_below", HIDDEN, COUNT, ALWAYS,                                                 \
           report_emit_below(e, tree, PATH_OR_FUNCTION(descendants)))                                                  \
    COLUMN(calls_children, PROFILE, "calls_children", HIDDEN, COUNT, ALWAYS,                                           \
           report_emit_below(e, tree, PATH_OR_FUNCTION(children)))                                                     \
    COLUMN(percentile_50, PROFILE, "percentiles|50", HIDDEN, TIME, ALWAYS, emit_percentile(e, tree, row, 0.5))         \
    COLUMN(percentile_90, PROFILE, "percentiles|90", HIDDEN, TIME, ALWAYS, emit_percentile(e, tree, row, 0.9))         \
    COLUMN(percentile_99, PROFILE, "percentiles|99", HIDDEN, TIME, ALWAYS, emit_percentile(e, tree, row, 0.99))

/* Behind the counters. */
#define REPORT_LAST_COLUMNS(COLUMN)                                                                                    \
    COLUMN(marks, EACH, NULL, TITLE(NULL, "", 0), NAME, ALWAYS, emit_name(e, row->marks))                              \
    COLUMN(flat_label, LISTS, NULL, TITLE(NULL, "function", 0), NAME, ALWAYS, emit_label(e, row))                      \
    COLUMN(tree_label, TREE, NULL, TITLE(NULL, "call path", 0), NAME, ALWAYS, emit_label(e, row))

struct report_column {
    struct emit_column column;
    int views; /* enum report_table */
    enum column_when when;
    void (*cell)(struct emitter *e, const struct call_tree *tree, const struct report_row *row);
};

#define HIDDEN                        .title = NULL
#define TITLE(heading, text, dropped) .group = (heading), .title = (text), .drop = (dropped)
#define CELL(id, in, name, heading, type, condition, emit)                                                             \
    static void cell_##id(struct emitter *e, const struct call_tree *tree, const struct report_row *row)               \
    {                                                                                                                  \
        (void)tree, (void)row;                                                                                         \
        emit;                                                                                                          \
    }
#define ENTRY(id, in, name, heading, type, condition, emit)                                                            \
    {{name, .kind = EMIT_##type, heading}, in, condition, cell_##id},
REPORT_COLUMNS(CELL)
REPORT_LAST_COLUMNS(CELL)
static const struct report_column common_columns[] = {REPORT_COLUMNS(ENTRY)};
static const struct report_column last_columns[] = {REPORT_LAST_COLUMNS(ENTRY)};
#define COUNT_OF(list) (sizeof(list) / sizeof *(list))

static bool column_is_wanted(enum column_when when, const struct call_tree *tree, int times,
                             const struct emitter *emitter)
{
    switch (when) {
    case COMPENSATED:
        return times != REPORT_RAW;
    case RAW:
        return times != REPORT_COMPENSATED;
    case BOTH:
        return times == REPORT_BOTH;
    case ESTIMATED:
        return report_is_estimated(tree) || tree->counting.inexact;
    case OFF_CPU:
        return report_shows_waiting(tree) || report_shows_ready(tree);
    case WAITING:
        return report_shows_waiting(tree);
    case READY:
        return report_shows_ready(tree);
    case COUNTING:
        return tree->counting.any;
    case NOT_JSON:
        return !emitter_is(emitter, EMIT_JSON);
    case CSV:
        return emitter_is(emitter, EMIT_CSV);
    default:
        return true;
    }
}

static void columns_add(struct report_columns *columns, const struct report_column *list, size_t count,
                        enum report_table view, int times, const struct emitter *emitter)
{
    for (const struct report_column *c = list; c < list + count; c++) {
        struct emit_column column = c->column;
        if (!column_is_wanted(c->when, columns->tree, times, emitter)) {
            if (!column.title)
                column.key = NULL;
            column.title = column.group = NULL;
        }
        if (!(c->views & (int)view) || (!column.title && !column.key))
            continue;
        if (c->when == RAW && times == REPORT_RAW)
            column.drop -= RAW_DROP;
        columns->cells[columns->count] = c;
        columns->list[columns->count++] = column;
    }
}

enum { COUNTER_PARTS = 6, COUNTER_KEY = 128 };

static void columns_add_counters(struct report_columns *columns)
{
    static const char *const parts[COUNTER_PARTS] = {"raw|inclusive",         "raw|exclusive",
                                                     "compensated|inclusive", "compensated|exclusive",
                                                     "uncertainty|inclusive", "uncertainty|exclusive"};
    static const char *const titles[COUNTER_PARTS] = {NULL, "raw excl.", "inclusive", "exclusive", NULL, NULL};
    char *key = columns->keys;
    for (size_t c = 0; c < columns->tree->counter_count; c++)
        for (unsigned p = 0; p < COUNTER_PARTS; p++, key += COUNTER_KEY) {
            const char *name = columns->tree->counter_names[c];
            snprintf(key, COUNTER_KEY, "metrics|%.64s|%s", name, parts[p]);
            columns->cells[columns->count] = NULL;
            columns->list[columns->count++] =
                (struct emit_column){key, titles[p] ? name : NULL, titles[p], EMIT_REAL, titles[p] ? 20 + p : 0};
        }
}

bool report_columns_make(struct report_columns *columns, enum report_table view, const struct call_tree *tree,
                         int times, const struct emitter *emitter)
{
    size_t counters = view == REPORT_CALLERS ? 0 : COUNTER_PARTS * tree->counter_count;
    size_t capacity = COUNT_OF(common_columns) + counters + COUNT_OF(last_columns);
    *columns = (struct report_columns){tree, calloc(capacity, sizeof *columns->list),
                                       calloc(capacity, sizeof *columns->cells), 0, calloc(counters + 1, COUNTER_KEY)};
    if (!columns->list || !columns->cells || !columns->keys) {
        report_columns_free(columns);
        return false;
    }
    columns_add(columns, common_columns, COUNT_OF(common_columns), view, times, emitter);
    if (counters)
        columns_add_counters(columns);
    columns_add(columns, last_columns, COUNT_OF(last_columns), view, times, emitter);
    return true;
}

void report_columns_free(struct report_columns *columns)
{
    free(columns->list);
    free(columns->cells);
    free(columns->keys);
    *columns = (struct report_columns){NULL, NULL, NULL, 0, NULL};
}

/* --- Rows -------------------------------------------------------------------------------------------------------- */

static void emit_counter(struct emitter *emitter, const struct tree_counter *counter)
{
    static const struct tree_counter none = {NAN, NAN, NAN, NAN, NAN, NAN};
    const struct tree_counter *c = counter ? counter : &none;
    const double values[COUNTER_PARTS] = {c->raw_inclusive,         c->raw_exclusive,         c->compensated_inclusive,
                                          c->compensated_exclusive, c->uncertainty_inclusive, c->uncertainty_exclusive};
    for (size_t p = 0; p < COUNTER_PARTS; p++) {
        char text[TEXT_NUMBER];
        emit_real(emitter, values[p]);
        emit_shown(emitter, "%s", text_count_short(text, values[p]));
    }
}

void report_columns_row(const struct report_columns *columns, struct emitter *emitter, const struct report_row *row)
{
    const struct tree_counter *counters = PATH_OR_FUNCTION(counters);
    emitter_row(emitter);
    for (size_t i = 0, counter = 0; i < columns->count; i++) {
        if (columns->cells[i]) {
            columns->cells[i]->cell(emitter, columns->tree, row);
        } else {
            emit_counter(emitter, counters ? &counters[counter] : NULL);
            counter++;
            i += COUNTER_PARTS - 1;
        }
    }
    emitter_row_end(emitter);
}
