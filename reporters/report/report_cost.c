/* What measuring cost: in all, by kind, by thread, by function. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_common.h"
#include "reporters/tree/cost_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COST_DEFAULT_LIMIT 40

struct cost_row { /* of a function, all threads */
    const struct tree_function *function;
    struct tree_cost sums;
    double total; /* ns */
};

static const char *cost_level(const struct call_tree *tree, const struct tree_cost *row)
{
    return function_level_name(row->filtered        ? LEVEL_COUNTED
                               : tree->counting.any ? tree->functions[row->function].level
                                                    : LEVEL_TIMED);
}

/* --- Head --------------------------------------------------------------------------------------------------------- */

static void kinds_text(struct emitter *emitter, const struct cost_sums *sums)
{
    static const char *const titles[PCOMP_COST_KINDS] = {"counting calls",
                                                         "timing calls",
                                                         "new call paths",
                                                         "calls of filtered functions",
                                                         "recording events",
                                                         "turning sites off and on",
                                                         "taking samples",
                                                         "start-up",
                                                         "exit"};
    char line[600] = "", time[TEXT_NUMBER];
    size_t used = 0;
    for (int k = 0; k < PCOMP_COST_KINDS; k++)
        if (sums->all.cost.of[k] != 0 && used < sizeof line)
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %s", used ? ", " : "", titles[k],
                                     text_time(time, sums->all.cost.of[k]));
    if (used)
        emitter_text(emitter, "  %s", line);
}

