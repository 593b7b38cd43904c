/* A column of integers as text, which JSON takes without escapes: base64 VLQ, as in source maps. A digit has 5 bits of
 * the value, lowest first, and a sixth that says that another digit follows; the lowest bit of the value is its sign. A
 * value below 16 takes one character, one below 512 two. */
#ifndef PCOMP_PAGE_COLUMNS_H
#define PCOMP_PAGE_COLUMNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_column { /* zeroed: empty */
    char *text;
    size_t size, room;
    bool any, failed; /* a value other than 0 is in it; out of memory */
};

void page_column_add(struct page_column *column, int64_t value);

/* Puts it into the object, if there is any value but 0 in it, and frees it. False: out of memory. */
bool page_column_end(struct page_column *column, json_t *object, const char *key);

#endif
