/* The blocks in which records go through a replay, and the pool of those that are free. Not thread-safe on one pool. */
#ifndef PCOMP_REPLAY_BLOCK_H
#define PCOMP_REPLAY_BLOCK_H

#include "compensation/replay/replay.h"
#include "profiler/format/trace_format.h"

#include <stdbool.h>
#include <stddef.h>

struct replay_block {
    struct replay_block *next;
    uint32_t location;
    size_t size;          /* bytes of records; 0: the location has ended */
    bool damaged;         /* it ends where it is damaged, or cannot be read */
    char *error;          /* why it cannot be read; NULL it can */
    uint64_t first_event; /* number of the first */
    struct replay_wait *waits;
    size_t wait_count, wait_room;
    void *measured;                      /* the records as they were read */
    struct pcomp_trace_segment *segment; /* the records behind it are those that the replay rewrites */
};

struct replay_block_pool { /* all zero but `records`: empty */
    struct replay_block *free;
    size_t records; /* bytes that a block has room for */
};

/* An empty block of a location; NULL: out of memory. */
struct replay_block *replay_block_take(struct replay_block_pool *pool, uint32_t location);
void replay_block_give_back(struct replay_block_pool *pool, struct replay_block *block); /* NULL: nothing */

/* Frees the blocks that were given back. */
void replay_block_pool_free(struct replay_block_pool *pool);

/* Adds a wait to a block. False: out of memory. */
bool replay_block_wait(struct replay_block *block, const struct replay_wait *wait);

#endif
