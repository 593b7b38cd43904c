/* The waiting of a replayed execution: how much of it the program has, and how much the measurement caused. */
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/profile/replay_info.h"
#include "reporters/replay/waiting_file.h"
#include "reporters/report/report_common.h"

#include <stdio.h>
#include <string.h>

#define WAITING_DEFAULT_LIMIT 40

static void waiting_row(struct emitter *emitter, const struct waiting_row *row)
{
    char text[TEXT_NUMBER];
    emitter_row(emitter);
    emit_name(emitter, row->kind);
    emit_name(emitter, row->location);
    emit_count(emitter, row->count);
    emit_time(emitter, row->measured);
    emit_time(emitter, row->approximated);
    emit_time(emitter, row->measured - row->approximated);
    emit_shown(emitter, "%s", text_time_signed(text, row->measured - row->approximated));
    emit_name(emitter, *row->function ? row->function : NULL);
    emit_name(emitter, row->path);
    emit_name(emitter, row->location);
    emit_name(emitter, row->kind);
    emit_name(emitter, *row->path ? row->path : "-");
    emitter_row_end(emitter);
}

static void waiting_rows(struct emitter *emitter, const struct waiting_table *table,
                         const struct report_options *options)
{
    static const struct emit_column columns[] = {
        {"kind", NULL, NULL, EMIT_NAME, 0},
        {"location", NULL, NULL, EMIT_NAME, 0},
        {"count", NULL, "times", EMIT_COUNT, 2},
        {"measured", "waiting", "measured", EMIT_TIME, 0},
        {"approximated", "waiting", "approximated", EMIT_TIME, 0},
        {"difference", "waiting", "caused by the measurement", EMIT_TIME, 0},
        {"function", NULL, NULL, EMIT_NAME, 0},
        {"path", NULL, NULL, EMIT_NAME, 0},
        {NULL, NULL, "location", EMIT_NAME, 1},
        {NULL, NULL, "kind", EMIT_NAME, 0},
        {NULL, NULL, "call path", EMIT_NAME, 0},
    };
    size_t limit = options->limit_given             ? (size_t)options->limit
                   : emitter_is(emitter, EMIT_TEXT) ? WAITING_DEFAULT_LIMIT
                                                    : 0;
    size_t shown = limit && limit < table->count ? limit : table->count;
    emitter_table(emitter, "waiting", columns, sizeof columns / sizeof *columns, true);
    for (size_t i = 0; i < shown; i++)
        waiting_row(emitter, &table->rows[i]);
    if (shown < table->count)
        emitter_table_line(emitter, "... and %zu more (--limit 0 shows all)", table->count - shown);
    emitter_table_end(emitter);
}

int report_waiting(const struct report_options *options)
{
    struct replay_info info;
    struct waiting_table table;
    char error[4500], a[TEXT_NUMBER], b[TEXT_NUMBER], c[TEXT_NUMBER];
    double measured = 0, approximated = 0;
    if (!replay_info_read(options->dir, &info))
        return message_failure(
            "%s: is no replayed execution (pcomp replay %s -o DIR2, then pcomp report --view waiting "
            "DIR2)",
            options->dir, options->dir);
    if (!strcmp(info.bound, "all"))
        return message_failure("%s: holds lower, upper and model, each a data directory (name one: %s/model)",
                               options->dir, options->dir);
    if (!waiting_file_read(options->dir, &table, error, sizeof error))
        return message_failure("%s", error);
    struct emitter *emitter = emitter_open((enum emit_format)options->format, stdout, "pcomp-waiting/1");
    if (!emitter) {
        waiting_table_free(&table);
        return message_no_memory("report");
    }
    for (size_t i = 0; i < table.count; i++) {
        measured += table.rows[i].measured;
        approximated += table.rows[i].approximated;
    }
    emitter_field_text(emitter, "view", "waiting");
    emitter_field_text(emitter, "unit", "ns");
    emitter_field_text(emitter, "model", info.model);
    emitter_field_text(emitter, "replayed", info.how);
    emitter_field_text(emitter, "measured_directory", info.measured);
    emitter_field_real(emitter, "total|measured", measured);
    emitter_field_real(emitter, "total|approximated", approximated);
    emitter_text(emitter, "%s: replay of %s, model %s", options->dir, info.measured, info.how);
    emitter_text(emitter, "waiting in all locations: %s measured, %s approximated, %s caused by the measurement",
                 text_time(a, measured), text_time(b, approximated), text_time_signed(c, measured - approximated));
    emitter_text(emitter, "%s", "");
    waiting_rows(emitter, &table, options);
    waiting_table_free(&table);
    return emitter_close(emitter);
}
