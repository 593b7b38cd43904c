/* The emitter from inside: what its documents (emitter.c) and its rows (emitter_rows.c) share. */
#ifndef PCOMP_EMITTER_STATE_H
#define PCOMP_EMITTER_STATE_H

#include "reporters/base/emitter_types.h"
#include "reporters/base/text_table.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* JSON is streamed: `object` gathers the keys of the innermost object that is still open, and is written when an array
 * begins in it or it ends. levels[0] is the document, levels[1] the table, above are nested arrays. */
struct emit_level {
    bool row_open;  /* an object of this array is written, but not yet closed */
    bool has_items; /* the array, or the document, has something before: comma */
    bool in_object; /* the array is the last key of an object of its own, which ends with it */
};

struct emitter {
    enum emit_format format;
    FILE *out;
    json_t *object;
    struct emit_level *levels;
    size_t depth, level_capacity;
    const struct emit_column *columns;
    size_t column_count, at;
    bool in_csv, silent; /* silent: a table left out of CSV */
    struct text_table *table;
    bool shown; /* the column just emitted is in the text table */
    char **notes;
    size_t note_count;
    char *last; /* the last line of text; NULL none */
    bool no_memory;
};

/* Clean copy, or NULL with no_memory set. */
char *emitter_clean(struct emitter *emitter, const char *text);

/* Formats and cleans; NULL with no_memory set. */
char *emitter_format_text(struct emitter *emitter, const char *format, va_list arguments);

/* JSON values, NULL when out of memory. */
json_t *emitter_json_text(struct emitter *emitter, const char *value);
json_t *emitter_json_real(double value);

/* Puts value (owned from here) at "a|b|c" under the open object. */
void emitter_put(struct emitter *emitter, const char *key, json_t *value);

/* Writes what the open object has gathered, without braces. */
void emitter_flush_object(struct emitter *emitter, bool comma);

#endif
