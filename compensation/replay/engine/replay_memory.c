#include "compensation/replay/engine/replay_memory.h"

#include <stdlib.h>
#include <string.h>

struct replay_chunk { /* before what is given away */
    struct replay_chunk *next, *previous;
    size_t size;
    size_t unused; /* keeps the alignment */
};

struct replay_slot {
    uint64_t high, low;
    void *thing; /* NULL: free */
};

enum { SLOTS_AT_FIRST = 16 };

void *replay_allocate(struct replay_memory *memory, size_t size)
{
    struct replay_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    chunk->next = memory->chunks;
    if (chunk->next)
        chunk->next->previous = chunk;
    memory->chunks = chunk;
    memory->bytes += sizeof *chunk + size;
    if (memory->bytes > memory->bytes_max)
        memory->bytes_max = memory->bytes;
    return chunk + 1;
}

void replay_release(struct replay_memory *memory, void *block)
{
    if (!block)
        return;
    struct replay_chunk *chunk = (struct replay_chunk *)block - 1;
    if (chunk->previous)
        chunk->previous->next = chunk->next;
    else
        memory->chunks = chunk->next;
    if (chunk->next)
        chunk->next->previous = chunk->previous;
    memory->bytes -= sizeof *chunk + chunk->size;
    free(chunk);
}

void replay_release_all(struct replay_memory *memory)
{
    for (struct replay_chunk *chunk = memory->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    memory->chunks = NULL;
    memory->bytes = 0;
}

bool replay_grow(struct replay_memory *memory, void **things, uint32_t *room, uint32_t min, size_t size)
{
    uint32_t more = *room ? *room * 2 : min;
    void *grown = more > *room ? replay_allocate(memory, more * size) : NULL;
    if (!grown)
        return false;
    if (*things)
        memcpy(grown, *things, *room * size);
    replay_release(memory, *things);
    *things = grown;
    *room = more;
    return true;
}

/* --- the table: linear probing, without marks for what was removed -------------------------------------------------
 */

static uint32_t slot_of(const struct replay_map *map, uint64_t high, uint64_t low)
{
    uint64_t mixed = (low ^ (high * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;
    mixed ^= mixed >> 32;
    mixed *= 0xd6e8feb86659fd93u;
    return (uint32_t)(mixed >> 32) & (map->room - 1);
}

static uint32_t find(const struct replay_map *map, uint64_t high, uint64_t low)
{
    uint32_t at = slot_of(map, high, low);
    while (map->slots[at].thing && (map->slots[at].low != low || map->slots[at].high != high))
        at = (at + 1) & (map->room - 1);
    return at;
}

void *replay_map_get(const struct replay_map *map, uint64_t high, uint64_t low)
{
    return map->room ? map->slots[find(map, high, low)].thing : NULL;
}

bool replay_map_put(struct replay_memory *memory, struct replay_map *map, uint64_t high, uint64_t low, void *thing)
{
    if (map->count >= map->room / 2) {
        struct replay_map grown = {.room = map->room ? map->room * 2 : SLOTS_AT_FIRST, .count = map->count};
        grown.slots = grown.room ? replay_allocate(memory, grown.room * sizeof *grown.slots) : NULL;
        if (!grown.slots)
            return false;
        for (uint32_t i = 0; i < map->room; i++)
            if (map->slots[i].thing)
                grown.slots[find(&grown, map->slots[i].high, map->slots[i].low)] = map->slots[i];
        replay_release(memory, map->slots);
        *map = grown;
    }
    map->slots[find(map, high, low)] = (struct replay_slot){high, low, thing};
    map->count++;
    return true;
}

void replay_map_remove(struct replay_map *map, uint64_t high, uint64_t low)
{
    if (!map->room)
        return;
    uint32_t mask = map->room - 1, hole = find(map, high, low);
    if (!map->slots[hole].thing)
        return;
    /* What was pushed behind the hole by others moves up into it. */
    for (uint32_t at = (hole + 1) & mask; map->slots[at].thing; at = (at + 1) & mask) {
        uint32_t home = slot_of(map, map->slots[at].high, map->slots[at].low);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        map->slots[hole] = map->slots[at];
        hole = at;
    }
    map->slots[hole].thing = NULL;
    map->count--;
}
