/* The processes that replay one execution together: those that `mpirun pcomp replay ...` has started. Each has some of
 * the measured processes. They write into one directory, which all must see.
 *
 * All do the same steps in the same order; where one fails, it goes straight to replay_peers_leave, and what the others
 * do here fails too: then they say nothing, and do the same. Not thread-safe. */
#ifndef PCOMP_REPLAY_PEERS_H
#define PCOMP_REPLAY_PEERS_H

#include "compensation/replay/replay.h"

#include <stdbool.h>
#include <stddef.h>

struct replay_peers;

/* Joins those that mpirun has started: *peers; NULL where there are none. From here on, failures (message.h) are kept,
 * to be said once by replay_peers_leave. False after a message. */
bool replay_peers_join(struct replay_peers **peers);

/* Tells the others how it ended, and waits for them: then nobody does anything any more. Returns the exit status of
 * all: what failed on any is said by the first. `peers` is freed; NULL: returns `status`. */
int replay_peers_leave(struct replay_peers *peers, int status);

int replay_peers_rank(const struct replay_peers *peers); /* from 0; NULL: 0 */
int replay_peers_count(const struct replay_peers *peers);

/* For struct replay_io; what is published leaves when it is flushed, or somebody is waited for. */
bool replay_peers_publish(struct replay_peers *peers, const struct replay_update *update);
bool replay_peers_flush(struct replay_peers *peers);
bool replay_peers_receive(struct replay_peers *peers, struct replay_update *update);

/* Gives every other process these bytes, and calls `each` with those of each other one. What was published and not
 * learnt is forgotten. False: out of memory, or somebody has failed. */
bool replay_peers_exchange(struct replay_peers *peers, const void *mine, size_t size,
                           void (*each)(void *context, int rank, const void *theirs, size_t size), void *context);

/* Waits until all have come here. NULL: at once. False: somebody has failed. */
bool replay_peers_wait(struct replay_peers *peers);

#endif
