/* Records of buckets in the profile: every activation is in one, whatever comes. */
#include "profiler/base/config.h"
#include "profiler/record/spreads.h"
#include "profiler/stack/path_extras.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MAP      (4u << 20)
#define TICKS(n) ((int64_t)(n) * (1 << PCOMP_FIX_SHIFT))

struct config config;

/* A mapping with a header, one node, and room that is handed out in chunks. */
static struct {
    char *base;
    struct thread_state hot;
    struct pcomp_node *node;
    uint64_t used;
    int chunks; /* that there is memory for */
} world;

static struct pcomp_chunk *new_chunk(uint64_t size)
{
    struct pcomp_chunk *c = (struct pcomp_chunk *)(world.base + world.used);
    world.used += size;
    c->capacity = (uint32_t)((size - sizeof *c) / SPREAD_UNIT);
    c->size = size;
    return c;
}

void spread_make_room(struct thread_state *h)
{
    if (world.chunks-- > 0) {
        h->spreads = new_chunk(4096);
        return;
    }
    struct pcomp_chunk *c = new_chunk(4096);
    struct pcomp_spread *s = (struct pcomp_spread *)(c + 1);
    s->n = PCOMP_BUCKETS + 12;
    h->spread_rest = (uint32_t)(((char *)s - world.base) / SPREAD_UNIT);
}

static void begin(int chunks)
{
    world.base = aligned_alloc(4096, MAP);
    memset(world.base, 0, MAP);
    memset(&world.hot, 0, sizeof world.hot);
    world.used = 4096;
    world.chunks = chunks;
    struct pcomp_chunk *nodes = new_chunk(4096);
    nodes->capacity = 1;
    world.node = (struct pcomp_node *)(nodes + 1);
    *world.node = (struct pcomp_node){.spread = PCOMP_SPREAD_NONE, .min = INT64_MAX, .top = INT64_MIN};
    world.hot.base = (uint64_t)(uintptr_t)world.base;
    world.hot.extra_size = sizeof(struct pcomp_node_extra);
    world.hot.nodes = nodes;
}

static void put(int64_t time, uint64_t start)
{
    world.node->calls++;
    world.node->min = time < world.node->min ? time : world.node->min;
    spread_add(&world.hot, world.node, start, time);
}

/* What all records say of a bucket; of all buckets with UINT32_MAX. `of_node`: of the node, else of none. */
static uint64_t counted(uint32_t bucket, bool of_node)
{
    uint64_t sum = 0;
    for (uint64_t at = 8192; at < world.used; at += ((struct pcomp_chunk *)(world.base + at))->size) {
        const struct pcomp_chunk *c = (struct pcomp_chunk *)(world.base + at);
        uint32_t units = c->count ? c->count : SPREAD_UNITS_MAX;
        for (uint32_t unit = 0; unit < units;) {
            const struct pcomp_spread *s = (const void *)((const char *)(c + 1) + (uint64_t)unit * SPREAD_UNIT);
            cr_assert(s->n && (sizeof *s + 4ull * s->n) % SPREAD_UNIT == 0);
            for (uint32_t i = 0; s->first != PCOMP_SPREAD_LONGEST && (s->node != 0) == of_node && i < s->n; i++)
                if (bucket == UINT32_MAX || s->first + i == bucket)
                    sum += s->counts[i];
            unit += (uint32_t)((sizeof *s + 4ull * s->n) / SPREAD_UNIT);
        }
    }
    return sum;
}

static const struct pcomp_longest *longest(void)
{
    const struct pcomp_spread *s = spread_of(&world.hot, world.node);
    return (const struct pcomp_longest *)(world.base + (uint64_t)s->longest * SPREAD_UNIT);
}

Test(spreads, one_activation_takes_no_memory)
{
    begin(1);
    put(TICKS(100), 77);
    cr_assert_eq(world.node->spread, PCOMP_SPREAD_NONE);
    cr_assert_eq(world.node->top, TICKS(100));
    cr_assert_eq(path_extra(&world.hot, world.node)->first_start, 77);
    cr_assert_null(world.hot.spreads);
}

Test(spreads, the_second_brings_the_first)
{
    begin(1);
    put(TICKS(1000000), 77);
    put(TICKS(100), 78);
    cr_assert_eq(counted(pcomp_bucket(TICKS(1000000)), true), 1);
    cr_assert_eq(counted(pcomp_bucket(TICKS(100)), true), 1);
    cr_assert_eq(longest()->each[0].time, TICKS(1000000));
    cr_assert_eq(longest()->each[0].start, 77);
}

