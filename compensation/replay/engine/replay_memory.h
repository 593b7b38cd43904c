/* The memory of one replay: everything that is allocated is counted, and released together at the end, so rules need
 * not tear down what they keep. Not thread-safe on one pool. */
#ifndef PCOMP_REPLAY_MEMORY_H
#define PCOMP_REPLAY_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct replay_chunk;

struct replay_memory { /* all zero: empty */
    struct replay_chunk *chunks;
    uint64_t bytes, bytes_max; /* bytes */
};

/* Zeroed memory, aligned to 16 bytes; NULL when there is none. */
void *replay_allocate(struct replay_memory *memory, size_t size);

/* Makes a room for `count` things of `size` bytes twice as large (or `least` at first), what is new zeroed. False when
 * there is no memory: nothing has changed. `things` may be NULL. */
bool replay_grow(struct replay_memory *memory, void **things, uint32_t *room, uint32_t min, size_t size);

void replay_release(struct replay_memory *memory, void *block); /* NULL: nothing */
void replay_release_all(struct replay_memory *memory);

/* A table from two words to a thing that the caller owns. All zero: empty. Pointers into it do not exist, so it may
 * grow at any time. */
struct replay_map {
    struct replay_slot *slots;
    uint32_t room, count; /* room: power of two */
};

void *replay_map_get(const struct replay_map *map, uint64_t high, uint64_t low); /* NULL: not there */

/* The key must not be there, the thing not be NULL. False: no memory. */
bool replay_map_put(struct replay_memory *memory, struct replay_map *map, uint64_t high, uint64_t low, void *thing);

void replay_map_remove(struct replay_map *map, uint64_t high, uint64_t low); /* not there: nothing */

#endif
