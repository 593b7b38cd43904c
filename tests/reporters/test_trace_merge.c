/* Events of random locations, read back as one sequence: all of them, each once, in order. */
#include "reporters/trace/trace_merge.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOCATIONS = 9, EVENTS = 3000 };

struct stream {
    uint64_t bytes[4 * EVENTS];
    size_t size, at;
};

static struct stream streams[LOCATIONS];
static unsigned blocks;

static int64_t read_stream(void *context, uint32_t location, void *buffer, size_t max, char *error, size_t error_size)
{
    struct stream *s = (struct stream *)context + location;
    size_t size = 0;
    (void)error;
    (void)error_size;
    while (s->at + size < s->size) {
        size_t next = pcomp_event_size((const struct pcomp_event *)((char *)s->bytes + s->at + size));
        if (size + next > max)
            break;
        size += next;
    }
    memcpy(buffer, (char *)s->bytes + s->at, size);
    s->at += size;
    blocks += size > 0;
    return (int64_t)size;
}

static void fill(uint64_t *random, uint32_t location, unsigned events)
{
    struct stream *s = &streams[location];
    uint64_t time = prng_below(random, 100);
    s->size = s->at = 0;
    for (unsigned i = 0; i < events; i++) {
        bool is_long = prng_below(random, 3) == 0;
        struct pcomp_event_long e = {time, (uint64_t)(is_long ? PCOMP_EVENT_ADVANCE : PCOMP_EVENT_ENTER) << 56 | i,
                                     location, i};
        memcpy((char *)s->bytes + s->size, &e, is_long ? 32 : 16);
        s->size += is_long ? 32 : 16;
        time += prng_below(random, 4);
    }
}

static void merge_all(uint64_t seed)
{
    uint64_t random = seed;
    unsigned counts[LOCATIONS], seen[LOCATIONS] = {0};
    uint32_t list[LOCATIONS], count = 1 + (uint32_t)prng_below(&random, LOCATIONS), which;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = i;
        counts[i] = (unsigned)prng_below(&random, EVENTS);
        fill(&random, i, counts[i]);
    }
    char error[100] = "";
    const struct pcomp_event_long *event;
    struct trace_feed feed = {streams, read_stream};
    struct trace_merge *merge = trace_merge_open(&feed, list, count, error, sizeof error);
    uint64_t last_time = 0;
    uint32_t last = 0;
    cr_assert(merge);
    while (trace_merge_next(merge, &which, &event) == TRACE_NEXT_EVENT) {
        cr_assert(event->time > last_time || (event->time == last_time && which >= last), "seed %llu: order",
                  (unsigned long long)seed);
        cr_assert_eq(event->what & PCOMP_EVENT_VALUE, seen[which], "seed %llu: lost or doubled",
                     (unsigned long long)seed);
        if (event->what >> 63)
            cr_assert(event->a == which && event->b == seen[which]);
        seen[which]++;
        last_time = event->time;
        last = which;
    }
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(seen[i], counts[i], "seed %llu: location %u", (unsigned long long)seed, i);
    trace_merge_close(merge);
}

Test(trace_merge, every_event_comes_once_and_in_order)
{
    for (uint64_t seed = 1; seed <= 200; seed++)
        merge_all(seed);
}

static int64_t read_failure(void *context, uint32_t location, void *buffer, size_t max, char *error, size_t error_size)
{
    unsigned *reads = context;
    if ((*reads)++ < 2)
        return read_stream(streams, location, buffer, max, error, error_size);
    snprintf(error, error_size, "torn");
    return -1;
}

Test(trace_merge, a_reader_that_fails_ends_it)
{
    uint64_t random = 1;
    char error[100] = "";
    unsigned reads = 0;
    uint32_t list[] = {0, 1}, which;
    const struct pcomp_event_long *event;
    fill(&random, 0, 10);
    fill(&random, 1, 10);
    struct trace_feed feed = {&reads, read_failure};
    struct trace_merge *merge = trace_merge_open(&feed, list, 2, error, sizeof error);
    enum trace_next next;
    while ((next = trace_merge_next(merge, &which, &event)) == TRACE_NEXT_EVENT)
        ;
    cr_assert_eq(next, TRACE_NEXT_FAILED);
    cr_assert_str_eq(error, "torn");
    trace_merge_close(merge);
    reads = 2;
    cr_assert_null(trace_merge_open(&feed, list, 2, error, sizeof error));
}
