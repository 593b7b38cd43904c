/* The replay of files: what it writes, in how many blocks ever, is what the model says. */
#include "reporters/replay/drive/replay_drive.h"
#include "tests/support/trace_maker.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ALPHA = 10 };

static char *dir, *out;
static uint64_t seed, random_state;

static uint64_t random_below(uint64_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % bound;
}

static void set_up(void)
{
    dir = trace_maker_directory();
    out = trace_maker_directory();
    random_state = seed = (uint64_t)time(NULL);
}

static void tear_down(void)
{
    trace_maker_remove(dir);
    trace_maker_remove(out);
}

TestSuite(replay_drive, .init = set_up, .fini = tear_down);

/* A location of `count` enters and exits with flushes in between, each at least ALPHA after the one before. */
static struct pcomp_event *random_events(size_t count)
{
    struct pcomp_event *events = malloc((count + 2) * sizeof *events);
    uint64_t now = 1000000 + random_below(1000);
    for (size_t i = 0; i < count; i++) {
        enum pcomp_event_kind kind = i % 2 ? PCOMP_EVENT_EXIT : PCOMP_EVENT_ENTER;
        events[i] = (struct pcomp_event){now, (uint64_t)kind << 56 | (16 + i / 2 % 5)};
        now += ALPHA + random_below(20);
    }
    return events;
}

static struct replay_request request_of(const struct trace_directory *traces)
{
    return (struct replay_request){
        .traces = traces, .options.model = REPLAY_EVENT, .jobs = 2, .write_to = out, .before = UINT64_MAX};
}

static void cr_replayed(uint32_t locations, size_t max)
{
    struct trace_directory traces, written;
    struct replay_outcome outcome;
    char error[1024];
    struct pcomp_event **events = calloc(locations, sizeof *events), *read = malloc((max + 1) * sizeof *read);
    size_t *counts = calloc(locations, sizeof *counts);
    uint64_t all = 0;
    for (uint32_t i = 0; i < locations; i++) {
        struct pcomp_trace_header h = trace_maker_header(100, i, -1, 0);
        counts[i] = 1 + random_below(max);
        events[i] = random_events(counts[i]);
        all += counts[i];
        trace_maker_write_in_parts(dir, 0, &h, events[i], counts[i] * sizeof *events[i], 16 * (1 + random_below(5000)));
    }
    cr_assert(trace_directory_open(dir, false, &traces, error, sizeof error), "%s", error);
    struct replay_request request = request_of(&traces);
    cr_assert(replay_drive(&request, &outcome), "%s", outcome.error);
    cr_expect_eq(outcome.result.events, all);
    cr_assert(trace_directory_open(out, false, &written, error, sizeof error), "%s", error);
    cr_assert_eq(written.count, locations);
    for (uint32_t i = 0; i < locations; i++) {
        size_t size = 0;
        for (int64_t n; (n = trace_directory_read(&written, i, (char *)read + size, (counts[i] + 1) * 16 - size, error,
                                                  sizeof error)) != 0;
             size += (size_t)n)
            cr_assert_gt(n, 0, "%s", error);
        cr_assert_eq(size, counts[i] * sizeof *read);
        for (size_t k = 0; k < counts[i]; k++) {
            cr_assert_eq(read[k].what, events[i][k].what);
            cr_assert_eq(read[k].time, events[i][k].time - k * ALPHA, "seed %" PRIu64 ", location %u, event %zu", seed,
                         i, k);
        }
        cr_expect(written.locations[i].file->header.flags & PCOMP_TRACE_APPROXIMATED);
        cr_expect_eq(written.locations[i].file->header.alpha[PCOMP_EVENT_ENTER], 0);
        cr_expect_eq(outcome.trees[i].event, counts[i]);
        free(events[i]);
    }
    trace_directory_close(&written);
    trace_directory_close(&traces);
    replay_outcome_free(&outcome, locations);
    free(events);
    free(counts);
    free(read);
}

/* Two events 1000 ticks apart. Returns how far apart they are as approximated. */
static int64_t replayed_with_sites(uint32_t flags, bool as_measured)
{
    struct trace_directory traces;
    struct replay_outcome outcome;
    char error[1024];
    const struct pcomp_event events[] = {{1000, (uint64_t)PCOMP_EVENT_ENTER << 56 | 16},
                                         {2000, (uint64_t)PCOMP_EVENT_EXIT << 56 | 16}};
    struct pcomp_trace_header h = trace_maker_header(100, 0, -1, 0);
    memset(h.alpha, 0, sizeof h.alpha);
    h.flags |= flags;
    trace_maker_write(dir, 0, &h, events, sizeof events);
    cr_assert(trace_directory_open(dir, false, &traces, error, sizeof error), "%s", error);
    traces.sites[0] = (struct profile_site_cost){.share = 0.25};
    struct replay_request request = request_of(&traces);
    request.write_to = NULL;
    request.as_measured = as_measured;
    cr_assert(replay_drive(&request, &outcome), "%s", outcome.error);
    int64_t length = outcome.result.approximated;
    trace_directory_close(&traces);
    replay_outcome_free(&outcome, 1);
    return length >> PCOMP_FIX_SHIFT;
}

