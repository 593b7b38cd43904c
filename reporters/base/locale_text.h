/* Text in the character set of the terminal: UTF-8 where the locale has it, else ASCII ("+-" for "±", "us" for "µs").
 *
 * JSON, CSV and files are UTF-8 whatever the locale is. The choice is made once, by the command, before its first
 * output; without it, text stays UTF-8. Not thread-safe. */
#ifndef PCOMP_LOCALE_TEXT_H
#define PCOMP_LOCALE_TEXT_H

/* Reads the character set of the locale that setlocale() has set. */
void locale_text_begin(void);

/* Copy of valid UTF-8, as it is to be shown; malloc'ed, NULL: out of memory. */
char *locale_text(const char *text);

/* What stands for text that is left out: "…" or "...". */
const char *locale_ellipsis(void);

#endif
