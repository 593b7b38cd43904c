/* Tables, rows and cells of an emitter. */
#include "reporters/base/emitter.h"
#include "reporters/base/emitter_state.h"
#include "reporters/base/terminal.h"
#include "reporters/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void emitter_csv_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void emitter_csv_header(struct emitter *emitter)
{
    bool first = true;
    for (size_t i = 0; i < emitter->column_count; i++) {
        const struct emit_column *column = &emitter->columns[i];
        if (!column->key)
            continue;
        char name[256];
        snprintf(name, sizeof name, "%s%s", column->key, column->kind == EMIT_TIME ? "_ns" : "");
        for (char *p = name; *p; p++)
            if (*p == '|')
                *p = '_';
        fputs(first ? "" : ",", emitter->out);
        emitter_csv_text(emitter->out, name);
        first = false;
    }
    putc('\n', emitter->out);
}

static void emitter_text_header(struct emitter *emitter)
{
    struct text_column *shown = calloc(emitter->column_count + 1, sizeof *shown);
    size_t count = 0;
    for (size_t i = 0; shown && i < emitter->column_count; i++)
        if (emitter->columns[i].title)
            shown[count++] = (struct text_column){emitter->columns[i].group, emitter->columns[i].title,
                                                  emitter->columns[i].kind == EMIT_NAME, emitter->columns[i].drop};
    emitter->table =
        shown ? text_table_new(shown, count, terminal_width(emitter->out), terminal_colour(emitter->out)) : NULL;
    emitter->no_memory |= !emitter->table;
    free(shown);
}

static bool emitter_push(struct emitter *emitter)
{
    if (emitter->depth + 1 == emitter->level_capacity) {
        struct emit_level *levels = reallocarray(emitter->levels, 2 * emitter->level_capacity, sizeof *levels);
        if (!levels) {
            emitter->no_memory = true;
            return false;
        }
        emitter->levels = levels;
        emitter->level_capacity *= 2;
    }
    emitter->levels[++emitter->depth] = (struct emit_level){false, false, false};
    return true;
}

/* Begins an array as the next key of the open object; "a|b": as the last key of the object "a" in it. */
static void emitter_array(struct emitter *emitter, const char *key)
{
    struct emit_level *level = &emitter->levels[emitter->depth];
    const char *bar = strchr(key, '|');
    char *name = bar ? strndup(key, (size_t)(bar - key)) : NULL;
    json_t *parent = name ? json_incref(json_object_get(emitter->object, name)) : NULL;
    if (parent)
        json_object_del(emitter->object, name);
    emitter_flush_object(emitter, emitter->depth == 0 && level->has_items);
    level->has_items = true;
    if (name)
        fprintf(emitter->out, ", \"%s\": {", name);
    if (json_object_size(parent) && json_dumpf(parent, emitter->out, JSON_EMBED | JSON_REAL_PRECISION(15)) != 0)
        emitter->no_memory |= !ferror(emitter->out);
    fprintf(emitter->out, "%s\"%s\": [", !bar || json_object_size(parent) ? ", " : "", bar ? bar + 1 : key);
    emitter->no_memory |= bar && !name;
    if (emitter_push(emitter))
        emitter->levels[emitter->depth].in_object = name != NULL;
    json_decref(parent);
    free(name);
}

/* Ends the row that is open at the innermost level, then the array. */
static void emitter_array_end(struct emitter *emitter)
{
    if (emitter->levels[emitter->depth].row_open)
        putc('}', emitter->out);
    fputs(emitter->levels[emitter->depth].in_object ? "]}" : "]", emitter->out);
    emitter->depth--;
}

void emitter_table(struct emitter *emitter, const char *key, const struct emit_column *columns, size_t count,
                   bool in_csv)
{
    emitter->columns = columns;
    emitter->column_count = count;
    emitter->silent = emitter->format == EMIT_CSV && !in_csv;
    if (emitter->format == EMIT_JSON)
        emitter_array(emitter, key);
    else if (emitter->format == EMIT_TEXT)
        emitter_text_header(emitter);
    else if (!emitter->silent)
        emitter_csv_header(emitter);
}

void emitter_row(struct emitter *emitter)
{
    emitter->at = 0;
    emitter->in_csv = false;
    if (emitter->format != EMIT_JSON)
        return;
    struct emit_level *level = &emitter->levels[emitter->depth];
    fputs(level->row_open ? "},\n {" : "\n {", emitter->out);
    level->row_open = true;
}

/* The column that the next value belongs to. */
static const struct emit_column *emitter_next(struct emitter *emitter)
{
    if (emitter->at == emitter->column_count)
        abort(); /* more values than columns: a mistake of the caller, found by its first test */
    return &emitter->columns[emitter->at++];
}

/* One value in the three formats: json is owned from here, csv and text are not kept. */
static void emitter_value(struct emitter *emitter, json_t *(*json)(struct emitter *, const void *), const void *value,
                          const char *csv, const char *text)
{
    const struct emit_column *column = emitter_next(emitter);
    emitter->shown = false;
    if (emitter->format == EMIT_JSON) {
        if (column->key)
            emitter_put(emitter, column->key, json(emitter, value));
    } else if (emitter->format == EMIT_TEXT) {
        emitter->shown = column->title && emitter->table;
        if (emitter->shown && !text_table_cell(emitter->table, text))
            emitter->no_memory = true;
    } else if (column->key && !emitter->silent) {
        fputs(emitter->in_csv ? "," : "", emitter->out);
        emitter_csv_text(emitter->out, csv);
        emitter->in_csv = true;
    }
}

