#include "reporters/live/browser.h"

#include "reporters/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

void browser_free(struct browser *b)
{
    live_rows_free(&b->rows);
    free(b->followed);
    free_texts(b->focus, b->focus_count);
    free_texts(b->lines, b->line_count);
    free(b->title);
    *b = (struct browser){0};
}

void browser_say(struct browser *b, const char *format, ...)
{
    char text[sizeof b->message];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char *clean = text_clean(text);
    snprintf(b->message, sizeof b->message, "%s", clean ? clean : "");
    free(clean);
}

/* --- Identities, which outlive a snapshot ------------------------------------------------------------------------ */

/* malloc'ed; NULL: out of memory */
static char *function_identity(const struct call_tree *tree, uint32_t function)
{
    const struct tree_function *f = &tree->functions[function];
    char *identity = NULL;
    if (asprintf(&identity, "%s\n%s\n%s", f->name, f->linkage_name, f->module ? f->module : "") < 0)
        return NULL;
    return identity;
}

static char *row_identity(const struct browser *b, const struct live_row *row)
{
    char *identity = NULL;
    if (row->kind == LIVE_ROW_THREAD) {
        const struct tree_thread *t = &b->now->tree->threads[row->index];
        return asprintf(&identity, "%d/%d", t->pid, t->tid) < 0 ? NULL : identity;
    }
    char *function = function_identity(b->now->tree, row->index);
    if (function && asprintf(&identity, "%d %s", row->kind, function) < 0)
        identity = NULL;
    free(function);
    return identity;
}

static uint32_t function_of(const struct call_tree *tree, const char *wanted)
{
    uint32_t found = LIVE_NONE;
    for (size_t i = 0; i < tree->function_count && found == LIVE_NONE; i++) {
        char *identity = function_identity(tree, (uint32_t)i);
        if (identity && !strcmp(identity, wanted))
            found = (uint32_t)i;
        free(identity);
    }
    return found;
}

/* --- Rows -------------------------------------------------------------------------------------------------------- */

/* Where the user has moved, the selection stays with its row; else it stays at the top. */
static void follow(struct browser *b)
{
    for (size_t i = 0; b->followed && i < b->rows.count; i++) {
        char *identity = row_identity(b, &b->rows.list[i]);
        bool same = identity && !strcmp(identity, b->followed);
        free(identity);
        if (same) {
            b->selected = i;
            return;
        }
    }
    if (!b->followed)
        b->selected = 0;
    if (b->selected >= b->rows.count)
        b->selected = b->rows.count ? b->rows.count - 1 : 0;
}

void browser_select(struct browser *b, size_t row)
{
    b->selected = row < b->rows.count ? row : b->rows.count ? b->rows.count - 1 : 0;
    free(b->followed);
    b->followed = b->selected ? row_identity(b, &b->rows.list[b->selected]) : NULL;
}

static void keep_matching(struct browser *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->rows.count; i++)
        if (b->rows.list[i].kind == LIVE_ROW_SELF || strcasestr(b->rows.list[i].name, b->filter))
            b->rows.list[kept++] = b->rows.list[i];
    b->rows.count = kept;
}

bool browser_update(struct browser *b, struct live_snapshot *before, struct live_snapshot *now)
{
    struct live_snapshot *from = b->totals ? NULL : before;
    enum browser_view view = b->view == BROWSER_TEXT ? b->behind : b->view;
    bool ok;
    b->before = before;
    b->now = now;
    uint32_t focus = view == BROWSER_CALLS ? function_of(now->tree, b->focus[b->focus_count - 1]) : LIVE_NONE;
    if (focus != LIVE_NONE)
        ok = live_rows_calls(&b->rows, from, now, focus);
    else if (view == BROWSER_THREADS)
        ok = live_rows_threads(&b->rows, from, now);
    else
        ok = live_rows_functions(&b->rows, from, now);
    if (!ok)
        return false;
    if (*b->filter)
        keep_matching(b);
    live_rows_sort(&b->rows, &b->order);
    follow(b);
    return true;
}

uint32_t browser_function(const struct browser *b)
{
    if (b->selected >= b->rows.count || b->rows.list[b->selected].kind == LIVE_ROW_THREAD)
        return LIVE_NONE;
    return b->rows.list[b->selected].index;
}

/* --- Functions whose callers and callees are shown --------------------------------------------------------------- */

bool browser_focus_push(struct browser *b, uint32_t function)
{
    char **grown = realloc(b->focus, (b->focus_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    b->focus = grown;
    grown[b->focus_count] = function_identity(b->now->tree, function);
    b->focus_count += grown[b->focus_count] != NULL;
    return grown[b->focus_count - 1] != NULL;
}

void browser_focus_pop(struct browser *b)
{
    if (b->focus_count)
        free(b->focus[--b->focus_count]);
}

bool browser_find(struct browser *b, int direction)
{
    for (size_t step = 1; *b->search && step <= b->rows.count; step++) {
        size_t row = (b->selected + (direction > 0 ? step : b->rows.count - step % b->rows.count)) % b->rows.count;
        if (strcasestr(b->rows.list[row].name, b->search)) {
            browser_select(b, row);
            return true;
        }
    }
    return false;
}

/* --- Texts ------------------------------------------------------------------------------------------------------- */

/* Tabs become spaces: the width of a line is that of its characters. */
static char *without_tabs(const char *line, size_t length)
{
    char *out = malloc(8 * length + 1), *copy, *to = out;
    size_t column = 0;
    for (size_t i = 0; out && i < length; i++) {
        if (line[i] == '\t')
            do
                *to++ = ' ';
            while (++column % 8);
        else
            column += ((*to++ = line[i]) & 0xc0) != 0x80;
    }
    if (!out)
        return NULL;
    *to = 0;
    copy = text_clean(out);
    free(out);
    return copy;
}

bool browser_show_text(struct browser *b, const char *title, const char *text)
{
    size_t count = 0, used = 0;
    for (const char *c = text; *c; c++)
        count += *c == '\n';
    char **lines = calloc(count + 2, sizeof *lines), *copy = text_clean(title);
    bool ok = lines && copy;
    for (const char *line = text; ok && *line;) {
        size_t length = strcspn(line, "\n");
        ok = (lines[used] = without_tabs(line, length)) != NULL;
        used += ok;
        line += length + (line[length] == '\n');
    }
    if (!ok) {
        free_texts(lines, lines ? used : 0);
        free(copy);
        return false;
    }
    free_texts(b->lines, b->line_count);
    free(b->title);
    b->lines = lines;
    b->line_count = used;
    b->line_top = b->shift = 0;
    b->title = copy;
    if (b->view != BROWSER_TEXT)
        b->behind = b->view;
    b->view = BROWSER_TEXT;
    return true;
}
