/* What the browser shows, as lines of a terminal of any size. */
#ifndef PCOMP_BROWSER_PAGE_H
#define PCOMP_BROWSER_PAGE_H

#include "reporters/live/browser.h"

enum browser_style {
    BROWSER_PLAIN,
    BROWSER_HEAD,
    BROWSER_TITLES,
    BROWSER_SELECTED,
    BROWSER_COSTLY,
    BROWSER_ALARM,
    BROWSER_FOOT
};

struct browser_line {
    char *text; /* in the character set of the terminal */
    enum browser_style style;
};

struct browser_page {
    struct browser_line *lines;
    size_t count;
    size_t cursor; /* column in the last line, where the user types; SIZE_MAX: nowhere */
};

/* Exactly `height` lines of at most `width` columns each; scrolls so that the selected row is among them. False: out of
 * memory. */
bool browser_page_make(struct browser_page *page, struct browser *browser, size_t width, size_t height);
void browser_page_free(struct browser_page *page);

#endif
