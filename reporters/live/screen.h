/* A terminal that pages are drawn on (ncursesw). Whatever ends the command, the terminal is as it was before.
 *
 * One screen at a time; not thread-safe. While it is open, standard error goes nowhere if it is a terminal. */
#ifndef PCOMP_SCREEN_H
#define PCOMP_SCREEN_H

#include "reporters/live/browser_page.h"

enum { SCREEN_TIMEOUT = -1, SCREEN_GONE = -2 }; /* the terminal is gone, or a signal asked to end */

/* Whether standard input and output are a terminal. */
bool screen_is_there(void);

/* False after writing one line to error: TERM is not set, or says nothing that can be drawn on. */
bool screen_open(char *error, size_t error_size);

/* As it was before. Ends the process by the signal that asked for it, if one did. */
void screen_close(void);

void screen_size(size_t *width, size_t *height);
void screen_draw(const struct browser_page *page);

/* The next key, as browser_press takes it, within so many seconds; SCREEN_TIMEOUT, SCREEN_GONE. */
int screen_key(double seconds);

#endif
