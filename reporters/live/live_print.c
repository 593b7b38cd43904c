#include "reporters/live/live_print.h"

#include "reporters/base/locale_text.h"
#include "reporters/base/message.h"
#include "reporters/base/terminal.h"
#include "reporters/base/text_table.h"
#include "reporters/live/live_columns.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int finish(FILE *out)
{
    return fflush(out) || ferror(out) ? message_failure("standard output: %s", strerror(errno)) : STATUS_DONE;
}

/* Takes over text. False: out of memory. */
static bool print_line(FILE *out, char *text)
{
    char *shown = text ? locale_text(text) : NULL;
    bool printed = shown;
    if (printed)
        fprintf(out, "%s\n", shown);
    free(text);
    free(shown);
    return printed;
}

static bool print_row(struct text_table *table, const struct live_row *row, const struct live_rows *rows,
                      const struct live_order *order)
{
    char cell[TEXT_NUMBER + 1];
    bool ok = true;
    for (int c = 0; ok && c < LIVE_COLUMN_NAME; c++)
        ok = text_table_cell(table, live_cell(cell, (enum live_column)c, row, rows, order));
    char *name = text_clean(row->name);
    ok = ok && name && text_table_cell(table, name);
    free(name);
    return ok;
}

int live_print_text(FILE *out, const struct live_rows *rows, const struct live_snapshot *now,
                    const struct live_order *order, size_t limit)
{
    struct text_column columns[LIVE_COLUMNS];
    for (int c = 0; c < LIVE_COLUMNS; c++)
        columns[c] = (struct text_column){.title = live_column_title((enum live_column)c, rows, order),
                                          .left = c >= LIVE_COLUMN_LEVEL,
                                          .drop = live_columns[c].drop};
    struct text_table *table = text_table_new(columns, LIVE_COLUMNS, terminal_width(out), false);
    bool ok = table && print_line(out, live_head_program(now)) && print_line(out, live_head_figures(rows, now));
    size_t shown = limit && limit < rows->count ? limit : rows->count;
    for (size_t i = 0; ok && i < shown; i++)
        ok = print_row(table, &rows->list[i], rows, order);
    if (ok && shown < rows->count) {
        char rest[80];
        snprintf(rest, sizeof rest, "(%zu more: --limit)", rows->count - shown);
        ok = text_table_line(table, rest);
    }
    if (ok)
        text_table_write(table, out);
    text_table_free(table);
    fputc('\n', out);
    return ok ? finish(out) : message_no_memory("top");
}

/* --- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *figures_json(const struct live_figures *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "computing", real(f->computing), "waiting", real(f->waiting),
                     "ready", real(f->ready), "compensated", real(f->compensated), "raw", real(f->raw), "uncertainty",
                     real(f->half));
}

static json_t *row_json(const struct live_row *row)
{
    char *name = text_clean(row->name);
    json_t *json =
        name ? json_pack("{s:s, s:s?, s:o, s:o, s:o, s:o}", "name", name, "level", row->level, "calls",
                         real(row->exclusive.calls), "calls_uncertainty", real(row->exclusive.calls_half), "exclusive",
                         figures_json(&row->exclusive), "inclusive", figures_json(&row->inclusive))
             : NULL;
    free(name);
    return json;
}

int live_print_json(FILE *out, const struct live_rows *rows, const struct live_snapshot *now, size_t limit)
{
    bool rates = rows->seconds > 0, ok = true;
    size_t shown = limit && limit < rows->count ? limit : rows->count;
    json_t *functions = json_array();
    json_t *total = figures_json(&rows->total);
    for (size_t i = 0; ok && i < shown; i++)
        ok = json_array_append_new(functions, row_json(&rows->list[i])) == 0;
    ok = ok && total && json_object_set_new(total, "calls", real(rows->total.calls)) == 0;
    json_t *json =
        ok ? json_pack("{s:s, s:f, s:s, s:o, s:s, s:I, s:I, s:O, s:O}", "schema", "pcomp-top/1", "time", now->real,
                       "state", live_state(now), "seconds", real(rates ? rows->seconds : NAN), "unit",
                       rates ? "ns/s" : "ns", "processes", (json_int_t)now->tree->process_count, "threads",
                       (json_int_t)now->tree->thread_count, "total", total, "functions", functions)
           : NULL;
    json_decref(total);
    json_decref(functions);
    ok = json && json_dumpf(json, out, JSON_COMPACT) == 0;
    json_decref(json);
    fputc('\n', out);
    if (!ok && !ferror(out))
        return message_no_memory("top");
    return finish(out);
}
