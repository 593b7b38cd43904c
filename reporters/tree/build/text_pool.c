#include "reporters/tree/build/text_pool.h"

#include <stdlib.h>
#include <string.h>

struct text_block {
    struct text_block *next;
    size_t used, size;
    char text[];
};

char *text_pool_copy(struct text_pool *pool, const char *text, size_t length)
{
    struct text_block *block = pool->blocks;
    if (!block || block->size - block->used <= length) {
        size_t size = length < 65536 - sizeof *block ? 65536 - sizeof *block : length + 1;
        block = malloc(sizeof *block + size);
        if (!block)
            return NULL;
        *block = (struct text_block){.next = pool->blocks, .size = size};
        pool->blocks = block;
    }
    char *copy = block->text + block->used;
    memcpy(copy, text, length);
    copy[length] = 0;
    block->used += length + 1;
    return copy;
}

void text_pool_free(struct text_pool *pool)
{
    for (struct text_block *b = pool->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    pool->blocks = NULL;
}
