#include "reporters/report/report_columns.h"

#include "reporters/base/text.h"
#include "reporters/report/report_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Columns ----------------------------------------------------------------------------------------------------- */

bool report_columns_make(struct report_columns *columns, const struct call_tree *tree, const struct emit_column *base,
                         size_t base_count, const struct emit_column *last, size_t last_count)
{
    static const char *const parts[] = {"raw|inclusive",         "raw|exclusive",         "compensated|inclusive",
                                        "compensated|exclusive", "uncertainty|inclusive", "uncertainty|exclusive"};
    enum { PARTS = 6, KEY = 128 };
    size_t counters = tree->counter_count;
    columns->count = base_count + PARTS * counters + last_count;
    columns->list = calloc(columns->count + 1, sizeof *columns->list);
    columns->keys = calloc(PARTS * counters + 1, KEY);
    if (!columns->list || !columns->keys) {
        report_columns_free(columns);
        return false;
    }
    memcpy(columns->list, base, base_count * sizeof *base);
    struct emit_column *column = columns->list + base_count;
    char *key = columns->keys;
    for (size_t c = 0; c < counters; c++)
        for (size_t p = 0; p < PARTS; p++, key += KEY, column++) {
            snprintf(key, KEY, "metrics|%.64s|%s", tree->counter_names[c], parts[p]);
            static const char *const titles[PARTS] = {NULL, "raw excl.", "inclusive", "exclusive", NULL, NULL};
            *column = (struct emit_column){key, titles[p] ? tree->counter_names[c] : NULL, titles[p], EMIT_REAL,
                                           titles[p] ? (unsigned)(20 + p) : 0};
        }
    if (last_count)
        memcpy(column, last, last_count * sizeof *last);
    return true;
}

void report_columns_free(struct report_columns *columns)
{
    free(columns->list);
    free(columns->keys);
    *columns = (struct report_columns){NULL, 0, NULL};
}

void report_off_cpu_columns(struct emit_column *columns, size_t count, const struct call_tree *tree, bool inclusive)
{
    static const char *const keys[] = {"computing|inclusive", "computing|exclusive", "waiting|inclusive",
                                       "waiting|exclusive",   "ready|inclusive",     "ready|exclusive"};
    static const char *const titles[] = {"computing", "waiting", "ready"};
    bool waiting = report_shows_waiting(tree), ready = report_shows_ready(tree);
    bool shown[] = {waiting || ready, waiting, ready};
    size_t next[2] = {0, 0};
    for (struct emit_column *c = columns; c < columns + count; c++) {
        bool text = c->key && !strcmp(c->key, REPORT_OFF_CPU_TEXT);
        if (!text && !(c->key && !strcmp(c->key, REPORT_OFF_CPU_KEYS)))
            continue;
        size_t i = next[text]++;
        const char *title = text && shown[i / 2] && (i % 2 == 0) == inclusive ? titles[i / 2] : NULL;
        *c = (struct emit_column){.key = !text && tree->counting.any ? keys[i] : NULL,
                                  .group = title ? "on and off the processor" : NULL,
                                  .title = title,
                                  .kind = EMIT_TIME,
                                  .drop = i / 2 == 1 ? 0 : 2};
    }
}

void report_emit_off_cpu(struct emitter *emitter, const struct call_tree *tree, const struct tree_times *inclusive,
                         const struct tree_times *exclusive)
{
    bool known = tree->knows_waiting;
    emit_time(emitter, known ? report_computing(inclusive) : NAN);
    emit_time(emitter, known ? report_computing(exclusive) : NAN);
    emit_time(emitter, known ? inclusive->waiting : NAN);
    emit_time(emitter, known ? exclusive->waiting : NAN);
    emit_time(emitter, known ? inclusive->ready : NAN);
    emit_time(emitter, known ? exclusive->ready : NAN);
}

/* --- Cells ------------------------------------------------------------------------------------------------------- */

void report_emit_percentiles(struct emitter *emitter, const struct call_tree *tree, const struct time_spread *spread,
                             double min, double greatest)
{
    static const double shares[] = {0.5, 0.9, 0.99};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        emit_time(emitter, time_spread_quantile(spread, tree->spread_unit, shares[i], min, greatest));
}

void report_emit_counters(struct emitter *emitter, const struct call_tree *tree, const struct tree_counter *counters)
{
    for (size_t c = 0; c < tree->counter_count; c++) {
        static const struct tree_counter none = {NAN, NAN, NAN, NAN, NAN, NAN};
        const struct tree_counter *counter = counters ? &counters[c] : &none;
        const double values[] = {counter->raw_inclusive,         counter->raw_exclusive,
                                 counter->compensated_inclusive, counter->compensated_exclusive,
                                 counter->uncertainty_inclusive, counter->uncertainty_exclusive};
        for (size_t p = 0; p < 6; p++) {
            char text[TEXT_NUMBER];
            emit_real(emitter, values[p]);
            emit_shown(emitter, "%s", text_count_short(text, values[p]));
        }
    }
}
