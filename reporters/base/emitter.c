#include "reporters/base/emitter.h"

#include "reporters/base/emitter_state.h"
#include "reporters/base/locale_text.h"
#include "reporters/base/message.h"
#include "reporters/base/terminal.h"
#include "reporters/base/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct emitter *emitter_open(enum emit_format format, FILE *out, const char *schema)
{
    struct emitter *emitter = calloc(1, sizeof *emitter);
    if (!emitter)
        return NULL;
    *emitter = (struct emitter){.format = format, .out = out, .level_capacity = 16};
    emitter->levels = calloc(emitter->level_capacity, sizeof *emitter->levels);
    emitter->object = json_object();
    if (!emitter->levels || !emitter->object) {
        free(emitter->levels);
        json_decref(emitter->object);
        free(emitter);
        return NULL;
    }
    if (format == EMIT_JSON) {
        fputs("{", out);
        emitter_field_text(emitter, "schema", schema);
    }
    return emitter;
}

bool emitter_is(const struct emitter *emitter, enum emit_format format)
{
    return emitter->format == format;
}

char *emitter_clean(struct emitter *emitter, const char *text)
{
    char *clean = text_clean(text);
    emitter->no_memory |= !clean;
    return clean;
}

void emitter_put(struct emitter *emitter, const char *key, json_t *value)
{
    json_t *parent = emitter->object;
    const char *bar;
    while (value && parent && (bar = strchr(key, '|'))) {
        char *name = strndup(key, (size_t)(bar - key));
        json_t *child = name ? json_object_get(parent, name) : NULL;
        if (name && !child && json_object_set_new(parent, name, json_object()) == 0)
            child = json_object_get(parent, name);
        free(name);
        parent = child;
        key = bar + 1;
    }
    if (!parent) {
        json_decref(value);
        emitter->no_memory = true;
    } else if (json_object_set_new(parent, key, value) != 0)
        emitter->no_memory = true;
}

json_t *emitter_json_text(struct emitter *emitter, const char *value)
{
    if (!value)
        return json_null();
    char *clean = emitter_clean(emitter, value);
    json_t *text = clean ? json_string(clean) : NULL;
    free(clean);
    return text;
}

json_t *emitter_json_real(double value)
{
    if (!isfinite(value))
        return json_null();
    return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

void emitter_flush_object(struct emitter *emitter, bool comma)
{
    if (json_object_size(emitter->object)) {
        if (comma)
            fputs(", ", emitter->out);
        if (json_dumpf(emitter->object, emitter->out, JSON_EMBED | JSON_REAL_PRECISION(15)) != 0)
            emitter->no_memory |= !ferror(emitter->out);
        json_object_clear(emitter->object);
    }
}

void emitter_field_text(struct emitter *emitter, const char *key, const char *value)
{
    if (emitter->format == EMIT_JSON)
        emitter_put(emitter, key, emitter_json_text(emitter, value));
}

void emitter_field_count(struct emitter *emitter, const char *key, uint64_t value)
{
    if (emitter->format == EMIT_JSON)
        emitter_put(emitter, key, json_integer((json_int_t)value));
}

void emitter_field_real(struct emitter *emitter, const char *key, double value)
{
    if (emitter->format == EMIT_JSON)
        emitter_put(emitter, key, emitter_json_real(value));
}

void emitter_field_flag(struct emitter *emitter, const char *key, bool value)
{
    if (emitter->format == EMIT_JSON)
        emitter_put(emitter, key, json_boolean(value));
}

char *emitter_format_text(struct emitter *emitter, const char *format, va_list arguments)
{
    char *text = NULL, *clean = NULL;
    if (vasprintf(&text, format, arguments) >= 0) {
        clean = emitter_clean(emitter, text);
        free(text);
    } else
        emitter->no_memory = true;
    return clean;
}

static void emitter_write_line(struct emitter *emitter, const char *before, const char *text)
{
    char *shown = text ? locale_text(text) : NULL, *line = NULL;
    if (shown && asprintf(&line, "%s%s\n", before, shown) < 0)
        line = NULL;
    if (line) {
        text_break_lines(line, terminal_width(emitter->out));
        fputs(line, emitter->out);
    }
    emitter->no_memory |= !line;
    free(line);
    free(shown);
}

void emitter_text(struct emitter *emitter, const char *format, ...)
{
    if (emitter->format != EMIT_TEXT)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *text = emitter_format_text(emitter, format, arguments);
    va_end(arguments);
    emitter_write_line(emitter, "", text);
    free(text);
}

void emitter_note(struct emitter *emitter, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = emitter_format_text(emitter, format, arguments);
    va_end(arguments);
    char **notes = reallocarray(emitter->notes, emitter->note_count + 1, sizeof *notes);
    if (notes)
        emitter->notes = notes;
    if (!notes || !text) {
        emitter->no_memory = true;
        free(text);
        return;
    }
    notes[emitter->note_count++] = text;
}

void emitter_last(struct emitter *emitter, const char *format, ...)
{
    if (emitter->format != EMIT_TEXT)
        return;
    va_list arguments;
    va_start(arguments, format);
    free(emitter->last);
    emitter->last = emitter_format_text(emitter, format, arguments);
    va_end(arguments);
}

static void emitter_write_notes(struct emitter *emitter)
{
    json_t *list = emitter->format == EMIT_JSON ? json_array() : NULL;
    for (size_t i = 0; i < emitter->note_count; i++) {
        if (emitter->format == EMIT_JSON)
            emitter->no_memory |= json_array_append_new(list, json_string(emitter->notes[i])) != 0;
        else if (emitter->format == EMIT_TEXT)
            emitter_write_line(emitter, "note: ", emitter->notes[i]);
        else
            message_note("note: %s", emitter->notes[i]);
        free(emitter->notes[i]);
    }
    free(emitter->notes);
    if (list)
        emitter_put(emitter, "warnings", list);
}

int emitter_close(struct emitter *emitter)
{
    emitter_write_notes(emitter);
    if (emitter->format == EMIT_JSON) {
        emitter_flush_object(emitter, emitter->levels[0].has_items);
        fputs("}\n", emitter->out);
    }
    if (emitter->last)
        emitter_write_line(emitter, "", emitter->last);
    free(emitter->last);
    int status = STATUS_DONE;
    errno = 0;
    if (fflush(emitter->out) != 0 || ferror(emitter->out))
        status = message_failure("output: %s (the result is not complete)", errno ? strerror(errno) : "write error");
    else if (emitter->no_memory)
        status = message_no_memory("output");
    json_decref(emitter->object);
    free(emitter->levels);
    free(emitter);
    return status;
}
