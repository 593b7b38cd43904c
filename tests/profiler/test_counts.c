/* Blocks of counters: growth keeps sums, blocks of threads that ended serve others, and a fork parts what is counted.
 */
#include "profiler/base/counts.h"

#include "profiler/base/private_memory.h"
#include "profiler/base/store.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 504u /* counters of a page */

static unsigned chunks;
static bool no_room;
static void (*while_growing)(void);

struct pcomp_chunk *store_chunk(uint32_t kind, uint64_t size, uint32_t owner, uint32_t record_size)
{
    uint64_t whole = (size + 4095) / 4096 * 4096;
    if (while_growing)
        while_growing();
    struct pcomp_chunk *c = no_room ? NULL : aligned_alloc(4096, whole);
    if (!c)
        return NULL;
    memset(c, 0, whole);
    c->kind = kind;
    c->size = whole;
    c->owner = owner;
    c->record_size = record_size;
    chunks++;
    return c;
}

void *private_memory(uint64_t size)
{
    return calloc(1, size);
}

static uint64_t sum_of(uint32_t function)
{
    static uint64_t sums[COUNTS_MAX];
    memset(sums, 0, sizeof(sums));
    counts_sum(sums, function + 1);
    return sums[function];
}

static void add(uint32_t function, int times)
{
    for (int i = 0; i < times; i++)
        cr_assert(counts_add(function));
}

Test(counts, growth_keeps_the_sums)
{
    counts_start();
    counts_begin_thread();
    counts_begin_thread(); /* has one */
    cr_assert_eq(chunks, 1);
    add(3, 10);
    uint64_t *before = counts_thread;
    cr_assert(counts_make_room(FIRST_ROOM));
    cr_assert_eq(counts_thread, before, "there is room");
    cr_assert_not(counts_add(FIRST_ROOM));
    for (uint32_t room = FIRST_ROOM; room < COUNTS_MAX / 2; room = 2 * room + 8) {
        cr_assert(counts_make_room(room + 1));
        cr_assert_neq(counts_thread, before);
        before[3]++; /* a slot that was under way */
        before = counts_thread;
        add(3, 1);
        add(room, 5);
        cr_assert_eq(sum_of(room), 5);
    }
    cr_assert(counts_make_room(COUNTS_MAX));
    cr_assert(counts_add(COUNTS_MAX - 1));
    cr_assert_not(counts_add(COUNTS_MAX));
    cr_assert_not(counts_make_room(COUNTS_MAX + 1));
    cr_assert_eq(sum_of(3), 10 + 2 * (chunks - 2) + 0);
}

/* Of the thread that counts while the other one grows. */
static struct {
    pthread_barrier_t turns;
    bool counted;
} beside;

static void *count_beside(void *unused)
{
    counts_begin_thread();
    pthread_barrier_wait(&beside.turns);
    pthread_barrier_wait(&beside.turns);
    beside.counted = counts_add(FIRST_ROOM + 3);
    pthread_barrier_wait(&beside.turns);
    return unused;
}

static void take_turns(void)
{
    while_growing = NULL;
    pthread_barrier_wait(&beside.turns);
    pthread_barrier_wait(&beside.turns);
}

Test(counts, no_thread_counts_beyond_its_block_while_it_grows)
{
    pthread_t t;
    pthread_barrier_init(&beside.turns, NULL, 2);
    counts_start();
    cr_assert_eq(pthread_create(&t, NULL, count_beside, NULL), 0);
    pthread_barrier_wait(&beside.turns);
    while_growing = take_turns;
    cr_assert(counts_make_room(FIRST_ROOM + 4));
    pthread_join(t, NULL);
    cr_assert_eq(sum_of(FIRST_ROOM + 3), beside.counted);
}

Test(counts, without_memory_nothing_grows)
{
    counts_start();
    counts_begin_thread();
    no_room = true;
    cr_assert_not(counts_make_room(FIRST_ROOM + 1));
    cr_assert_not(counts_add(FIRST_ROOM));
    add(FIRST_ROOM - 1, 7);
    no_room = false;
    cr_assert(counts_make_room(FIRST_ROOM + 1));
    add(FIRST_ROOM, 7);
    cr_assert_eq(sum_of(FIRST_ROOM), 7);
    cr_assert_eq(sum_of(FIRST_ROOM - 1), 7);
}

static void *count_and_end(void *unused)
{
    counts_begin_thread();
    add(5, 100);
    return unused;
}

static void *count_in_common(void *unused)
{
    add(6, 100);
    return unused;
}

Test(counts, blocks_serve_the_next_thread)
{
    counts_start();
    counts_begin_thread();
    for (int i = 0; i < 1000; i++) {
        pthread_t t;
        cr_assert_eq(pthread_create(&t, NULL, i % 2 ? count_and_end : count_in_common, NULL), 0);
        pthread_join(t, NULL);
    }
    cr_assert_eq(sum_of(5), 500 * 100);
    cr_assert_eq(sum_of(6), 500 * 100);
    cr_assert_leq(chunks, 3, "one's own, a thread's, that of all that ended");
    counts_publish();
    counts_publish();
    cr_assert_leq(chunks, 4, "and that of threads without one");
    cr_assert_eq(sum_of(6), 500 * 100);
}

Test(counts, a_fork_parts_what_is_counted)
{
    counts_start();
    counts_begin_thread();
    add(7, 10);
    uint64_t *own = counts_thread;
    counts_before_fork();
    cr_assert_neq(counts_thread, own);
    add(7, 5); /* handlers of the program's own */
    cr_assert_eq(own[7], 10);
    cr_assert(counts_make_room(2 * FIRST_ROOM));
    add(7, 5); /* in the same memory, whatever another thread needed */
    add(2 * FIRST_ROOM - 1, 5);
    cr_assert_eq(sum_of(7), 10);
    counts_after_fork();
    cr_assert_eq(sum_of(7), 20);
    cr_assert_eq(sum_of(2 * FIRST_ROOM - 1), 5);
    add(7, 1);
    cr_assert_eq(sum_of(7), 21);
    counts_before_fork();
    add(7, 5);
    counts_in_child();
    cr_assert_not(counts_on);
    counts_start();
    counts_begin_thread();
    add(7, 2);
    cr_assert_eq(sum_of(7), 2, "the rest is the parent's");
}

Test(counts, nothing_begins_behind_the_end)
{
    counts_start();
    counts_close();
    unsigned before = chunks;
    counts_begin_thread();
    cr_assert_not(counts_make_room(COUNTS_MAX));
    cr_assert(counts_add(9), "common");
    cr_assert_eq(chunks, before);
}
