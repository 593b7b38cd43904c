/* The blocks of a replay, on their way between its two threads: a queue to the worker, and those that are free again.
 */
#ifndef PCOMP_REPLAY_BLOCKS_H
#define PCOMP_REPLAY_BLOCKS_H

#include "compensation/replay/replay.h"
#include "profiler/trace_format.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct replay_block {
    struct replay_block *next;
    uint32_t location;
    size_t size;          /* bytes of records */
    uint64_t first_event; /* number of the first */
    struct replay_wait *waits;
    size_t wait_count, wait_room;
    void *measured;                      /* the records as they were read */
    struct pcomp_trace_segment *segment; /* the records behind it are those that the replay rewrites */
};

struct replay_blocks {
    pthread_mutex_t mutex;
    pthread_cond_t filled, emptied;
    struct replay_block *free, *first, *last; /* free ones; the queue to the worker */
    size_t records;                           /* bytes that a block has room for */
    size_t queued, queued_most;
    bool ended;
};

/* For that many locations. */
void replay_blocks_init(struct replay_blocks *blocks, uint32_t locations);
/* Frees the blocks that were given back. */
void replay_blocks_free(struct replay_blocks *blocks);

/* A free block; NULL: out of memory. */
struct replay_block *replay_block_take(struct replay_blocks *blocks);
void replay_block_give_back(struct replay_blocks *blocks, struct replay_block *block);

/* Hands a block to the worker; waits while too many are on their way. */
void replay_block_send(struct replay_blocks *blocks, struct replay_block *block);
/* The worker's next one, in the order in which they were sent; NULL: there will be none. */
struct replay_block *replay_block_receive(struct replay_blocks *blocks);
void replay_blocks_end(struct replay_blocks *blocks);

/* Adds a wait to a block. False: out of memory. */
bool replay_block_wait(struct replay_block *block, const struct replay_wait *wait);

#endif
