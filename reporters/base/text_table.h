/* A table for people: rows are kept until the widths are known, columns dropped and names cut to fit a terminal. */
#ifndef PCOMP_TEXT_TABLE_H
#define PCOMP_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct text_column {
    const char *group, *title; /* not copied */
    bool left;                 /* names; numbers stand right */
    unsigned drop;             /* where there is no room, the greatest go first; 0 stays */
};

struct text_table;

/* NULL: out of memory. width 0: no limit. */
struct text_table *text_table_new(const struct text_column *columns, size_t count, size_t width, bool colour);

/* Each returns false when out of memory. Texts are clean UTF-8 and are copied. */
bool text_table_cell(struct text_table *table, const char *text);   /* count of them make a row */
bool text_table_recell(struct text_table *table, const char *text); /* instead of the last cell */
bool text_table_remark(struct text_table *table, const char *text); /* behind the row just completed */
bool text_table_line(struct text_table *table, const char *text);   /* a line among the rows */

void text_table_write(const struct text_table *table, FILE *out);
void text_table_free(struct text_table *table);

#endif
