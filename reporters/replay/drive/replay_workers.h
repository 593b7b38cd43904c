/* The threads of a replay. The caller's thread replays. Idle threads, and the caller's while it would wait, read blocks
 * of all locations ahead and finish replayed ones:
 *
 *   trace file --read--> block --replay_run--> block --finish--> path tree, trace file of DIR2
 *      any thread        the caller's thread        any thread
 *
 * The blocks of one location are read in order, and finished in order, each by one thread at a time. So what becomes of
 * a location does not depend on the number of threads. Memory does not depend on the length of the traces: a block a
 * location, and a bounded number of those that were read ahead or wait to be finished. */
#ifndef PCOMP_REPLAY_WORKERS_H
#define PCOMP_REPLAY_WORKERS_H

#include "reporters/replay/drive/replay_block.h"

#include <stdbool.h>
#include <stdint.h>

struct replay_workers;

struct replay_tasks { /* any thread calls them, for several locations at the same time */
    void *context;
    /* Fills the block with the next records of its location, at most `room` bytes; size 0: there are none. */
    void (*read)(void *context, struct replay_block *block, size_t room);
    void (*finish)(void *context, struct replay_block *block);
};

/* As many threads as there are processors for this process. */
unsigned replay_workers_processors(void);

/* For that many locations, `own` of which are read; with `threads` threads, the caller's included. It goes on with
 * fewer where the system gives no more. All threads of the process have one heap from then on, unless there is only the
 * caller's. NULL: out of memory. */
struct replay_workers *replay_workers_begin(const struct replay_tasks *tasks, uint32_t locations, uint32_t own,
                                            unsigned threads);

/* The first blocks are going to be asked for in the order of these calls, and are read ahead so: once a location,
 * before the first block is asked for. */
void replay_workers_expect(struct replay_workers *workers, uint32_t location);

/* The next block of a location, the caller's until it is put or dropped. NULL: out of memory. */
struct replay_block *replay_workers_next(struct replay_workers *workers, uint32_t location);

/* Has a block finished, by and by. */
void replay_workers_put(struct replay_workers *workers, struct replay_block *block);

/* Takes back a block that is not to be finished; NULL: nothing. */
void replay_workers_drop(struct replay_workers *workers, struct replay_block *block);

/* Returns when all that was put is finished; then nothing of the workers is left. NULL: nothing. */
void replay_workers_end(struct replay_workers *workers);

#endif
