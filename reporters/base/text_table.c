#include "reporters/base/text_table.h"

#include "compensation/numeric/array.h"
#include "reporters/base/locale_text.h"
#include "reporters/base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MIN = 28, GAP = 2 };

struct text_row {
    size_t first; /* index into texts: `count` cells, or one line */
    bool line;
    const char *remark;
};

struct text_table {
    struct text_column *columns;
    size_t count, width;
    bool colour;
    char **texts;
    size_t text_count, text_capacity;
    struct text_row *rows;
    size_t row_count, row_capacity;
    size_t in_row; /* cells of the row that is being filled */
};

void text_table_free(struct text_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->text_count; i++)
        free(table->texts[i]);
    free(table->texts);
    free(table->rows);
    free(table->columns);
    free(table);
}

static char *table_keep(struct text_table *table, const char *text)
{
    if (!ARRAY_ROOM(table->texts, table->text_count, table->text_capacity))
        return NULL;
    char *copy = locale_text(text);
    if (copy)
        table->texts[table->text_count++] = copy;
    return copy;
}

/* Titles and groups in the character set of the terminal. */
static bool table_keep_titles(struct text_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        struct text_column *column = &table->columns[i];
        column->title = table_keep(table, column->title);
        if (column->title && column->group)
            column->group = table_keep(table, column->group);
        if (!column->title)
            return false;
    }
    return true;
}

struct text_table *text_table_new(const struct text_column *columns, size_t count, size_t width, bool colour)
{
    struct text_table *table = calloc(1, sizeof *table);
    if (!table)
        return NULL;
    *table = (struct text_table){.count = count, .width = width, .colour = colour};
    table->columns = calloc(count + 1, sizeof *columns);
    if (table->columns)
        memcpy(table->columns, columns, count * sizeof *columns);
    if (table->columns && table_keep_titles(table))
        return table;
    text_table_free(table);
    return NULL;
}

static bool table_add_row(struct text_table *table, bool line)
{
    if (!ARRAY_ROOM(table->rows, table->row_count, table->row_capacity))
        return false;
    table->rows[table->row_count++] = (struct text_row){.first = table->text_count, .line = line};
    return true;
}

bool text_table_cell(struct text_table *table, const char *text)
{
    if (table->in_row == 0 && !table_add_row(table, false))
        return false;
    table->in_row = (table->in_row + 1) % table->count;
    return table_keep(table, text) != NULL;
}

bool text_table_recell(struct text_table *table, const char *text)
{
    char *copy = locale_text(text);
    if (!copy || !table->text_count) {
        free(copy);
        return false;
    }
    free(table->texts[table->text_count - 1]);
    table->texts[table->text_count - 1] = copy;
    return true;
}

bool text_table_remark(struct text_table *table, const char *text)
{
    char *copy = table->row_count ? table_keep(table, text) : NULL;
    if (copy)
        table->rows[table->row_count - 1].remark = copy;
    return copy != NULL;
}

bool text_table_line(struct text_table *table, const char *text)
{
    return table_add_row(table, true) && table_keep(table, text) != NULL;
}

/* Widths of the columns that are shown; SIZE_MAX marks those that found no room. */
static void table_fit(const struct text_table *table, size_t *widths)
{
    for (size_t c = 0; c < table->count; c++)
        widths[c] = text_columns(table->columns[c].title);
    for (size_t r = 0; r < table->row_count; r++)
        for (size_t c = 0; !table->rows[r].line && c < table->count; c++) {
            size_t width = text_columns(table->texts[table->rows[r].first + c]);
            if (width > widths[c])
                widths[c] = width;
        }
    while (table->width) {
        size_t total = 0, drop = SIZE_MAX;
        for (size_t c = 0; c < table->count; c++) {
            if (widths[c] == SIZE_MAX)
                continue;
            bool shrinks = table->columns[c].left && c + 1 == table->count && widths[c] > NAME_MIN;
            total += (shrinks ? NAME_MIN : widths[c]) + (c ? GAP : 0);
            if (table->columns[c].drop && (drop == SIZE_MAX || table->columns[c].drop >= table->columns[drop].drop))
                drop = c;
        }
        if (total <= table->width || drop == SIZE_MAX)
            break;
        widths[drop] = SIZE_MAX;
    }
}

static void table_pad(FILE *out, size_t columns)
{
    for (; columns; columns--)
        putc(' ', out);
}

/* Headings of groups, each centred over its columns. */
static void table_groups(const struct text_table *table, const size_t *widths, FILE *out)
{
    bool any = false;
    for (size_t c = 0; c < table->count; c++)
        any |= widths[c] != SIZE_MAX && table->columns[c].group;
    if (!any)
        return;
    size_t pending = 0;
    bool first = true;
    for (size_t c = 0; c < table->count;) {
        if (widths[c] == SIZE_MAX) {
            c++;
            continue;
        }
        const char *group = table->columns[c].group;
        size_t span = widths[c], last = c + 1;
        for (; group && last < table->count; last++) {
            if (!table->columns[last].group || strcmp(table->columns[last].group, group) != 0)
                break;
            if (widths[last] != SIZE_MAX)
                span += GAP + widths[last];
        }
        pending += first ? 0 : GAP;
        first = false;
        size_t length = group ? text_columns(group) : 0;
        if (length) {
            size_t before = span > length ? (span - length) / 2 : 0;
            table_pad(out, pending + before);
            fputs(group, out);
            pending = span > length ? span - length - before : 0;
        } else
            pending += span;
        c = last;
    }
    putc('\n', out);
}

static void table_row(const struct text_table *table, const size_t *widths, char *const *cells, const char *remark,
                      FILE *out)
{
    size_t used = 0, pending = 0;
    bool first = true;
    for (size_t c = 0; c < table->count; c++) {
        if (widths[c] == SIZE_MAX)
            continue;
        const char *text = cells ? cells[c] : table->columns[c].title;
        size_t columns = text_columns(text), gap = pending + (first ? 0 : GAP);
        first = false;
        if (!table->columns[c].left) {
            table_pad(out, gap + widths[c] - columns);
            fputs(text, out);
            used += gap + widths[c];
            pending = 0;
            continue;
        }
        table_pad(out, gap);
        used += gap;
        size_t room = c + 1 < table->count ? widths[c]
                      : table->width       ? (table->width > used ? table->width - used : 1)
                                           : SIZE_MAX;
        if (columns > room) {
            char *cut = text_cut(text, room, locale_ellipsis());
            fputs(cut ? cut : "", out);
            columns = cut ? text_columns(cut) : 0;
            free(cut);
        } else
            fputs(text, out);
        used += columns;
        pending = widths[c] > columns ? widths[c] - columns : 0;
    }
    if (remark && (!table->width || used + GAP + text_columns(remark) <= table->width))
        fprintf(out, "%s%*s%s%s", table->colour ? "\033[2m" : "", GAP, "", remark, table->colour ? "\033[0m" : "");
    putc('\n', out);
}

void text_table_write(const struct text_table *table, FILE *out)
{
    size_t *widths = calloc(table->count, sizeof *widths);
    if (!widths)
        return;
    table_fit(table, widths);
    fputs(table->colour ? "\033[1m" : "", out);
    table_groups(table, widths, out);
    table_row(table, widths, NULL, NULL, out);
    fputs(table->colour ? "\033[0m" : "", out);
    for (size_t r = 0; r < table->row_count; r++) {
        const struct text_row *row = &table->rows[r];
        if (row->line)
            fprintf(out, "%s\n", table->texts[row->first]);
        else
            table_row(table, widths, table->texts + row->first, row->remark, out);
    }
    free(widths);
}