Test(spreads, all_activations_are_counted_once)
{
    uint64_t seen[PCOMP_BUCKETS] = {0}, seed = 3;
    begin(500);
    for (int i = 0; i < 200000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t time = (int64_t)(seed >> 1 >> (seed >> 58)) - (i % 7 ? 0 : TICKS(100));
        put(time, (uint64_t)i + 1);
        seen[pcomp_bucket(time)]++;
    }
    for (uint32_t b = PCOMP_BUCKET_FIRST; b < PCOMP_BUCKETS; b++)
        cr_assert_eq(counted(b, true), seen[b], "bucket %u", b);
    cr_assert_eq(counted(UINT32_MAX, true), 200000);
    cr_assert_eq(spread_of(&world.hot, world.node)->node, ((char *)world.node - world.base) / SPREAD_UNIT);
}

Test(spreads, the_greatest_is_always_among_the_longest)
{
    uint64_t seed = 4;
    int64_t greatest = INT64_MIN;
    begin(500);
    for (int i = 0; i < 10000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t time = (int64_t)(seed >> 24), found = INT64_MIN;
        greatest = time > greatest ? time : greatest;
        put(time, (uint64_t)i + 1);
        for (int k = 0; i && k < PCOMP_LONGEST; k++)
            found = longest()->each[k].start && longest()->each[k].time > found ? longest()->each[k].time : found;
        cr_assert(!i || found == greatest);
    }
}

Test(spreads, a_counter_that_is_full_goes_on_in_another_record)
{
    begin(4);
    for (int i = 0; i < 10; i++)
        put(TICKS(100), 1);
    struct pcomp_spread *s = spread_of(&world.hot, world.node);
    uint32_t bucket = pcomp_bucket(TICKS(100));
    s->counts[bucket - s->first] = UINT32_MAX - 1;
    for (int i = 0; i < 5; i++)
        put(TICKS(100), 1);
    cr_assert_neq(spread_of(&world.hot, world.node), s);
    cr_assert_eq(counted(bucket, true), (uint64_t)UINT32_MAX + 4);
}

Test(spreads, what_is_pending_at_the_end_is_counted_and_not_among_the_longest)
{
    begin(1);
    put(TICKS(1000), 77);
    put(TICKS(100), 78);
    cr_assert(spread_record(&world.hot, world.node, 0, TICKS(500), SPREAD_FLUSHED));
    cr_assert_eq(counted(pcomp_bucket(TICKS(500)), true), 1);
    cr_assert_eq(counted(UINT32_MAX, true), 3);
    for (int i = 0; i < PCOMP_LONGEST; i++)
        cr_assert(!longest()->each[i].start || longest()->each[i].time != TICKS(500));
}

#ifdef __x86_64__
#define TRAP_FLAG 0x100u

static volatile uint64_t handled;

static void count_in_between(int signal)
{
    (void)signal;
    spread_record(&world.hot, world.node, 1, TICKS(100), SPREAD_MISSED);
    handled = handled + 1;
}

static void step(bool on)
{
    uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}

/* As handlers, here one at each instruction, whose exits find the activation of what they interrupted pending. */
Test(spreads, a_handler_that_interrupts_a_count_is_counted_beside_it)
{
    begin(0);
    world.hot.spreads = new_chunk(MAP / 2);
    put(TICKS(100), 1);
    put(TICKS(100), 2);
    signal(SIGTRAP, count_in_between);
    step(true);
    for (int i = 0; i < 10; i++)
        spread_record(&world.hot, world.node, 1, TICKS(100 << i), SPREAD_MISSED);
    step(false);
    cr_assert_gt(handled, 100);
    cr_assert_eq(counted(UINT32_MAX, true), 2 + 10 + handled);
}
#endif

Test(spreads, without_memory_exits_stay_quick_and_max_is_kept)
{
    begin(0);
    put(TICKS(5), 1);
    put(TICKS(100), 2);
    uint32_t rest = world.node->spread;
    cr_assert_neq(rest, PCOMP_SPREAD_NONE);
    for (int i = 0; i < 100; i++)
        put(TICKS(1000) - i, 3);
    cr_assert_eq(world.node->spread, rest);
    cr_assert_eq(world.node->top, TICKS(1000));
    cr_assert_eq(counted(UINT32_MAX, true), 0);
    cr_assert_eq(counted(UINT32_MAX, false), 101);
}
