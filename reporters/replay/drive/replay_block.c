#include "reporters/replay/drive/replay_block.h"

#include "compensation/numeric/array.h"
#include "reporters/trace/files/trace_write.h"

#include <stdlib.h>

static void block_free(struct replay_block *block)
{
    free(block->error);
    free(block->waits);
    free(block->measured);
    free(block->segment);
    free(block);
}

static struct replay_block *block_new(size_t records)
{
    struct replay_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->measured = malloc(records);
    block->segment = malloc(trace_segment_size(records));
    if (block->measured && block->segment)
        return block;
    block_free(block);
    return NULL;
}

struct replay_block *replay_block_take(struct replay_block_pool *pool, uint32_t location)
{
    struct replay_block *block = pool->free;
    if (block)
        pool->free = block->next;
    else if (!(block = block_new(pool->records)))
        return NULL;
    free(block->error);
    block->next = NULL;
    block->location = location;
    block->size = block->wait_count = 0;
    block->damaged = false;
    block->error = NULL;
    return block;
}

void replay_block_give_back(struct replay_block_pool *pool, struct replay_block *block)
{
    if (!block)
        return;
    block->next = pool->free;
    pool->free = block;
}

void replay_block_pool_free(struct replay_block_pool *pool)
{
    for (struct replay_block *next; pool->free; pool->free = next) {
        next = pool->free->next;
        block_free(pool->free);
    }
}

bool replay_block_wait(struct replay_block *block, const struct replay_wait *wait)
{
    if (!ARRAY_ROOM(block->waits, block->wait_count, block->wait_room))
        return false;
    block->waits[block->wait_count++] = *wait;
    return true;
}
