/* Machine code that can be changed while it runs, without a page that is ever both writable and executable: the pages
 * of the program are replaced, once and in one step, by the same bytes from an anonymous file, and a second mapping of
 * that file, the alias, is where they are written.
 *
 *   program  ── executes ──▶ |text| private mapping, r-x ─┐
 *                                                         ├── the same pages of memory (memfd, no name, no descriptor)
 *   we       ── write ─────▶ |alias| shared mapping, r-- ──┘   (rw- between open and shut)
 *
 * A page that somebody else writes at its place (a debugger's breakpoint) becomes a page of its own and no longer
 * follows the alias: what they wrote stands. The child of a fork executes its parent's pages until it makes its own.
 *
 * The caller locks. Signals blocked. */
#ifndef PCOMP_TEXT_ALIAS_H
#define PCOMP_TEXT_ALIAS_H

#include <stdbool.h>
#include <stdint.h>

struct text_alias {
    uint64_t start, size; /* of the text, whole pages */
    uint8_t *bytes;       /* its alias; NULL: none */
    int fd;               /* of the file, until the text is executed from it */
    bool open;            /* may be written */
};

/* The alias of [start, end), a copy that can be written; the program goes on with its own bytes. Returns NULL, or what
 * the system does not allow; then nothing has changed. */
const char *text_alias_copy(struct text_alias *alias, uint64_t start, uint64_t end);

/* The same of new code: `size` zero bytes, to be executed at `start`, where the caller has reserved the addresses. */
const char *text_alias_blank(struct text_alias *alias, uint64_t start, uint64_t size);

/* From now on the program executes the alias's bytes, which are shut. Returns NULL, or what the system does not allow;
 * then there is no alias any more. */
const char *text_alias_execute(struct text_alias *alias);

/* Copies and executes. Made anew in the child of a fork, from what it executes now. */
const char *text_alias_make(struct text_alias *alias, uint64_t start, uint64_t end);

/* Lets `bytes` be written from now on, and no longer; nothing to do where it is so already. Either takes some 35 us
 * for 160 pages. False: refused. */
bool text_alias_open(struct text_alias *alias);
void text_alias_shut(struct text_alias *alias);

/* Gives the alias back; the text stays as it is. */
void text_alias_drop(struct text_alias *alias);

#endif
