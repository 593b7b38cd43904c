/* Who waited for whom: small executions whose links are known, and random events, of which none may be made up. */
#include "reporters/trace/files/trace_links.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>

enum { LOCATIONS = 4, LINKS = 10000 };

static struct trace_link links[LINKS];
static unsigned link_count;

static void note(void *context, const struct trace_link *link)
{
    (void)context;
    cr_assert(link_count < LINKS);
    links[link_count++] = *link;
}

static struct trace_links *open_ranks(void)
{
    struct trace_link_location locations[LOCATIONS];
    for (uint32_t i = 0; i < LOCATIONS; i++)
        locations[i] = (struct trace_link_location){i, (int32_t)i};
    link_count = 0;
    return trace_links_open(locations, LOCATIONS, note, NULL);
}

static struct trace_links *open_threads(void)
{
    struct trace_link_location locations[LOCATIONS];
    for (uint32_t i = 0; i < LOCATIONS; i++)
        locations[i] = (struct trace_link_location){0, -1};
    link_count = 0;
    return trace_links_open(locations, LOCATIONS, note, NULL);
}

static void event(struct trace_links *l, uint64_t time, uint32_t location, uint32_t kind, uint64_t value, uint64_t a,
                  uint64_t b)
{
    struct pcomp_event_long e = {time, (uint64_t)kind << 56 | value, a, b};
    cr_assert(trace_links_follow(l, location, &e));
}

static void require_link(unsigned i, enum trace_link_kind kind, uint32_t from, uint64_t from_time, uint32_t to,
                         uint64_t to_time)
{
    cr_assert(i < link_count, "%u links, not %u", link_count, i + 1);
    cr_assert(links[i].kind == kind && links[i].from == from && links[i].to == to, "link %u: %s from %u to %u", i,
              trace_link_name(links[i].kind), links[i].from, links[i].to);
    cr_assert(links[i].from_time == from_time && links[i].to_time == to_time);
}

Test(trace_links, messages_of_one_channel_arrive_in_order)
{
    struct trace_links *l = open_ranks();
    event(l, 1, 0, PCOMP_EVENT_SEND_POST, 8, 1ull << 32 | 5, 0);
    event(l, 2, 0, PCOMP_EVENT_SEND_POST, 8, 1ull << 32 | 6, 0); /* another tag */
    event(l, 3, 0, PCOMP_EVENT_SEND_POST, 8, 1ull << 32 | 5, 0);
    event(l, 4, 1, PCOMP_EVENT_RECV_DONE, 8, 0ull << 32 | 5, 0);
    event(l, 5, 1, PCOMP_EVENT_RECV_DONE, 8, 0ull << 32 | 5, 0);
    event(l, 6, 1, PCOMP_EVENT_RECV_DONE, 8, 0ull << 32 | 5, 0); /* of nothing */
    event(l, 7, 1, PCOMP_EVENT_RECV_DONE, 8, 0ull << 32 | 6, 1); /* another communicator */
    event(l, 8, 1, PCOMP_EVENT_RECV_DONE, 8, 0ull << 32 | 6, 0);
    require_link(0, TRACE_LINK_MESSAGE, 0, 1, 1, 4);
    require_link(1, TRACE_LINK_MESSAGE, 0, 3, 1, 5);
    require_link(2, TRACE_LINK_MESSAGE, 0, 2, 1, 8);
    cr_assert_eq(link_count, 3);
    trace_links_close(l);
}

Test(trace_links, a_receive_may_come_first)
{
    struct trace_links *l = open_ranks(); /* clocks that are not quite one */
    event(l, 1, 1, PCOMP_EVENT_RECV_DONE, 8, 0, 0);
    event(l, 2, 0, PCOMP_EVENT_SEND_POST, 8, 1ull << 32, 0);
    require_link(0, TRACE_LINK_MESSAGE, 0, 2, 1, 1);
    trace_links_close(l);
}

