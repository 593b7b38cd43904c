/* What keys do in the browser. */
#include "reporters/live/browser.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

#define SHIFT 8 /* columns that a text moves at once */

static const char help[] = "Times are compensated: what the program takes without the measurement; ± is\n"
                           "the half-width of their 95 % interval. Rates are of the time between the last\n"
                           "two readings: 100 % is one processor, or one thread that waits all the time.\n"
                           "\"<2.0 %\" is below its own ±; \"-\" is not known.\n"
                           "\n"
                           "  computing   on a processor\n"
                           "  waiting     blocked in the kernel\n"
                           "  calls/s     with ± where calls are counted in windows\n"
                           "  level       timed: every call by the clock; counted: times from samples;\n"
                           "              sampled: calls in windows, too; off: filtered out\n"
                           "\n"
                           "  up down j k PgUp PgDn Home End  move\n"
                           "  Enter     callers (<-) and callees (->); of a thread: its functions\n"
                           "  Esc b     back; all threads; everything\n"
                           "  a         annotated source, totals of the run\n"
                           "  t         threads, functions\n"
                           "  / F3      search; n N: the next match, the one before\n"
                           "  \\ F4      show what matches alone\n"
                           "  c         raw, compensated times\n"
                           "  i         inclusive, exclusive times\n"
                           "  r         totals of the run, rates\n"
                           "  P W K F   sort by computing (or raw time), waiting, calls, name\n"
                           "  < > F6    sort by the column to the left, to the right;  I: reverse\n"
                           "  z         freeze, go on;  Space: read now\n"
                           "  q F10     leave\n"
                           "\n"
                           "The program runs on undisturbed: what it measures into is read.\n";

bool browser_help(struct browser *b)
{
    return browser_show_text(b, "Keys and columns", help);
}

static bool again(struct browser *b)
{
    return browser_update(b, b->before, b->now);
}

/* The top row of another list. */
static bool enter_view(struct browser *b, enum browser_view view)
{
    b->view = view;
    b->top = 0;
    browser_select(b, 0);
    return again(b);
}

static void move(struct browser *b, int key)
{
    size_t page = b->page ? b->page : 1, last = b->rows.count ? b->rows.count - 1 : 0, at = b->selected;
    switch (key) {
    case BROWSER_KEY_UP:
    case 'k':
        at -= at > 0;
        break;
    case BROWSER_KEY_DOWN:
    case 'j':
        at += at < last;
        break;
    case BROWSER_KEY_PAGE_UP:
        at -= at < page ? at : page;
        break;
    case BROWSER_KEY_PAGE_DOWN:
        at = at + page < last ? at + page : last;
        break;
    case BROWSER_KEY_HOME:
        at = 0;
        break;
    default:
        at = last;
    }
    browser_select(b, at);
}

/* --- Text -------------------------------------------------------------------------------------------------------- */

static void text_press(struct browser *b, int key)
{
    size_t page = b->page ? b->page : 1, last = b->line_count > page ? b->line_count - page : 0;
    switch (key) {
    case BROWSER_KEY_UP:
    case 'k':
        b->line_top -= b->line_top > 0;
        break;
    case BROWSER_KEY_DOWN:
    case BROWSER_KEY_ENTER:
    case 'j':
        b->line_top += b->line_top < last;
        break;
    case BROWSER_KEY_PAGE_UP:
        b->line_top -= b->line_top < page ? b->line_top : page;
        break;
    case BROWSER_KEY_PAGE_DOWN:
    case ' ':
        b->line_top = b->line_top + page < last ? b->line_top + page : last;
        break;
    case BROWSER_KEY_HOME:
        b->line_top = 0;
        break;
    case BROWSER_KEY_END:
        b->line_top = last;
        break;
    case BROWSER_KEY_LEFT:
        b->shift -= b->shift < SHIFT ? b->shift : SHIFT;
        break;
    case BROWSER_KEY_RIGHT:
        b->shift += SHIFT;
        break;
    case 'q':
    case 'b':
    case 'a':
    case '?':
    case 'h':
    case BROWSER_KEY_HELP:
    case BROWSER_KEY_BACKSPACE:
    case BROWSER_KEY_ESCAPE:
        b->view = b->behind;
        break;
    default:
        break;
    }
}

/* --- What the user types ----------------------------------------------------------------------------------------- */

static void type(struct browser *b, int key)
{
    char bytes[8];
    size_t length = strlen(b->typed), more = 0;
    if (key < ' ' || key == 0x7f || key > 0x10ffff)
        return;
    unsigned c = (unsigned)key; /* as UTF-8 */
    if (c < 0x80)
        bytes[more++] = (char)c;
    else if (c < 0x800)
        bytes[more++] = (char)(0xc0 | c >> 6);
    else if (c < 0x10000)
        bytes[more++] = (char)(0xe0 | c >> 12);
    else
        bytes[more++] = (char)(0xf0 | c >> 18);
    for (int shift = c < 0x80 ? -6 : c < 0x800 ? 0 : c < 0x10000 ? 6 : 12; shift >= 0; shift -= 6)
        bytes[more++] = (char)(0x80 | (c >> shift & 0x3f));
    if (length + more < sizeof b->typed) {
        memcpy(b->typed + length, bytes, more);
        b->typed[length + more] = 0;
    }
}

static void untype(struct browser *b)
{
    size_t length = strlen(b->typed);
    while (length && ((unsigned char)b->typed[length - 1] & 0xc0) == 0x80)
        length--;
    b->typed[length ? length - 1 : 0] = 0;
}

