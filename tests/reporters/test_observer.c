/* What the calls of a running program cost: a call that is timed and counted is paid once, as a timed one. */
#include "reporters/consult/observer.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIXED   1024 /* of a tick, which is 1 ns */
#define TIMED   25   /* ns */
#define COUNTED 2

static struct profile_writer w;
static char dir[] = "/tmp/pcomp-observer-XXXXXX";
static char path[64];
static uint32_t function;
static uint64_t node;
static size_t counters;

static void save(uint64_t timed, uint64_t counted)
{
    struct pcomp_node *record = profile_writer_at(&w, node);
    uint64_t *counter =
        (uint64_t *)(void *)(w.data + counters + profile_writer_header(&w)->chunk_header_size) + function;
    record->calls = timed;
    *counter = counted;
    cr_assert(profile_writer_save(&w, path));
}

static void write_live(void)
{
    uint64_t none[16] = {0};
    profile_writer_init(&w, PCOMP_FLAG_COUNTS, 0);
    uint32_t module = profile_writer_module(&w, "/bin/prog", 0x400000, 0x10000);
    function = profile_writer_function(&w, module, 0x401000, NULL);
    uint32_t thread = profile_writer_thread(&w, 4242, "main", PCOMP_THREAD_MAIN);
    node = profile_writer_node(&w, thread, w.root[0], function, (struct writer_counts){.calls = 1});
    counters = profile_writer_counters(&w, PCOMP_COUNTS_THREAD, none, 16);
    profile_writer_finish(&w);
    struct pcomp_header *h = profile_writer_header(&w);
    h->state = PCOMP_STATE_LIVE;
    h->end_tick = 0;
    h->pid = getpid(); /* one with threads */
    h->capacity = w.size;
    h->count_cost = COUNTED * FIXED;
    h->delta_start[PCOMP_VARIANT_REPEAT].descendant = TIMED * FIXED;
    strcpy(dir, "/tmp/pcomp-observer-XXXXXX");
    cr_assert_not_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/1-0.pcomp", dir);
}

static void drop(void)
{
    unlink(path);
    rmdir(dir);
    profile_writer_free(&w);
}

TestSuite(observer, .init = write_live, .fini = drop);

static void expect_cost(struct observer *observer, uint64_t timed, uint64_t counted)
{
    struct observed_cost cost;
    observer_cost(observer, &cost, false);
    cr_expect_eq(cost.calls, timed + counted, "%llu calls", (unsigned long long)cost.calls);
    cr_expect_float_eq(cost.hooks_s, ((double)timed * TIMED + (double)counted * COUNTED) * 1e-9, 1e-12, "%g s",
                       cost.hooks_s);
}

Test(observer, calls_that_are_timed_are_not_paid_as_counted_ones_too)
{
    struct observer observer;
    save(100, 100);
    cr_assert(observer_open(&observer, dir));
    observer_sample(&observer, 0, 0);
    cr_assert_eq(observer.process_count, 1);
    expect_cost(&observer, 100, 0);
    save(150, 1150); /* it fell to counted meanwhile */
    expect_cost(&observer, 50, 1000);
    observer_close(&observer);
}

Test(observer, a_call_that_is_timed_before_it_is_seen_counted_is_paid_once)
{
    struct observer observer;
    save(103, 100);
    cr_assert(observer_open(&observer, dir));
    observer_sample(&observer, 0, 0);
    expect_cost(&observer, 103, 0);
    save(103, 110); /* 3 of these are known */
    expect_cost(&observer, 0, 7);
    observer_close(&observer);
}