Test(trace_links, the_last_to_enter_a_barrier_lets_the_others_go)
{
    struct trace_links *l = open_threads();
    for (uint64_t round = 0; round < 3; round++) {
        uint64_t t = 100 * round;
        for (uint32_t i = 0; i < LOCATIONS; i++)
            event(l, t + i, (i + 1) % LOCATIONS, PCOMP_EVENT_BARRIER_ENTER, 64, 0, 0);
        event(l, t + 10, 1, PCOMP_EVENT_BARRIER_EXIT, 64, 0, 0);
        event(l, t + 11, 2, PCOMP_EVENT_BARRIER_EXIT, 64, 0, 0);
        event(l, t + 12, 0, PCOMP_EVENT_BARRIER_EXIT, 64, 0, 0); /* itself the last */
        event(l, t + 13, 3, PCOMP_EVENT_BARRIER_EXIT, 64, 0, 0);
        require_link(3 * (unsigned)round, TRACE_LINK_BARRIER, 0, t + 3, 1, t + 10);
        require_link(3 * (unsigned)round + 1, TRACE_LINK_BARRIER, 0, t + 3, 2, t + 11);
        require_link(3 * (unsigned)round + 2, TRACE_LINK_BARRIER, 0, t + 3, 3, t + 13);
    }
    cr_assert_eq(link_count, 9);
    trace_links_close(l);
}

Test(trace_links, a_fast_thread_may_be_in_the_next_barrier_already)
{
    struct trace_links *l = open_threads();
    event(l, 1, 0, PCOMP_EVENT_BARRIER_ENTER, 64, 2, 0);
    event(l, 2, 1, PCOMP_EVENT_BARRIER_ENTER, 64, 2, 0);
    event(l, 3, 1, PCOMP_EVENT_BARRIER_EXIT, 64, 0, 0);
    event(l, 4, 1, PCOMP_EVENT_BARRIER_ENTER, 64, 2, 0);
    event(l, 5, 0, PCOMP_EVENT_BARRIER_EXIT, 64, 0, 0); /* of the first */
    event(l, 6, 0, PCOMP_EVENT_BARRIER_ENTER, 64, 2, 0);
    event(l, 7, 1, PCOMP_EVENT_BARRIER_EXIT, 64, 0, 0);
    require_link(0, TRACE_LINK_BARRIER, 1, 2, 0, 5);
    require_link(1, TRACE_LINK_BARRIER, 0, 6, 1, 7);
    trace_links_close(l);
}

Test(trace_links, barriers_of_two_processes_are_two)
{
    struct trace_links *l = open_ranks();
    event(l, 1, 0, PCOMP_EVENT_BARRIER_ENTER, 64, 1, 0);
    event(l, 2, 1, PCOMP_EVENT_BARRIER_ENTER, 64, 1, 0);
    event(l, 3, 0, PCOMP_EVENT_BARRIER_EXIT, 64, 0, 0);
    cr_assert_eq(link_count, 0);
    event(l, 11, 0, PCOMP_EVENT_BARRIER_ENTER, 64 | PCOMP_EVENT_SHARED, 1, 0);
    event(l, 12, 2, PCOMP_EVENT_BARRIER_ENTER, 64 | PCOMP_EVENT_SHARED, 1, 0);
    event(l, 13, 0, PCOMP_EVENT_BARRIER_EXIT, 64 | PCOMP_EVENT_SHARED, 0, 0);
    require_link(0, TRACE_LINK_BARRIER, 2, 12, 0, 13);
    trace_links_close(l);
}

static void collective(struct trace_links *l, uint64_t time, uint32_t rank, bool enters, uint64_t root, uint64_t kind)
{
    event(l, time, rank, enters ? PCOMP_EVENT_COLLECTIVE_ENTER : PCOMP_EVENT_COLLECTIVE_EXIT, 8, 1ull << 32 | root,
          (uint64_t)LOCATIONS << 16 | kind);
}