static bool prompt_press(struct browser *b, int key)
{
    bool filter = b->prompt == '\\';
    if (key == BROWSER_KEY_ESCAPE) {
        b->prompt = 0;
        return true;
    }
    if (key == BROWSER_KEY_BACKSPACE) {
        if (!*b->typed)
            b->prompt = 0;
        untype(b);
        return true;
    }
    if (key != BROWSER_KEY_ENTER) {
        type(b, key);
        return true;
    }
    b->prompt = 0;
    memcpy(filter ? b->filter : b->search, b->typed, sizeof b->typed);
    if (filter)
        return again(b);
    if (*b->search && !browser_find(b, 1))
        browser_say(b, "%.100s: not found", b->search);
    return true;
}

static void ask(struct browser *b, int what)
{
    b->prompt = what;
    *b->typed = 0;
}

/* --- Lists ------------------------------------------------------------------------------------------------------- */

static enum browser_action enter_row(struct browser *b, bool *ok)
{
    uint32_t function = browser_function(b);
    if (b->view == BROWSER_THREADS && b->selected < b->rows.count) {
        b->thread = b->now->tree->threads[b->rows.list[b->selected].index].tid;
        *ok = enter_view(b, BROWSER_FUNCTIONS);
        return BROWSER_READ;
    }
    if (function != LIVE_NONE && b->rows.list[b->selected].kind != LIVE_ROW_SELF)
        *ok = browser_focus_push(b, function) && enter_view(b, BROWSER_CALLS);
    return BROWSER_DONE;
}

static enum browser_action back(struct browser *b, bool *ok)
{
    if (b->view == BROWSER_CALLS) {
        browser_focus_pop(b);
        *ok = enter_view(b, b->focus_count ? BROWSER_CALLS : BROWSER_FUNCTIONS);
    } else if (b->view == BROWSER_THREADS) {
        *ok = enter_view(b, BROWSER_FUNCTIONS);
    } else if (*b->filter) {
        *b->filter = 0;
        *ok = again(b);
    } else if (b->thread) {
        b->thread = 0;
        return BROWSER_READ;
    }
    return BROWSER_DONE;
}

static bool sort_by(struct browser *b, enum live_sort by)
{
    b->order.by = by;
    return again(b);
}

/* Keys that change what rows show, in any list. */
static bool change(struct browser *b, int key)
{
    switch (key) {
    case 'c':
        b->order.raw = !b->order.raw;
        break;
    case 'i':
        b->order.inclusive = !b->order.inclusive;
        break;
    case 'r':
        b->totals = !b->totals;
        if (!b->totals && !b->before)
            browser_say(b, "there are no rates: it was read once");
        break;
    case 'I':
        b->order.reverse = !b->order.reverse;
        break;
    case 'P':
        return sort_by(b, LIVE_BY_COMPUTING);
    case 'W':
        return sort_by(b, LIVE_BY_WAITING);
    case 'K':
        return sort_by(b, LIVE_BY_CALLS);
    case 'F':
        return sort_by(b, LIVE_BY_NAME);
    case '<':
        return sort_by(b, (enum live_sort)((b->order.by + LIVE_SORTS - 1) % LIVE_SORTS));
    case '>':
    case BROWSER_KEY_SORT:
        return sort_by(b, (enum live_sort)((b->order.by + 1) % LIVE_SORTS));
    default:
        return true;
    }
    return again(b);
}

static enum browser_action list_press(struct browser *b, int key, bool *ok)
{
    switch (key) {
    case 'q':
        return BROWSER_LEAVE;
    case '/':
    case BROWSER_KEY_SEARCH:
        ask(b, '/');
        break;
    case '\\':
    case BROWSER_KEY_FILTER:
        ask(b, '\\');
        break;
    case 'n':
    case 'N':
        if (!browser_find(b, key == 'n' ? 1 : -1))
            browser_say(b, *b->search ? "%.100s: not found" : "/ searches%.0s", b->search);
        break;
    case '?':
    case 'h':
    case BROWSER_KEY_HELP:
        *ok = browser_help(b);
        break;
    case 't':
        *ok = enter_view(b, b->view == BROWSER_THREADS ? BROWSER_FUNCTIONS : BROWSER_THREADS);
        break;
    case 'a':
        if (browser_function(b) != LIVE_NONE)
            return BROWSER_SOURCE;
        break;
    case 'z':
        b->frozen = !b->frozen;
        break;
    case ' ':
        return BROWSER_READ;
    case BROWSER_KEY_ENTER:
    case BROWSER_KEY_RIGHT:
        return enter_row(b, ok);
    case 'b':
    case BROWSER_KEY_LEFT:
    case BROWSER_KEY_BACKSPACE:
    case BROWSER_KEY_ESCAPE:
        return back(b, ok);
    case 'j':
    case 'k':
        move(b, key);
        break;
    default:
        if (key >= BROWSER_KEY_UP && key <= BROWSER_KEY_END)
            move(b, key);
        else
            *ok = change(b, key);
    }
    return BROWSER_DONE;
}

enum browser_action browser_press(struct browser *b, int key, bool *ok)
{
    *ok = true;
    *b->message = 0;
    if (key == BROWSER_KEY_QUIT)
        return BROWSER_LEAVE;
    if (key == BROWSER_KEY_RESIZE)
        return BROWSER_DONE;
    if (b->prompt)
        *ok = prompt_press(b, key);
    else if (b->view == BROWSER_TEXT)
        text_press(b, key);
    else
        return list_press(b, key, ok);
    return BROWSER_DONE;
}
