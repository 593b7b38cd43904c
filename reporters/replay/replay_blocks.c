#include "reporters/replay/replay_blocks.h"

#include "reporters/trace/trace_write.h"

#include <stdlib.h>

#define MEMORY      (64u << 20) /* bytes of all blocks together */
#define BLOCK_LEAST (8u << 10)
#define BLOCK_MOST  (256u << 10) /* what is read is still in the cache when it is rewritten */
enum { ON_THE_WAY = 16 };

void replay_blocks_init(struct replay_blocks *b, uint32_t locations)
{
    size_t segment = MEMORY / 2 / (locations + (size_t)ON_THE_WAY) / BLOCK_LEAST * BLOCK_LEAST;
    segment = segment < BLOCK_LEAST ? BLOCK_LEAST : segment > BLOCK_MOST ? BLOCK_MOST : segment;
    *b = (struct replay_blocks){.records = segment - sizeof(struct pcomp_trace_segment), .queued_most = ON_THE_WAY};
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->filled, NULL);
    pthread_cond_init(&b->emptied, NULL);
}

static void block_free(struct replay_block *block)
{
    if (!block)
        return;
    free(block->waits);
    free(block->measured);
    free(block->segment);
    free(block);
}

void replay_blocks_free(struct replay_blocks *b)
{
    for (struct replay_block *next; b->free; b->free = next) {
        next = b->free->next;
        block_free(b->free);
    }
    pthread_mutex_destroy(&b->mutex);
    pthread_cond_destroy(&b->filled);
    pthread_cond_destroy(&b->emptied);
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

struct replay_block *replay_block_take(struct replay_blocks *b)
{
    pthread_mutex_lock(&b->mutex);
    struct replay_block *block = b->free;
    if (block)
        b->free = block->next;
    pthread_mutex_unlock(&b->mutex);
    if (!block && !(block = block_new(b->records)))
        return NULL;
    block->wait_count = 0;
    return block;
}

void replay_block_give_back(struct replay_blocks *b, struct replay_block *block)
{
    pthread_mutex_lock(&b->mutex);
    block->next = b->free;
    b->free = block;
    pthread_mutex_unlock(&b->mutex);
}

void replay_block_send(struct replay_blocks *b, struct replay_block *block)
{
    block->next = NULL;
    pthread_mutex_lock(&b->mutex);
    while (b->queued == b->queued_most)
        pthread_cond_wait(&b->emptied, &b->mutex);
    if (b->last)
        b->last->next = block;
    else
        b->first = block;
    b->last = block;
    b->queued++;
    pthread_cond_signal(&b->filled);
    pthread_mutex_unlock(&b->mutex);
}

struct replay_block *replay_block_receive(struct replay_blocks *b)
{
    pthread_mutex_lock(&b->mutex);
    while (!b->first && !b->ended)
        pthread_cond_wait(&b->filled, &b->mutex);
    struct replay_block *block = b->first;
    if (block) {
        b->first = block->next;
        b->last = b->first ? b->last : NULL;
        b->queued--;
        pthread_cond_signal(&b->emptied);
    }
    pthread_mutex_unlock(&b->mutex);
    return block;
}

void replay_blocks_end(struct replay_blocks *b)
{
    pthread_mutex_lock(&b->mutex);
    b->ended = true;
    pthread_cond_signal(&b->filled);
    pthread_mutex_unlock(&b->mutex);
}

bool replay_block_wait(struct replay_block *block, const struct replay_wait *wait)
{
    if (block->wait_count == block->wait_room) {
        size_t room = block->wait_room ? block->wait_room * 2 : 16;
        struct replay_wait *waits = reallocarray(block->waits, room, sizeof *waits);
        if (!waits)
            return false;
        block->waits = waits;
        block->wait_room = room;
    }
    block->waits[block->wait_count++] = *wait;
    return true;
}
