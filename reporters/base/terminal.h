/* What a terminal can show, and signs of life on it during long work. */
#ifndef PCOMP_TERMINAL_H
#define PCOMP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns of the terminal behind stream (COLUMNS overrides); 0: not a terminal, no limit. */
size_t terminal_width(FILE *stream);

/* A terminal that wants colour: not with NO_COLOR set or TERM=dumb. */
bool terminal_colour(FILE *stream);

/* Says `text` on stderr, when that is a terminal, if the work is not finished after a second. Not nested; uses SIGALRM.
 */
void terminal_progress_begin(const char *text);
void terminal_progress_end(void);

/* A bar on stderr, when that is a terminal: `done` of `all` steps, with the time that is left by the pace so far. The
 * line is taken away when all are done. */
void terminal_bar(const char *what, size_t done, size_t all);

/* The stream is a terminal and will go to a pager: its width and colours stay as they are. */
void terminal_keep(FILE *stream);

#endif
