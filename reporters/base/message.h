/* What the command says on stderr: `pcomp: WHAT: WHY (what to do)`, one line, and the exit statuses.
 *
 * The text is cleaned (text_clean) before it is written: a name out of a damaged file cannot drive the terminal. */
#ifndef PCOMP_MESSAGE_H
#define PCOMP_MESSAGE_H

enum exit_status { STATUS_DONE = 0, STATUS_BAD = 1, STATUS_MISUSE = 2 };

/* Each writes one line; the first returns STATUS_BAD, the second STATUS_MISUSE, to be returned by the caller. */
int message_failure(const char *format, ...) __attribute__((format(printf, 1, 2)));
int message_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From here on the first failure or misuse is kept instead of written, for a process that is one of several. */
void message_keep_failures(void);
/* Ends that, and returns what was kept, malloc'ed; NULL nothing. */
char *message_kept_failure(void);

/* Out of memory: the line, STATUS_BAD. */
int message_no_memory(const char *what);

#endif
