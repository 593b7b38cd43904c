/* The state of the browser of `pcomp top` and `pcomp tui`, without a terminal: snapshots and keys go in, a page of
 * lines comes out (browser_page.h). */
#ifndef PCOMP_BROWSER_H
#define PCOMP_BROWSER_H

#include "reporters/live/live_rows.h"

#define BROWSER_TYPED 128

enum browser_view {
    BROWSER_FUNCTIONS,
    BROWSER_CALLS, /* callers and callees of one function */
    BROWSER_THREADS,
    BROWSER_TEXT /* help, source */
};

enum browser_key { /* others are Unicode characters */
                   BROWSER_KEY_UP = 0x110000,
                   BROWSER_KEY_DOWN,
                   BROWSER_KEY_PAGE_UP,
                   BROWSER_KEY_PAGE_DOWN,
                   BROWSER_KEY_HOME,
                   BROWSER_KEY_END,
                   BROWSER_KEY_LEFT,
                   BROWSER_KEY_RIGHT,
                   BROWSER_KEY_ENTER,
                   BROWSER_KEY_BACKSPACE,
                   BROWSER_KEY_ESCAPE,
                   BROWSER_KEY_HELP,
                   BROWSER_KEY_SEARCH,
                   BROWSER_KEY_FILTER,
                   BROWSER_KEY_SORT,
                   BROWSER_KEY_QUIT,
                   BROWSER_KEY_RESIZE
};

enum browser_action {                /* what a key asks of the loop around */
                      BROWSER_DONE,  /* nothing */
                      BROWSER_LEAVE, /* end */
                      BROWSER_READ,  /* a snapshot now: of another thread, or because the user asks */
                      BROWSER_SOURCE /* browser_show_text() with the source of browser_function() */
};

struct browser {
    enum browser_view view, behind;     /* behind: below BROWSER_TEXT */
    struct live_snapshot *before, *now; /* the caller's; before: NULL none */
    struct live_rows rows;
    struct live_order order;
    bool totals, frozen;
    size_t selected, top, page; /* rows: selected, first shown, shown at once */
    char *followed;             /* identity of the selected row; NULL: the first, whichever it is */
    char **focus;               /* functions of BROWSER_CALLS, the current one last */
    size_t focus_count;
    int thread; /* whose functions are shown; 0: of all */
    int prompt; /* '/' or '\\' while the user types what to search for, or to show alone; 0 */
    char typed[BROWSER_TYPED], search[BROWSER_TYPED], filter[BROWSER_TYPED];
    char **lines; /* of BROWSER_TEXT */
    size_t line_count, line_top, shift;
    char *title;       /* of the text */
    char message[200]; /* for the last line, until the next key */
};

/* Begins with {0}. */
void browser_free(struct browser *browser);

/* New snapshots, or rows to be made anew from the same. False: out of memory. */
bool browser_update(struct browser *browser, struct live_snapshot *before, struct live_snapshot *now);

/* False in *ok: out of memory. */
enum browser_action browser_press(struct browser *browser, int key, bool *ok);

/* The selected function, in the tree of the last snapshot; LIVE_NONE: none is. */
uint32_t browser_function(const struct browser *browser);

/* Shows a text, which is copied, over the view. False: out of memory. */
bool browser_show_text(struct browser *browser, const char *title, const char *text);

/* For the last line. */
void browser_say(struct browser *browser, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Steps of browser_press. */
bool browser_focus_push(struct browser *browser, uint32_t function);
void browser_focus_pop(struct browser *browser);
void browser_select(struct browser *browser, size_t row);
bool browser_find(struct browser *browser, int direction);
bool browser_help(struct browser *browser);

#endif