Test(trace_links, a_broadcast_comes_from_its_root_which_waits_for_nobody)
{
    struct trace_links *l = open_ranks();
    collective(l, 1, 2, true, 2, PCOMP_COLLECTIVE_1_TO_N);
    collective(l, 2, 2, false, 2, PCOMP_COLLECTIVE_1_TO_N);
    collective(l, 3, 2, true, 2, PCOMP_COLLECTIVE_1_TO_N); /* the next, before the others are in the first */
    collective(l, 4, 2, false, 2, PCOMP_COLLECTIVE_1_TO_N);
    collective(l, 5, 0, true, 2, PCOMP_COLLECTIVE_1_TO_N);
    collective(l, 6, 0, false, 2, PCOMP_COLLECTIVE_1_TO_N);
    collective(l, 7, 0, true, 2, PCOMP_COLLECTIVE_1_TO_N);
    collective(l, 8, 0, false, 2, PCOMP_COLLECTIVE_1_TO_N);
    require_link(0, TRACE_LINK_COLLECTIVE, 2, 1, 0, 6);
    require_link(1, TRACE_LINK_COLLECTIVE, 2, 3, 0, 8);
    cr_assert_eq(link_count, 2);
    trace_links_close(l);
}

Test(trace_links, a_reduction_waits_for_the_last_at_its_root_only)
{
    struct trace_links *l = open_ranks();
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        collective(l, 10 * i, i, true, 1, PCOMP_COLLECTIVE_N_TO_1);
        if (i != 1)
            collective(l, 10 * i + 1, i, false, 1, PCOMP_COLLECTIVE_N_TO_1);
    }
    cr_assert_eq(link_count, 0);
    collective(l, 40, 1, false, 1, PCOMP_COLLECTIVE_N_TO_1);
    require_link(0, TRACE_LINK_COLLECTIVE, 3, 30, 1, 40);
    trace_links_close(l);
}

Test(trace_links, threads_start_after_their_creation_and_are_joined_after_their_end)
{
    struct trace_links *l = open_threads();
    event(l, 1, 0, PCOMP_EVENT_CREATE, 7, 0, 0);
    event(l, 2, 1, PCOMP_EVENT_START, 7, 0, 0);
    event(l, 3, 0, PCOMP_EVENT_JOIN_BEGIN, 7, 0, 0);
    event(l, 4, 1, PCOMP_EVENT_END, 7, 0, 0);
    event(l, 5, 0, PCOMP_EVENT_JOIN_END, 7, 0, 0);
    require_link(0, TRACE_LINK_THREAD, 0, 1, 1, 2);
    require_link(1, TRACE_LINK_THREAD, 1, 4, 0, 5);
    trace_links_close(l);
}

/* Whatever comes: ends are events that came, and the memory is whole (address sanitizer). */
Test(trace_links, random_events_make_up_nothing)
{
    static const uint32_t kinds[] = {
        PCOMP_EVENT_BARRIER_ENTER, PCOMP_EVENT_BARRIER_EXIT, PCOMP_EVENT_COLLECTIVE_ENTER, PCOMP_EVENT_COLLECTIVE_EXIT,
        PCOMP_EVENT_SEND_POST,     PCOMP_EVENT_RECV_DONE,    PCOMP_EVENT_CREATE,           PCOMP_EVENT_START,
        PCOMP_EVENT_END,           PCOMP_EVENT_JOIN_END};
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed;
        struct trace_links *l = seed % 2 ? open_ranks() : open_threads();
        for (uint64_t t = 1; t <= 1000; t++)
            event(l, t, (uint32_t)prng_below(&random, LOCATIONS), kinds[prng_below(&random, 10)],
                  prng_below(&random, 3), prng_below(&random, 3) << 32 | prng_below(&random, 3),
                  prng_below(&random, 6) << 16 | prng_below(&random, 6));
        for (unsigned i = 0; i < link_count; i++)
            cr_assert(links[i].from_time >= 1 && links[i].from_time <= 1000 && links[i].to_time <= 1000 &&
                          links[i].from_time != links[i].to_time,
                      "seed %llu", (unsigned long long)seed);
        trace_links_close(l);
    }
}