static json_t *emitter_make_text(struct emitter *emitter, const void *value)
{
    return emitter_json_text(emitter, value);
}

static json_t *emitter_make_real(struct emitter *emitter, const void *value)
{
    (void)emitter;
    return emitter_json_real(*(const double *)value);
}

static json_t *emitter_make_count(struct emitter *emitter, const void *value)
{
    (void)emitter;
    return json_integer((json_int_t) * (const uint64_t *)value);
}

static json_t *emitter_make_flag(struct emitter *emitter, const void *value)
{
    (void)emitter;
    return json_boolean(*(const bool *)value);
}

static json_t *emitter_make_null(struct emitter *emitter, const void *value)
{
    (void)emitter;
    (void)value;
    return json_null();
}

void emit_name(struct emitter *emitter, const char *value)
{
    char *clean = value && emitter->format != EMIT_JSON ? emitter_clean(emitter, value) : NULL, *quoted = NULL;
    /* what a spreadsheet would take for a formula */
    if (clean && *clean && strchr("=+-@", *clean) && emitter->format == EMIT_CSV &&
        asprintf(&quoted, "'%s", clean) < 0) {
        quoted = NULL;
        emitter->no_memory = true;
    }
    const char *shown = quoted ? quoted : clean ? clean : "";
    emitter_value(emitter, emitter_make_text, value, shown, shown);
    free(quoted);
    free(clean);
}

static void emitter_csv_real(char *buffer, size_t size, double value)
{
    if (isfinite(value))
        snprintf(buffer, size, "%.15g", value);
    else
        *buffer = 0;
}

void emit_time(struct emitter *emitter, double ns)
{
    char csv[40], text[TEXT_NUMBER];
    emitter_csv_real(csv, sizeof csv, ns);
    emitter_value(emitter, emitter_make_real, &ns, csv, text_time(text, ns));
}

void emit_uncertainty(struct emitter *emitter, double ns)
{
    char text[TEXT_NUMBER];
    emit_time(emitter, ns);
    emit_shown(emitter, "%s", text_uncertainty(text, ns));
}

void emit_count(struct emitter *emitter, uint64_t value)
{
    char csv[40], text[TEXT_NUMBER];
    snprintf(csv, sizeof csv, "%llu", (unsigned long long)value);
    emitter_value(emitter, emitter_make_count, &value, csv, text_count(text, value));
}

void emit_real(struct emitter *emitter, double value)
{
    char csv[40], text[TEXT_NUMBER];
    emitter_csv_real(csv, sizeof csv, value);
    emitter_value(emitter, emitter_make_real, &value, csv, text_real(text, value));
}

void emit_share(struct emitter *emitter, double share)
{
    char csv[40], text[TEXT_NUMBER];
    emitter_csv_real(csv, sizeof csv, share);
    emitter_value(emitter, emitter_make_real, &share, csv, text_percent(text, share));
}

void emit_flag(struct emitter *emitter, bool value)
{
    emitter_value(emitter, emitter_make_flag, &value, value ? "true" : "false", value ? "yes" : "no");
}

void emit_null(struct emitter *emitter)
{
    emitter_value(emitter, emitter_make_null, NULL, "", "-");
}

void emit_shown(struct emitter *emitter, const char *format, ...)
{
    if (!emitter->shown)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *text = emitter_format_text(emitter, format, arguments);
    va_end(arguments);
    if (text && !text_table_recell(emitter->table, text))
        emitter->no_memory = true;
    free(text);
}

void emit_remark(struct emitter *emitter, const char *text)
{
    if (emitter->format != EMIT_TEXT || !emitter->table || !text || !*text)
        return;
    char *clean = emitter_clean(emitter, text);
    if (clean && !text_table_remark(emitter->table, clean))
        emitter->no_memory = true;
    free(clean);
}

void emitter_row_end(struct emitter *emitter)
{
    if (emitter->at != emitter->column_count)
        abort(); /* see emitter_next */
    if (emitter->format == EMIT_JSON)
        emitter_flush_object(emitter, false);
    else if (emitter->format == EMIT_CSV && !emitter->silent)
        putc('\n', emitter->out);
}

void emitter_nest(struct emitter *emitter, const char *key)
{
    if (emitter->format == EMIT_JSON)
        emitter_array(emitter, key);
}

void emitter_nest_end(struct emitter *emitter)
{
    if (emitter->format == EMIT_JSON)
        emitter_array_end(emitter);
}

void emitter_table_line(struct emitter *emitter, const char *format, ...)
{
    if (emitter->format != EMIT_TEXT || !emitter->table)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *text = emitter_format_text(emitter, format, arguments);
    va_end(arguments);
    if (text && !text_table_line(emitter->table, text))
        emitter->no_memory = true;
    free(text);
}

void emitter_table_end(struct emitter *emitter)
{
    if (emitter->format == EMIT_JSON)
        emitter_array_end(emitter);
    else if (emitter->table)
        text_table_write(emitter->table, emitter->out);
    text_table_free(emitter->table);
    emitter->table = NULL;
}