static void cost_head(struct emitter *emitter, const struct call_tree *tree, const struct cost_sums *sums)
{
    char line[COST_LINE], key[64], percent[TEXT_NUMBER];
    emitter_field_real(emitter, "cost|total", sums->all.total);
    emitter_field_real(emitter, "cost|own", sums->all.own);
    emitter_field_real(emitter, "cost|percent", 100 * sums->all.share);
    for (int k = 0; k < PCOMP_COST_KINDS; k++) {
        snprintf(key, sizeof key, "cost|kinds|%s", pcomp_cost_kind_name(k));
        emitter_field_real(emitter, key, sums->all.cost.of[k]);
    }
    emitter_text(emitter, "%s", cost_sums_line(sums, line));
    kinds_text(emitter, sums);
    if (sums->costliest == SIZE_MAX)
        return;
    const struct tree_thread *thread = &tree->threads[sums->costliest];
    emitter_field_count(emitter, "cost|maximum|pid", (uint64_t)thread->pid);
    emitter_field_count(emitter, "cost|maximum|tid", (uint64_t)thread->tid);
    emitter_field_real(emitter, "cost|maximum|percent", 100 * sums->threads[sums->costliest].share);
    if (tree->thread_count > 1)
        emitter_text(emitter, "costliest thread: %d (%s), %s of its own time", thread->tid, thread->name,
                     text_percent(percent, sums->threads[sums->costliest].share));
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

/* One row a function; *count of them. NULL: out of memory. */
static struct cost_row *rows_of(const struct call_tree *tree, size_t *count)
{
    struct cost_row *rows = calloc(tree->cost_count + 1, sizeof *rows);
    *count = 0;
    for (size_t i = 0; rows && i < tree->cost_count; i++) {
        const struct tree_cost *from = &tree->costs[i];
        struct cost_row *row = *count ? &rows[*count - 1] : NULL;
        if (!row || row->sums.function != from->function) {
            row = &rows[(*count)++];
            row->function = &tree->functions[from->function];
            row->sums.function = from->function;
        }
        row->sums.filtered |= from->filtered;
        row->sums.calls += from->calls;
        row->total += pcomp_cost_total(&from->cost);
    }
    return rows;
}

static int order_rows(const void *a, const void *b, void *sort)
{
    const struct cost_row *x = a, *y = b;
    int by = *(const int *)sort;
    double u = by == REPORT_BY_CALLS ? x->sums.calls : x->total, v = by == REPORT_BY_CALLS ? y->sums.calls : y->total;
    if (by != REPORT_BY_NAME && u != v)
        return u > v ? -1 : 1;
    int by_name = strcmp(x->function->name, y->function->name);
    return by_name ? by_name : (x->sums.function > y->sums.function) - (x->sums.function < y->sums.function);
}

static void function_row(struct emitter *emitter, const struct call_tree *tree, const struct cost_sums *sums,
                         const struct cost_row *row)
{
    char location[300], remark[340] = "", text[TEXT_NUMBER];
    const struct tree_function *function = row->function;
    bool none = row->sums.function == tree->nodes[0].function; /* belongs to no function */
    emitter_row(emitter);
    emit_name(emitter, none ? NULL : function->name);
    emit_name(emitter, none ? NULL : function->linkage_name);
    emit_name(emitter, function->file);
    emit_name(emitter, function->module);
    emit_name(emitter, none ? NULL : cost_level(tree, &row->sums));
    emit_shown(emitter, "%s", none ? "-" : cost_level(tree, &row->sums));
    emit_flag(emitter, row->sums.filtered);
    emit_count(emitter, (uint64_t)fmin(row->sums.calls + 0.5, 1e18));
    if (none)
        emit_shown(emitter, "-");
    emit_time(emitter, row->total);
    emit_share(emitter, pcomp_cost_share(row->total, sums->all.own));
    double each = row->sums.calls > 0 ? row->total / row->sums.calls : NAN;
    emit_time(emitter, each);
    emit_shown(emitter, "%s", text_time(text, each));
    const char *where = none ? NULL : report_location(function, location, sizeof location);
    snprintf(remark, sizeof remark, "%s%s%s", where ? where : "", where && row->sums.filtered ? ", " : "",
             row->sums.filtered ? "filtered out" : "");
    emit_name(emitter, none ? "(no function)" : function->name);
    emit_remark(emitter, remark);
    emitter_row_end(emitter);
}

static bool function_table(struct emitter *emitter, const struct call_tree *tree, const struct cost_sums *sums,
                           const struct report_options *options)
{
    static const struct emit_column columns[] = {
        {"name", NULL, NULL, EMIT_NAME, 0},       {"linkage_name", NULL, NULL, EMIT_NAME, 0},
        {"file", NULL, NULL, EMIT_NAME, 0},       {"module", NULL, NULL, EMIT_NAME, 0},
        {"level", NULL, "level", EMIT_NAME, 2},   {"filtered", NULL, NULL, EMIT_FLAG, 0},
        {"calls", NULL, "calls", EMIT_COUNT, 1},  {"cost", NULL, "cost", EMIT_TIME, 0},
        {"share", NULL, "of own", EMIT_SHARE, 0}, {"per_call", NULL, "a call", EMIT_TIME, 3},
        {NULL, NULL, "function", EMIT_NAME, 0},
    };
    size_t count, shown = 0;
    int sort = options->sort;
    struct cost_row *rows = rows_of(tree, &count);
    uint64_t limit = options->limit_given ? options->limit : emitter_is(emitter, EMIT_TEXT) ? COST_DEFAULT_LIMIT : 0;
    if (!rows)
        return false;
    qsort_r(rows, count, sizeof *rows, order_rows, &sort);
    emitter_table(emitter, "functions", columns, sizeof columns / sizeof *columns, true);
    for (size_t i = 0; i < count; i++) {
        double share = pcomp_cost_share(rows[i].total, sums->all.own);
        if ((limit && shown == limit) || (options->min_percent > 0 && !(100 * share >= options->min_percent)))
            continue;
        function_row(emitter, tree, sums, &rows[i]);
        shown++;
    }
    if (shown < count)
        emitter_table_line(emitter, "... and %zu more function%s%s", count - shown, count - shown == 1 ? "" : "s",
                           limit && shown == limit ? " (--limit 0 shows all)" : "");
    emitter_table_end(emitter);
    free(rows);
    return true;
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

struct thread_costs {
    const struct call_tree *tree;
    const struct cost_sums *sums;
};

static void thread_cells(struct emitter *emitter, const void *context, const struct tree_thread *thread)
{
    const struct thread_costs *c = context;
    const struct cost_part *cost = &c->sums->threads[thread - c->tree->threads];
    emit_count(emitter, (uint64_t)thread->pid);
    emit_shown(emitter, "%d", thread->pid);
    emit_count(emitter, (uint64_t)thread->tid);
    emit_shown(emitter, "%d", thread->tid);
    emit_time(emitter, cost->total);
    emit_time(emitter, cost->own);
    emit_share(emitter, cost->share);
    emit_name(emitter, thread->name);
}

static void thread_table(struct emitter *emitter, const struct call_tree *tree, const struct cost_sums *sums)
{
    static const struct emit_column columns[] = {
        {"pid", NULL, "process", EMIT_COUNT, 2},  {"tid", NULL, "thread", EMIT_COUNT, 0},
        {"cost", NULL, "cost", EMIT_TIME, 0},     {"own", NULL, "own time", EMIT_TIME, 1},
        {"share", NULL, "of own", EMIT_SHARE, 0}, {"name", NULL, "name", EMIT_NAME, 0},
    };
    const struct thread_costs costs = {tree, sums};
    const struct threads_table table = {columns, sizeof columns / sizeof *columns, thread_cells, &costs};
    report_threads_table(emitter, tree, &table);
}

int report_cost(struct emitter *emitter, struct call_tree *tree, const struct report_options *options)
{
    struct cost_sums sums;
    if (!cost_sums_make(&sums, tree))
        return message_no_memory("report");
    cost_head(emitter, tree, &sums);
    emitter_text(emitter, "%s", "");
    bool good = function_table(emitter, tree, &sums, options);
    if (good)
        thread_table(emitter, tree, &sums);
    cost_sums_free(&sums);
    return good ? STATUS_DONE : message_no_memory("report");
}
