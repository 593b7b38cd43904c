#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct replay_case *case_new(uint32_t count, int64_t alpha)
{
    struct replay_case *c = calloc(1, sizeof *c);
    cr_assert(c && count <= CASE_LOCATIONS);
    c->count = count;
    c->options.model = REPLAY_EVENT;
    for (int kind = 0; kind < PCOMP_EVENT_KINDS; kind++)
        c->alpha[kind] = alpha * (1 << PCOMP_FIX_SHIFT);
    for (uint32_t i = 0; i < count; i++)
        c->locations[i] = (struct replay_location){.rank = -1, .alpha = c->alpha};
    return c;
}

static void add(struct replay_case *c, uint32_t location, uint64_t word)
{
    cr_assert(location < c->count && c->words[location] < CASE_WORDS);
    c->measured[location][c->words[location]++] = word;
}

void case_event(struct replay_case *c, uint32_t location, uint64_t time, uint32_t kind, uint64_t value)
{
    add(c, location, time);
    add(c, location, (uint64_t)kind << 56 | value);
}

void case_event_long(struct replay_case *c, uint32_t location, uint64_t time, uint32_t kind, uint64_t value, uint64_t a,
                     uint64_t b)
{
    case_event(c, location, time, kind, value);
    add(c, location, a);
    add(c, location, b);
}

static size_t next(void *context, uint32_t location, void **block)
{
    struct replay_case *c = context;
    uint32_t begin = c->handed[location], at = begin;
    do {
        if (at >= c->words[location])
            break;
        at += c->measured[location][at + 1] >> 63 ? 4 : 2;
    } while (!c->block || (at - begin) * sizeof(uint64_t) < c->block);
    if (at > c->words[location])
        at = c->words[location]; /* a case of a record that is cut in two */
    c->handed[location] = at;
    *block = &c->rewritten[location][begin];
    return (at - begin) * sizeof(uint64_t);
}

static void done(void *context, uint32_t location, void *block, size_t size)
{
    struct replay_case *c = context;
    cr_assert_eq(block, &c->rewritten[location][c->done[location]], "blocks are handed back in order");
    c->done[location] += (uint32_t)(size / sizeof(uint64_t));
}

static void wait(void *context, const struct replay_wait *w)
{
    struct replay_case *c = context;
    if (c->wait_count < CASE_REPORTS)
        c->waits[c->wait_count] = *w;
    c->wait_count++;
}

static bool violation(void *context, const struct replay_violation *v)
{
    struct replay_case *c = context;
    if (c->violation_count < CASE_REPORTS)
        c->violations[c->violation_count] = *v;
    c->violation_count++;
    return !c->stop;
}

enum replay_end case_replay(struct replay_case *c)
{
    struct replay_io io = {.context = c, .next = next, .done = done, .wait = wait, .violation = violation};
    memcpy(c->rewritten, c->measured, sizeof c->measured);
    memset(c->handed, 0, sizeof c->handed);
    memset(c->done, 0, sizeof c->done);
    c->wait_count = c->violation_count = 0;
    c->end = replay_run(c->locations, c->count, &c->options, &io, c->results, &c->result);
    for (uint32_t i = 0; i < c->count && c->end == REPLAY_DONE; i++)
        cr_assert_eq(c->done[i], c->words[i], "all of location %" PRIu32 " is handed back", i);
    return c->end;
}

uint64_t case_time(const struct replay_case *c, uint32_t location, uint32_t n)
{
    for (uint32_t at = 0; at < c->words[location]; n--) {
        if (!n)
            return c->rewritten[location][at];
        at += c->measured[location][at + 1] >> 63 ? 4 : 2;
    }
    return UINT64_MAX;
}

void case_expect_times(const struct replay_case *c, uint32_t location, const uint64_t *expected, uint32_t count)
{
    cr_assert_eq(c->end, REPLAY_DONE, "the replay ends with %d: %s", c->end, c->result.error ? c->result.error : "");
    for (uint32_t n = 0; n < count; n++)
        cr_expect_eq(case_time(c, location, n), expected[n],
                     "event %" PRIu32 " of location %" PRIu32 ": %" PRIu64 ", expected %" PRIu64, n, location,
                     case_time(c, location, n), expected[n]);
}

void case_expect_wait(const struct replay_case *c, uint32_t n, struct replay_wait expected)
{
    cr_assert_lt(n, c->wait_count);
    const struct replay_wait *got = &c->waits[n];
    cr_expect_eq(got->location, expected.location);
    cr_expect_eq(got->kind, expected.kind);
    cr_expect_eq(got->event, expected.event);
    cr_expect_eq(got->cause, expected.cause);
    cr_expect_eq(got->cause_event, expected.cause_event);
    cr_expect_eq(got->measured, expected.measured, "measured %" PRId64, got->measured);
    cr_expect_eq(got->approximated, expected.approximated, "approximated %" PRId64, got->approximated);
}

void case_expect_same_in_blocks(struct replay_case *(*make)(void))
{
    struct replay_case *whole = make(), *cut = make();
    cr_expect_eq(case_replay(whole), REPLAY_DONE);
    for (cut->block = 1; cut->block <= 80; cut->block += 16) {
        cr_expect_eq(case_replay(cut), REPLAY_DONE);
        cr_expect_arr_eq(cut->rewritten, whole->rewritten, sizeof whole->rewritten);
        cr_expect_arr_eq(cut->results, whole->results, sizeof whole->results);
        cr_expect_eq(cut->wait_count, whole->wait_count);
        for (uint32_t n = 0; n < whole->wait_count; n++)
            case_expect_wait(cut, n, whole->waits[n]);
        cr_expect_arr_eq(cut->violations, whole->violations, sizeof whole->violations);
        cr_expect_arr_eq(&cut->result, &whole->result, sizeof whole->result);
    }
    free(whole);
    free(cut);
}
