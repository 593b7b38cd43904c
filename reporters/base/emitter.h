/* One sequence of calls gives a table for people, JSON (jansson) and CSV.
 *
 *   emitter_field_*    "total|raw"     JSON: nested keys, "|" between; text, CSV: nothing
 *   emitter_text                       a line of text; JSON, CSV: nothing
 *   emitter_table      "functions"     JSON: an array of objects; text: columns; CSV: header row and rows;
 *                                      "a|b": JSON has it as the last key of the object "a"
 *     emitter_row, emit_* a column each, emitter_row_end
 *     emitter_nest "children" ... emitter_nest_end   JSON: rows inside the last row; text, CSV: more rows
 *   emitter_table_end
 *   emitter_note                       text: "note: ..." at the very end; JSON: "warnings"; CSV: stderr
 *
 * Everything is written as it comes, apart from a text table, which waits for its widths. Texts are cleaned
 * (text_clean). Times are nanoseconds; NAN is null, an empty CSV cell, "-". Errors are remembered and reported by
 * emitter_close. One emitter is used by one thread. */
#ifndef PCOMP_EMITTER_H
#define PCOMP_EMITTER_H

#include "reporters/base/emitter_types.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct emitter;

/* NULL: out of memory. The schema is the first key of the JSON object. */
struct emitter *emitter_open(enum emit_format format, FILE *out, const char *schema);
bool emitter_is(const struct emitter *emitter, enum emit_format format);

void emitter_field_text(struct emitter *emitter, const char *key, const char *value); /* NULL: null */
void emitter_field_count(struct emitter *emitter, const char *key, uint64_t value);
void emitter_field_real(struct emitter *emitter, const char *key, double value);
void emitter_field_flag(struct emitter *emitter, const char *key, bool value);
void emitter_text(struct emitter *emitter, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emitter_note(struct emitter *emitter, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* text: the very last line, below the notes; JSON, CSV: nothing. The last call counts. */
void emitter_last(struct emitter *emitter, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The columns must live until emitter_table_end. in_csv: a CSV document has one table; others are left out of it. */
void emitter_table(struct emitter *emitter, const char *key, const struct emit_column *columns, size_t count,
                   bool in_csv);
void emitter_row(struct emitter *emitter);
void emit_name(struct emitter *emitter, const char *value); /* NULL: unknown */
void emit_time(struct emitter *emitter, double ns);
void emit_uncertainty(struct emitter *emitter, double ns); /* a time, shown with two digits */
void emit_count(struct emitter *emitter, uint64_t value);
void emit_real(struct emitter *emitter, double value);
void emit_share(struct emitter *emitter, double share); /* 1 is 100 % */
void emit_flag(struct emitter *emitter, bool value);
void emit_null(struct emitter *emitter);
/* Instead of what text format would show for the column just emitted. */
void emit_shown(struct emitter *emitter, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Behind the row in text, where there is room. */
void emit_remark(struct emitter *emitter, const char *text);
void emitter_row_end(struct emitter *emitter);
void emitter_nest(struct emitter *emitter, const char *key);
void emitter_nest_end(struct emitter *emitter);
/* A line of text among the rows; JSON, CSV: nothing. */
void emitter_table_line(struct emitter *emitter, const char *format, ...) __attribute__((format(printf, 2, 3)));
void emitter_table_end(struct emitter *emitter);

/* Writes what is left, frees. Returns STATUS_DONE, or STATUS_BAD after a message. */
int emitter_close(struct emitter *emitter);

#endif
