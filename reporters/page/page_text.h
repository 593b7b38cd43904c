/* Names and texts as a page has them. */
#ifndef PCOMP_PAGE_TEXT_H
#define PCOMP_PAGE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* text_clean, cut in the middle to `most` bytes or a little less: the ends of names tell most. malloc'ed; NULL: out of
 * memory. */
char *page_text(const char *text, size_t max);

/* Writes JSON into a script element: no byte of it can end the element or begin markup. */
void page_embed_json(const char *json, FILE *out);
/* The bytes that this takes. */
size_t page_embedded_size(const char *json);

#endif
