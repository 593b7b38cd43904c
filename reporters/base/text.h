/* Small jobs on text that is shown to people: cleaning, width, units.
 *
 * Numbers are shown with a unit and four significant digits; exact numbers belong to JSON and CSV. Pure functions. */
#ifndef PCOMP_TEXT_H
#define PCOMP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_NUMBER 48 /* bytes that hold any number below */
#define TEXT_CALLS  (2 * TEXT_NUMBER + 16)

/* "12.35 M", "145.9 M ± 24 M", "<170 M"; half: of the 95 % interval, 0 exact. The other: "1 call", "12.35 M calls".
 * Each fills and returns buffer (TEXT_CALLS bytes). */
char *text_count_known(char *buffer, double count, double half);
char *text_calls(char *buffer, double calls, double half);

/* Valid UTF-8 without control characters: what is neither is replaced by U+FFFD. malloc'ed, caller frees; NULL: out
 * of memory. */
char *text_clean(const char *text);

/* Columns that text (valid UTF-8) takes on a terminal: two for wide characters (CJK), none for combining marks. */
size_t text_columns(const char *text);

/* Bytes of text that fit into so many columns. */
size_t text_prefix(const char *text, size_t columns);

/* Text in at most so many columns: its middle is replaced by the ellipsis, and the last name of a scoped name or a path
 * ("a::b::last", "a > last") stays whole where it fits. malloc'ed, NULL: out of memory. */
char *text_cut(const char *text, size_t columns, const char *ellipsis);

/* Ends lines where a word would go beyond `columns`, in place of the blank before it; 0: no end. A word that is wider
 * stays whole. */
void text_break_lines(char *text, size_t columns);

/* Edit distance, capped at 100: for "did you mean". */
unsigned text_distance(const char *a, const char *b);

/* Part of a path after its last slash. */
const char *text_basename(const char *path);

/* "1.5 ms", "1.5ms": nanoseconds; without a unit, seconds. False: it is no time, or below 0. */
bool text_time_read(const char *text, double *ns);

/* Each fills buffer (TEXT_NUMBER bytes) and returns it. */
char *text_time(char *buffer, double ns);              /* "1.234 ms", "-" where unknown */
char *text_time_signed(char *buffer, double ns);       /* "+1.234 ms" */
char *text_uncertainty(char *buffer, double ns);       /* "1.2 ms": two digits, more would mean nothing */
char *text_count(char *buffer, uint64_t count);        /* "12,345,678" */
char *text_count_short(char *buffer, double count);    /* "12.35 M" */
char *text_count_half(char *buffer, double half);      /* of an interval, two digits: "24 M" */
char *text_percent(char *buffer, double share);        /* 0.1234: "12.3 %" */
char *text_percent_signed(char *buffer, double share); /* "+12.3 %" */
char *text_bytes(char *buffer, uint64_t bytes);        /* "1.2 MiB" */
char *text_real(char *buffer, double value);           /* four significant digits */

#endif
