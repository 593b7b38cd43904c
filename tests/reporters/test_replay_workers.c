/* The threads of a replay: whatever their number, each location's blocks are read and finished in order, by one at a
 * time. A plain program, for ThreadSanitizer. */
#include "reporters/replay/drive/replay_workers.h"
#include "tests/compensation/prng.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LOCATIONS = 100, BLOCKS_MAX = 40 };

struct location {
    unsigned blocks, read, finished; /* not atomic: by one at a time */
    atomic_bool reading, finishing;
};

struct trial {
    struct location locations[LOCATIONS];
    atomic_bool broken;
};

static void check(struct trial *trial, bool good)
{
    if (!good)
        atomic_store(&trial->broken, true);
}

/* The records of a block are its number in its location. */
static void read_block(void *context, struct replay_block *block, size_t room)
{
    struct trial *trial = context;
    struct location *location = &trial->locations[block->location];
    check(trial, room >= sizeof location->read && block->size == 0 && !atomic_exchange(&location->reading, true));
    if (location->read < location->blocks) {
        block->first_event = location->read++;
        block->size = sizeof(struct pcomp_event);
    }
    atomic_store(&location->reading, false);
}

static void finish_block(void *context, struct replay_block *block)
{
    struct trial *trial = context;
    struct location *location = &trial->locations[block->location];
    check(trial, !atomic_exchange(&location->finishing, true) && block->first_event == location->finished);
    location->finished++;
    atomic_store(&location->finishing, false);
}

/* Takes blocks of random locations until there are none, or, left early, only some of them. */
static bool holds(uint64_t seed, unsigned threads, bool early)
{
    static struct trial trial;
    uint64_t random = seed;
    unsigned taken[LOCATIONS] = {0};
    uint32_t count = 1 + (uint32_t)prng_below(&random, LOCATIONS), left = count;
    struct replay_tasks tasks = {&trial, read_block, finish_block};
    struct replay_workers *workers = replay_workers_begin(&tasks, count, count, threads);
    bool ended[LOCATIONS] = {false};
    trial = (struct trial){0};
    for (uint32_t i = 0; i < count; i++)
        trial.locations[i].blocks = (unsigned)prng_below(&random, BLOCKS_MAX);
    for (unsigned steps = early ? 200 : UINT32_MAX; left && steps; steps--) {
        uint32_t i = (uint32_t)prng_below(&random, count);
        struct replay_block *block = ended[i] ? NULL : replay_workers_next(workers, i);
        if (!block)
            continue;
        check(&trial, block->location == i && (!block->size || block->first_event == taken[i]));
        if (block->size) {
            taken[i]++;
            replay_workers_put(workers, block);
        } else {
            ended[i] = true;
            left--;
            replay_workers_drop(workers, block);
        }
    }
    replay_workers_end(workers);
    for (uint32_t i = 0; i < count; i++)
        check(&trial, trial.locations[i].finished == taken[i] && (early || taken[i] == trial.locations[i].blocks));
    return !atomic_load(&trial.broken);
}

/* --- What is read ahead ------------------------------------------------------------------------------------------- */

enum { AHEAD = 64 };

static _Thread_local bool is_caller;
static atomic_uint stays, may_go; /* the other thread, in its first read */
static uint32_t ahead[2 * LOCATIONS];
static atomic_uint ahead_count;

enum { PATIENCE = 20000 }; /* ms */

static bool comes_to(atomic_uint *what, unsigned value)
{
    for (int i = 0; atomic_load(what) < value && i < PATIENCE; i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return atomic_load(what) >= value;
}

static void read_ahead(void *context, struct replay_block *block, size_t room)
{
    if (!is_caller) {
        atomic_store(&stays, 1);
        comes_to(&may_go, 1);
        ahead[atomic_load(&ahead_count)] = block->location;
    }
    read_block(context, block, room);
    if (!is_caller)
        atomic_fetch_add(&ahead_count, 1);
}

/* The caller takes the next block of each, while the other thread stays where it is. */
static void take(struct replay_workers *workers, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        replay_workers_put(workers, replay_workers_next(workers, i));
}

/* Locations are read ahead in the order in which they were asked for last. */
static bool reads_what_was_asked_for_longest_ago(void)
{
    static struct trial trial;
    struct replay_tasks tasks = {&trial, read_ahead, finish_block};
    struct replay_workers *workers = replay_workers_begin(&tasks, LOCATIONS, LOCATIONS, 2);
    is_caller = true;
    for (uint32_t i = 0; i < LOCATIONS; i++)
        trial.locations[i].blocks = BLOCKS_MAX;
    replay_workers_expect(workers, 0);
    bool good = comes_to(&stays, 1);
    take(workers, 1, LOCATIONS);
    take(workers, 1, LOCATIONS / 2);
    atomic_store(&may_go, 1);
    good &= comes_to(&ahead_count, AHEAD);
    replay_workers_end(workers);
    good &= atomic_load(&ahead_count) == AHEAD && ahead[0] == 0;
    for (uint32_t i = 1; i < AHEAD; i++)
        good &= ahead[i] == (i <= LOCATIONS / 2 ? LOCATIONS / 2 + i - 1 : i - LOCATIONS / 2);
    return good && !atomic_load(&trial.broken);
}

int main(void)
{
    if (!reads_what_was_asked_for_longest_ago()) {
        fprintf(stderr, "read ahead in another order than that in which it will be asked for\n");
        return 1;
    }

    static const unsigned threads[] = {1, 2, 3, 8};
    for (uint64_t seed = 1; seed <= 30; seed++)
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++)
            for (int early = 0; early < 2; early++)
                if (!holds(seed, threads[k], early)) {
                    fprintf(stderr, "seed %llu, %u threads%s: a block out of order, twice or never\n",
                            (unsigned long long)seed, threads[k], early ? ", left early" : "");
                    return 1;
                }
    return 0;
}