Test(replay_drive, what_sites_take_is_removed_once)
{
    cr_expect_eq(replayed_with_sites(0, false), 750);
    cr_expect_eq(replayed_with_sites(0, true), 1000, "all is to stay as measured");
    cr_expect_eq(replayed_with_sites(PCOMP_TRACE_APPROXIMATED, false), 1000, "a replay has removed them");
}

Test(replay_drive, one_location)
{
    cr_replayed(1, 300000);
}

Test(replay_drive, many_locations)
{
    cr_replayed(1200, 3000);
}

/* Only what happened before a tick, to the event. */
Test(replay_drive, before_a_tick)
{
    enum { EVENTS = 50000 };
    struct trace_directory traces;
    struct replay_outcome outcome;
    char error[1024];
    struct pcomp_trace_header h = trace_maker_header(100, 0, -1, 0);
    struct pcomp_event *events = random_events(EVENTS);
    trace_maker_write(dir, 0, &h, events, EVENTS * sizeof *events);
    cr_assert(trace_directory_open(dir, false, &traces, error, sizeof error), "%s", error);
    for (size_t k = 0; k < EVENTS; k = k * 7 + 1) {
        struct replay_request request = request_of(&traces);
        request.before = events[k].time;
        cr_assert(replay_drive(&request, &outcome), "%s", outcome.error);
        cr_assert_eq(outcome.result.events, k);
        replay_outcome_free(&outcome, 1);
    }
    trace_directory_close(&traces);
    free(events);
}

/* What cannot be written, or read, ends it with the reason. */
Test(replay_drive, nowhere_to_write)
{
    struct trace_directory traces;
    struct replay_outcome outcome;
    char error[1024];
    struct pcomp_trace_header h = trace_maker_header(100, 0, -1, 0);
    struct pcomp_event *events = random_events(10);
    trace_maker_write(dir, 0, &h, events, 10 * sizeof *events);
    cr_assert(trace_directory_open(dir, false, &traces, error, sizeof error), "%s", error);
    struct replay_request request = request_of(&traces);
    request.write_to = "/nowhere";
    cr_expect(!replay_drive(&request, &outcome));
    cr_expect(strstr(outcome.error, "/nowhere/100-0.0.trace: cannot be written"), "%s", outcome.error);
    replay_outcome_free(&outcome, 1);
    trace_directory_close(&traces);
    free(events);
}

/* Damage that was only read ahead is behind the end of what was replayed: nothing of the prefix is lost to it. */
Test(replay_drive, damage_behind_the_end)
{
    static const struct pcomp_event bad_exit[] = {{100, (uint64_t)PCOMP_EVENT_ENTER << 56 | 16},
                                                  {1050, (uint64_t)PCOMP_EVENT_BARRIER_EXIT << 56 | 64}};
    struct pcomp_event posts[] = {{100, (uint64_t)PCOMP_EVENT_SEM_V << 56 | 64},
                                  {1000, (uint64_t)PCOMP_EVENT_SEM_V << 56 | 64},
                                  {1100, (uint64_t)PCOMP_EVENT_SEM_V << 56 | 64},
                                  {1200, (uint64_t)0x7f << 56}};
    struct pcomp_trace_header h = trace_maker_header(100, 0, -1, 0), other = trace_maker_header(100, 1, -1, 0);
    struct trace_directory traces;
    struct replay_outcome outcome;
    char error[1024];
    trace_maker_write(dir, 0, &h, bad_exit, sizeof bad_exit);
    trace_maker_write_in_parts(dir, 0, &other, posts, sizeof posts, sizeof *posts);
    cr_assert(trace_directory_open(dir, true, &traces, error, sizeof error), "%s", error);
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        struct replay_request request = request_of(&traces);
        request.jobs = jobs;
        cr_expect(!replay_drive(&request, &outcome));
        cr_expect_eq(outcome.end, REPLAY_BAD_INPUT);
        cr_expect_eq(outcome.result.error_location, 0);
        cr_expect(!outcome.ends_early[0] && !outcome.ends_early[1], "%u threads", jobs);
        replay_outcome_free(&outcome, 2);
        request.options.model = REPLAY_TIME; /* to the end: now the damage counts */
        cr_expect(replay_drive(&request, &outcome), "%s", outcome.error);
        cr_expect(!outcome.ends_early[0] && outcome.ends_early[1], "%u threads", jobs);
        replay_outcome_free(&outcome, 2);
    }
    trace_directory_close(&traces);
}
