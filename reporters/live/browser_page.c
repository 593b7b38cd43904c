#include "reporters/live/browser_page.h"

#include "reporters/base/locale_text.h"
#include "reporters/live/live_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GAP          1
#define NAME_GAP     2
#define COSTLY_SHARE 0.1
/* fewer rows are shown with less around them */
#define HEIGHT_OF_FOOT 4
#define HEIGHT_OF_HEAD 12
#define FEW_HEIGHT     7

static const size_t name_min[] = {24, 16, 8}; /* columns of the name, by how narrow the terminal is */

struct layout {
    size_t width;
    bool shown[LIVE_COLUMNS];
    size_t name; /* columns of the name */
};

void browser_page_free(struct browser_page *page)
{
    for (size_t i = 0; i < page->count; i++)
        free(page->lines[i].text);
    free(page->lines);
    *page = (struct browser_page){0};
}

/* --- Columns ----------------------------------------------------------------------------------------------------- */

static size_t columns_width(const bool *shown)
{
    size_t width = 0;
    for (int c = 0; c < LIVE_COLUMN_NAME; c++)
        width += shown[c] ? live_columns[c].width + (c ? GAP : 0) : 0;
    return width;
}

static void lay_out(struct layout *l, size_t width)
{
    size_t min = width >= 72 ? name_min[0] : width >= 40 ? name_min[1] : name_min[2];
    *l = (struct layout){.width = width};
    for (int c = 0; c < LIVE_COLUMNS; c++)
        l->shown[c] = true;
    while (columns_width(l->shown) + NAME_GAP + min > width) {
        int worst = LIVE_COLUMN_NAME;
        for (int c = 0; c < LIVE_COLUMN_NAME; c++)
            if (l->shown[c] && live_columns[c].drop > live_columns[worst].drop)
                worst = c;
        if (worst == LIVE_COLUMN_NAME)
            break;
        l->shown[worst] = false;
    }
    size_t used = columns_width(l->shown) + NAME_GAP;
    l->name = width > used ? width - used : 0;
}

/* text (UTF-8) as the terminal has it, in at most `columns`. malloc'ed. */
static char *fit(const char *text, size_t columns, bool middle)
{
    char *clean = text_clean(text), *shown = clean ? locale_text(clean) : NULL, *cut = NULL;
    if (shown && middle)
        cut = text_cut(shown, columns, locale_ellipsis());
    if (shown && (!middle || (cut && text_columns(cut) > columns))) {
        free(cut);
        shown[text_prefix(shown, columns)] = 0;
        cut = shown;
        shown = NULL;
    }
    free(clean);
    free(shown);
    return cut;
}

static void put_cell(FILE *out, enum live_column column, const char *text, bool left)
{
    size_t width = live_columns[column].width;
    char *cell = fit(text, width, false);
    size_t used = cell ? text_columns(cell) : width;
    int pad = used < width ? (int)(width - used) : 0;
    fprintf(out, "%*s%s%*s", (column ? GAP : 0) + (left ? 0 : pad), "", cell ? cell : "", left ? pad : 0, "");
    free(cell);
}

/* "<- main", "1234 worker" */
static char *name_of(const struct browser *b, const struct live_row *row)
{
    char *name = NULL;
    if (row->kind == LIVE_ROW_THREAD) {
        const struct call_tree *tree = b->now->tree;
        const struct tree_thread *t = &tree->threads[row->index];
        int length = tree->process_count > 1 ? asprintf(&name, "%d/%d %s", t->pid, t->tid, row->name)
                                             : asprintf(&name, "%d %s", t->tid, row->name);
        return length < 0 ? NULL : name;
    }
    const char *mark = row->kind == LIVE_ROW_CALLER   ? "<- "
                       : row->kind == LIVE_ROW_CALLEE ? "-> "
                       : row->kind == LIVE_ROW_SELF   ? "   "
                                                      : "";
    return asprintf(&name, "%s%s", mark, row->name) < 0 ? NULL : name;
}

/* A row, or the titles (row NULL); malloc'ed, NULL: out of memory. */
static char *line_text(const struct browser *b, const struct layout *l, const struct live_row *row)
{
    char *text = NULL, cell[TEXT_NUMBER + 1];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (int i = 0; i < LIVE_COLUMN_NAME; i++) {
        enum live_column c = (enum live_column)i;
        if (l->shown[c])
            put_cell(out, c,
                     row ? live_cell(cell, c, row, &b->rows, &b->order) : live_column_title(c, &b->rows, &b->order),
                     c == LIVE_COLUMN_LEVEL);
    }
    char *name = row ? name_of(b, row) : strdup(b->view == BROWSER_THREADS ? "thread" : "function");
    char *shown = name ? fit(name, l->name, row != NULL) : NULL;
    if (l->name)
        fprintf(out, "%*s%s", NAME_GAP, "", shown ? shown : "");
    free(name);
    free(shown);
    return fclose(out) ? NULL : text;
}

/* --- Lines around the rows --------------------------------------------------------------------------------------- */

static const char *sort_name(const struct live_order *order)
{
    static const char *const names[LIVE_SORTS] = {"computing", "waiting", "calls", "level", "name"};
    return order->by == LIVE_BY_COMPUTING && order->raw ? "raw" : names[order->by];
}

