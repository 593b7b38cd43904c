/* The table and the memory of a replay, against a plain array. */
#include "compensation/replay/engine/replay_memory.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>

enum { KEYS = 512 };

/* Keys of few values in both words, so that many meet in one place, put and removed at random. */
Test(replay_memory, a_table_holds_what_was_put_and_not_removed)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct replay_memory memory = {0};
        struct replay_map map = {0};
        uint64_t random = seed;
        bool there[KEYS] = {false};
        uint32_t count = 0;

        for (int step = 0; step < 5000; step++) {
            uint32_t key = (uint32_t)prng_below(&random, KEYS);
            if (there[key]) {
                replay_map_remove(&map, key & 7, key);
                count--;
            } else {
                cr_assert(replay_map_put(&memory, &map, key & 7, key, &there[key]));
                count++;
            }
            there[key] = !there[key];
            cr_assert_eq(map.count, count, "seed %llu", (unsigned long long)seed);
            for (uint32_t k = 0; k < KEYS && step % 100 == 0; k++)
                cr_assert_eq(replay_map_get(&map, k & 7, k), there[k] ? &there[k] : NULL, "seed %llu, key %u",
                             (unsigned long long)seed, k);
        }
        cr_expect_null(replay_map_get(&map, 9, 9));
        replay_map_remove(&map, 9, 9);
        replay_release_all(&memory);
        cr_expect_eq(memory.bytes, 0);
    }
}

Test(replay_memory, what_grows_keeps_its_things_and_is_counted)
{
    struct replay_memory memory = {0};
    void *things = NULL;
    uint32_t room = 0;

    for (uint32_t i = 0; i < 1000; i++) {
        if (i == room)
            cr_assert(replay_grow(&memory, &things, &room, 3, sizeof(uint32_t)));
        cr_expect_eq(((uint32_t *)things)[i], 0);
        ((uint32_t *)things)[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        cr_expect_eq(((uint32_t *)things)[i], i);
    cr_expect_geq(memory.bytes, 4000);
    cr_expect_gt(memory.bytes_max, memory.bytes, "old and new lie side by side while growing");
    replay_release(&memory, things);
    cr_expect_eq(memory.bytes, 0);
    room = UINT32_MAX / 2 + 1;
    cr_expect_not(replay_grow(&memory, &things, &room, 3, sizeof(uint32_t)), "there are no such numbers");
}
