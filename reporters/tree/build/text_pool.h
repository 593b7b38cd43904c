/* Text that lives as long as the call tree: many short strings, freed at once. */
#ifndef PCOMP_TEXT_POOL_H
#define PCOMP_TEXT_POOL_H

#include <stddef.h>

struct text_block;

struct text_pool {
    struct text_block *blocks;
};

/* A NUL-terminated copy of `length` bytes; NULL when out of memory. */
char *text_pool_copy(struct text_pool *pool, const char *text, size_t length);
void text_pool_free(struct text_pool *pool);

#endif