/* What the numbers are. malloc'ed */
static char *state_text(const struct browser *b)
{
    char seconds[TEXT_NUMBER], *text = NULL, what[64], of[48] = "";
    bool rates = b->rows.seconds > 0;
    if (rates)
        snprintf(what, sizeof what, "rates of the last %s", text_time(seconds, b->rows.seconds * 1e9));
    else
        snprintf(what, sizeof what, "totals of the run");
    if (b->thread)
        snprintf(of, sizeof of, ", thread %d", b->thread);
    if (asprintf(&text, "%s%s%s: %s, %s, by %s%s%s%s", b->frozen ? "FROZEN, " : "", what, of,
                 b->order.raw ? "raw" : "compensated", b->order.inclusive ? "inclusive" : "exclusive",
                 sort_name(&b->order), b->order.reverse ? " reversed" : "", *b->filter ? ", only " : "", b->filter) < 0)
        return NULL;
    return text;
}

/* malloc'ed */
static char *keys_text(const struct browser *b)
{
    const char *first = b->view == BROWSER_THREADS ? "Enter its functions  Esc back"
                        : b->view == BROWSER_CALLS ? "Enter go there  Esc back  a source"
                                                   : "Enter calls  a source  t threads";
    char *text = NULL;
    if (b->view == BROWSER_TEXT)
        return strdup("q back  up down PgUp PgDn left right move");
    if (asprintf(&text, "%s  / search  c %s  r %s  ? help  q quit", first, b->order.raw ? "compensated" : "raw",
                 b->totals ? "rates" : "totals") < 0)
        return NULL;
    return text;
}

static char *foot_text(const struct browser *b)
{
    char *text = NULL;
    if (b->prompt)
        return asprintf(&text, "%s: %s", b->prompt == '/' ? "Search" : "Show only", b->typed) < 0 ? NULL : text;
    return *b->message ? strdup(b->message) : keys_text(b);
}

/* Takes over text, which is cut. False: out of memory. */
static bool add(struct browser_page *page, char *text, size_t width, enum browser_style style, bool middle)
{
    char *shown = text ? fit(text, width, middle) : NULL;
    free(text);
    if (!shown)
        return false;
    page->lines[page->count++] = (struct browser_line){shown, style};
    return true;
}

static bool add_head(struct browser_page *page, const struct browser *b, size_t width, size_t height)
{
    bool ended = !b->now->running, ok = true;
    if (height >= FEW_HEIGHT)
        ok = add(page, live_head_program(b->now), width, ended ? BROWSER_ALARM : BROWSER_HEAD, false);
    if (height >= HEIGHT_OF_HEAD)
        ok = ok && add(page, live_head_figures(&b->rows, b->now), width, BROWSER_HEAD, false) &&
             add(page, state_text(b), width, BROWSER_PLAIN, false);
    return ok;
}

static bool add_rows(struct browser_page *page, struct browser *b, const struct layout *l, size_t room)
{
    if (b->selected < b->top)
        b->top = b->selected;
    if (b->selected >= b->top + room)
        b->top = b->selected - room + 1;
    if (b->top + room > b->rows.count)
        b->top = b->rows.count > room ? b->rows.count - room : 0;
    b->page = room;
    bool ok = true;
    for (size_t i = b->top; ok && i < b->rows.count && i < b->top + room; i++) {
        const struct live_row *row = &b->rows.list[i];
        bool costly = b->rows.total.computing > 0 && row->exclusive.computing > COSTLY_SHARE * b->rows.total.computing;
        ok = add(page, line_text(b, l, row), l->width,
                 i == b->selected ? BROWSER_SELECTED
                 : costly         ? BROWSER_COSTLY
                                  : BROWSER_PLAIN,
                 false);
    }
    if (ok && !b->rows.count && room)
        ok = add(page, strdup(*b->filter ? "nothing matches (Esc shows everything)" : "nothing was measured yet"),
                 l->width, BROWSER_PLAIN, false);
    return ok;
}

static bool add_lines(struct browser_page *page, struct browser *b, size_t width, size_t room)
{
    bool ok = add(page, strdup(b->title), width, BROWSER_TITLES, true);
    room -= room > 0;
    b->page = room;
    if (b->line_top + room > b->line_count)
        b->line_top = b->line_count > room ? b->line_count - room : 0;
    for (size_t i = b->line_top; ok && i < b->line_count && i < b->line_top + room; i++) {
        const char *line = b->lines[i];
        ok = add(page, strdup(line + text_prefix(line, b->shift)), width, BROWSER_PLAIN, false);
    }
    return ok;
}

bool browser_page_make(struct browser_page *page, struct browser *b, size_t width, size_t height)
{
    struct layout l;
    *page = (struct browser_page){.lines = calloc(height + 8, sizeof *page->lines), .cursor = SIZE_MAX};
    size_t foot = height >= HEIGHT_OF_FOOT || b->prompt || *b->message;
    bool ok = page->lines && (b->view == BROWSER_TEXT || add_head(page, b, width, height));
    lay_out(&l, width);
    size_t room = height > page->count + foot ? height - page->count - foot : 0;
    if (ok && b->view == BROWSER_TEXT) {
        ok = !room || add_lines(page, b, width, room);
    } else if (ok) {
        if (room > 1) {
            ok = add(page, line_text(b, &l, NULL), width, BROWSER_TITLES, false);
            room--;
        }
        ok = ok && add_rows(page, b, &l, room);
    }
    while (ok && page->count + foot < height)
        ok = add(page, strdup(""), width, BROWSER_PLAIN, false);
    char *text = ok && foot && height ? foot_text(b) : NULL;
    if (text && b->prompt)
        page->cursor = text_columns(text) < width ? text_columns(text) : width ? width - 1 : 0;
    if (ok && foot && height)
        ok = add(page, text, width, b->prompt ? BROWSER_PLAIN : BROWSER_FOOT, false);
    if (!ok)
        browser_page_free(page);
    return ok;
}
