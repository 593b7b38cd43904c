/* Windows of a program of two threads, of which one switches the sites while the other one goes on: what is counted
 * while they are switched is in no window. */
#include "profiler/control/windows.h"

#include "profiler/base/counts.h"
#include "profiler/base/store.h"
#include "profiler/code/functions.h"
#include "profiler/code/sites/site_levels.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define SAMPLED PCOMP_FUNCTION_FIRST
#define OTHER   (PCOMP_FUNCTION_FIRST + 1) /* counted all along */
#define COUNT   (PCOMP_FUNCTION_FIRST + 2)
#define RATE    2e6    /* calls of each function a second */
#define POLL    0.0003 /* seconds */
#define SWITCH  0.0004 /* seconds that turning the sites takes */

struct pcomp_header *store_header;
static enum site_level level; /* as it was asked for */

static struct {
    double seconds, overhead, calls; /* calls that the sampled function made */
    double counted, other;           /* what the counters say */
    double price;                    /* seconds that a call takes longer which the sampled function's counter sees */
    bool operates;                   /* operations are what it does besides the sampled function's calls */
    uint64_t counters[COUNT];
} world;

struct pcomp_chunk *store_chunk(uint32_t kind, uint64_t size, uint32_t owner, uint32_t record_size)
{
    (void)kind;
    (void)owner;
    (void)record_size;
    return calloc(1, size);
}

void function_mark(uint32_t id, uint32_t flags)
{
    (void)id;
    (void)flags;
}

void sites_set_level(uint32_t function, enum site_level wanted)
{
    cr_assert_eq(function, SAMPLED);
    level = wanted;
}

static void go_on(double seconds, bool counts)
{
    double own = counts ? seconds / (1 + RATE * world.price) : seconds;
    world.seconds += seconds;
    world.calls += RATE * own;
    world.other += RATE * own;
    world.counted += counts ? RATE * own : 0;
}

static const struct progress *now(void)
{
    static struct progress p;
    world.counters[SAMPLED] = (uint64_t)world.counted;
    world.counters[OTHER] = world.operates ? 0 : (uint64_t)world.other;
    double counting = world.price * world.counted, same = 0.6 * counting;
    p = (struct progress){.seconds = world.seconds,
                          .overhead = world.overhead + counting,
                          .taken = {.all = world.overhead + same, .besides = world.overhead, .counted = world.counted},
                          .expected = {1, 0.1},
                          .calls = world.counters,
                          .count = COUNT,
                          .operations = world.operates ? (uint64_t)world.other : 0};
    return &p;
}

/* Both threads run for so long; sites that are turned on are on from the beginning, and those turned off until the end,
 * of the time that one of them takes for that. */
static void run(double seconds)
{
    for (double end = world.seconds + seconds; world.seconds < end;) {
        go_on(POLL, level == SITE_COUNTED);
        bool turned = windows_poll(now());
        cr_assert_eq(windows_leave_out(), level == SITE_OFF);
        if (!turned)
            continue;
        go_on(SWITCH, true);
        world.seconds += SWITCH;
        world.overhead += SWITCH;
        windows_switched(now(), SWITCH);
    }
}

static void begin(void)
{
    static struct pcomp_header header;
    store_header = &header;
    level = SITE_COUNTED;
    cr_assert(windows_start(0.02));
    run(0.05);
    cr_assert_not(windows_leave_out(), "no function is sampled");
    cr_assert(windows_sample(SAMPLED, now(), RATE));
    level = SITE_OFF;
}

TestSuite(windows, .init = begin);

Test(windows, see_nothing_of_what_is_counted_while_sites_are_turned)
{
    run(3);
    windows_end(now());
    cr_assert_geq(store_header->windows, 20);
    cr_assert_float_eq((double)windows_calls(SAMPLED, now()), world.calls, 0.001 * world.calls);
}

/* What else measuring takes, in windows and between them, is no part of it. */
static void assert_price_is_told(void)
{
    world.price = 2e-7;
    for (int i = 0; i < 400; i++) {
        run(0.01);
        world.seconds += 0.0003;
        world.overhead += 0.0003;
    }
    cr_assert_geq(store_header->windows, 20);
    cr_assert(windows_price().known);
    cr_assert_float_eq(windows_price().price, world.price, 0.05 * world.price, "%g", windows_price().price);
}

Test(windows, tell_what_a_counted_call_costs)
{
    assert_price_is_told();
}

Test(windows, tell_it_by_operations_where_every_function_is_sampled)
{
    world.operates = true;
    assert_price_is_told();
}

Test(windows, that_have_just_begun_count_for_nothing_when_levels_change)
{
    for (int i = 0; i < 5; i++) {
        while (level == SITE_COUNTED)
            run(POLL);
        while (level != SITE_COUNTED)
            run(POLL);
        go_on(1e-6, true);
        world.counted += 1000; /* of a thread whose counters lagged */
        windows_before_change(now(), false);
        cr_assert_eq(level, SITE_OFF);
        run(0.2);
    }
    windows_end(now());
    cr_assert_float_eq((double)windows_calls(SAMPLED, now()), world.calls, 0.001 * world.calls);
}
