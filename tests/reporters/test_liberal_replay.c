/* Simulated self-scheduled loops, whose units record unevenly much: as measured, locations that recorded more got fewer
 * units than they would have got. The liberal approximation returns the actual execution to the tick, events and
 * locations; the conservative one cannot. */
#include "reporters/replay/replay_job.h"
#include "tests/compensation/prng.h"
#include "tests/support/trace_maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 200, LOCATIONS = 6, ROUNDS = 4, UNITS = 24, WORDS = 1 << 15 };
enum { MAIN = 0x1000, WORK = 0x2000, UNIT = 0x3000, INNER = 0x4000 };
#define BARRIER 64

struct unit {
    uint64_t cost, inner_cost;
    uint32_t inner;
};

struct loop { /* a program */
    uint32_t locations, rounds, units[ROUNDS];
    bool counted;    /* barriers tell how many take part */
    bool main_works; /* in the last round, which ends with joins */
    struct schedule schedule;
    uint64_t delays[LOCATIONS], offsets[LOCATIONS];
    struct unit unit[ROUNDS][UNITS];
};

struct execution {
    const int64_t *alpha; /* ticks, by kind */
    uint64_t clock[LOCATIONS];
    uint64_t words[LOCATIONS][WORDS];
    size_t used[LOCATIONS]; /* words */
    uint64_t ended[LOCATIONS];
};

static struct loop random_loop(uint64_t seed)
{
    struct loop p = {.locations = 1 + (uint32_t)prng_below(&seed, LOCATIONS),
                     .rounds = 1 + (uint32_t)prng_below(&seed, ROUNDS),
                     .counted = prng_below(&seed, 2),
                     .main_works = prng_below(&seed, 2),
                     .schedule = {prng_below(&seed, 2) ? SCHEDULE_DYNAMIC : SCHEDULE_GUIDED, prng_below(&seed, 4)}};
    for (uint32_t i = 0; i < p.locations; i++) {
        p.delays[i] = prng_below(&seed, 100);
        p.offsets[i] = prng_below(&seed, 10);
    }
    for (uint32_t r = 0; r < p.rounds; r++) {
        p.units[r] = 1 + (uint32_t)prng_below(&seed, UNITS);
        for (uint32_t u = 0; u < p.units[r]; u++)
            p.unit[r][u] = (struct unit){prng_below(&seed, 300), prng_below(&seed, 20),
                                         prng_below(&seed, 3) ? 0 : (uint32_t)prng_below(&seed, 40)};
    }
    return p;
}

/* --- Running it ----------------------------------------------------------------------------------------------------
 */

static uint64_t event(struct execution *e, uint32_t l, uint64_t kind, uint64_t value, uint64_t a)
{
    uint64_t *to = e->words[l] + e->used[l], time = e->clock[l];
    cr_assert_lt(e->used[l] + 4, WORDS);
    to[0] = time;
    to[1] = kind << 56 | value;
    to[2] = a;
    to[3] = 0;
    e->used[l] += kind & PCOMP_EVENT_LONG ? 4 : 2;
    e->clock[l] += (uint64_t)e->alpha[kind];
    return time;
}

static void run_unit(struct execution *e, uint32_t l, const struct unit *unit)
{
    event(e, l, PCOMP_EVENT_ENTER, UNIT, 0);
    e->clock[l] += unit->cost;
    for (uint32_t i = 0; i < unit->inner; i++) {
        event(e, l, PCOMP_EVENT_ENTER, INNER, 0);
        e->clock[l] += unit->inner_cost;
        event(e, l, PCOMP_EVENT_EXIT, INNER, 0);
    }
    event(e, l, PCOMP_EVENT_EXIT, UNIT, 0);
}

/* Whoever comes first takes the next chunk, in no time. */
static void run_units(struct execution *e, const struct loop *p, uint32_t round, uint32_t first)
{
    for (uint32_t l = first; l < p->locations; l++)
        event(e, l, PCOMP_EVENT_ENTER, WORK, 0);
    for (uint32_t done = 0; done < p->units[round];) {
        uint32_t l = first, left = p->units[round] - done, workers = p->locations - first;
        for (uint32_t i = first; i < p->locations; i++)
            l = e->clock[i] < e->clock[l] ? i : l;
        uint32_t chunk = p->schedule.policy == SCHEDULE_GUIDED ? (left + workers - 1) / workers : 1;
        chunk = p->schedule.chunk > chunk ? (uint32_t)p->schedule.chunk : chunk;
        for (chunk = chunk < left ? chunk : left; chunk; chunk--)
            run_unit(e, l, &p->unit[round][done++]);
    }
    for (uint32_t l = first; l < p->locations; l++)
        event(e, l, PCOMP_EVENT_EXIT, WORK, 0);
}

static void run_barrier(struct execution *e, const struct loop *p)
{
    uint64_t last = 0;
    for (uint32_t l = 0; l < p->locations; l++) {
        event(e, l, PCOMP_EVENT_BARRIER_ENTER, BARRIER, p->counted ? p->locations : 0);
        last = e->clock[l] > last ? e->clock[l] : last;
    }
    for (uint32_t l = 0; l < p->locations; l++) {
        e->clock[l] = last + p->offsets[l];
        event(e, l, PCOMP_EVENT_BARRIER_EXIT, BARRIER, 0);
    }
}

static void run_loop(struct execution *e, const struct loop *p, const int64_t *alpha)
{
    memset(e, 0, sizeof *e);
    e->alpha = alpha;
    e->clock[0] = 1000;
    event(e, 0, PCOMP_EVENT_ENTER, MAIN, 0);
    for (uint32_t l = 1; l < p->locations; l++) {
        event(e, 0, PCOMP_EVENT_CREATE, l, 0);
        e->clock[l] = e->clock[0] + p->delays[l];
        event(e, l, PCOMP_EVENT_START, l, 0);
    }
    for (uint32_t r = 0; r + 1 < p->rounds; r++) {
        run_units(e, p, r, 0);
        run_barrier(e, p);
    }
    run_units(e, p, p->rounds - 1, p->main_works || p->locations == 1 ? 0 : 1);
    for (uint32_t l = 1; l < p->locations; l++)
        e->ended[l] = event(e, l, PCOMP_EVENT_END, l, 0) + (uint64_t)alpha[PCOMP_EVENT_END];
    if (p->locations == 1)
        run_barrier(e, p);
    for (uint32_t l = 1; l < p->locations; l++) {
        event(e, 0, PCOMP_EVENT_JOIN_BEGIN, l, 0);
        e->clock[0] = e->ended[l] > e->clock[0] ? e->ended[l] : e->clock[0];
        event(e, 0, PCOMP_EVENT_JOIN_END, l, 0);
    }
    event(e, 0, PCOMP_EVENT_EXIT, MAIN, 0);
}

/* --- Replaying it --------------------------------------------------------------------------------------------------
 */

static void write_traces(const char *dir, const struct execution *e, uint32_t locations)
{
    for (uint32_t l = 0; l < locations; l++) {
        struct pcomp_trace_header header = trace_maker_header(100, l, -1, 0);
        for (int k = 0; k < PCOMP_EVENT_KINDS; k++)
            header.alpha[k] = e->alpha[k] * 1024;
        trace_maker_write_in_parts(dir, 0, &header, e->words[l], e->used[l] * sizeof(uint64_t), 4096);
    }
}

/* Records of a location of the result that are not those of the execution. */
static size_t count_wrong(const char *dir, const struct execution *expected, uint32_t location)
{
    static uint64_t words[2 * WORDS];
    char path[4300], error[512];
    snprintf(path, sizeof path, "%s/100-0.%u.trace", dir, location);
    struct trace_file *file = trace_file_open(path, false, error, sizeof error);
    cr_assert(file, "%s", error);
    size_t used = 0, wrong = 0;
    for (int64_t n; (n = trace_file_read(file, words + used, (sizeof words) - used * 8, error, sizeof error)) > 0;)
        used += (size_t)n / sizeof *words;
    trace_file_close(file);
    for (size_t i = 0; i < used && i < expected->used[location]; i++)
        wrong += words[i] != expected->words[location][i];
    return wrong +
           (used > expected->used[location] ? used - expected->used[location] : expected->used[location] - used);
}

/* How many words of the approximated traces are not those of the actual execution. */
static size_t replay(const char *dir, const struct execution *actual, uint32_t locations, const char *liberal)
{
    char out[4200];
    size_t wrong = 0;
    snprintf(out, sizeof out, "%s/out", dir);
    struct replay_job job = {
        .dir = dir, .out = out, .options = {.model = REPLAY_EVENT, .comm = REPLAY_COMM_MODEL}, .stop = true};
    if (liberal)
        cr_assert(liberal_option_parse(liberal, &job.liberal));
    cr_assert(replay_job_open(&job));
    cr_assert_eq(replay_job_run(&job), 0);
    for (uint32_t l = 0; l < locations; l++)
        wrong += count_wrong(out, actual, l);
    replay_job_close(&job);
    return wrong;
}

static void policy_text(const struct schedule *schedule, char text[64])
{
    int n = snprintf(text, 64, "0x%x=%s", UNIT, schedule->policy == SCHEDULE_GUIDED ? "guided" : "dynamic");
    if (schedule->chunk)
        snprintf(text + n, 64 - (size_t)n, ":%zu", schedule->chunk);
}

Test(liberal_replay, a_self_scheduled_loop_is_returned_to_the_tick)
{
    static const int64_t none[PCOMP_EVENT_KINDS];
    static struct execution measured, actual;
    uint32_t moved = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct loop p = random_loop(seed);
        uint64_t state = seed;
        int64_t alpha[PCOMP_EVENT_KINDS];
        for (int k = 0; k < PCOMP_EVENT_KINDS; k++)
            alpha[k] = 1 + (int64_t)prng_below(&state, 40);
        char text[64], *dir = trace_maker_directory();
        policy_text(&p.schedule, text);
        run_loop(&measured, &p, alpha);
        run_loop(&actual, &p, none);
        write_traces(dir, &measured, p.locations);
        cr_assert_eq(replay(dir, &actual, p.locations, text), 0, "seed %lu: %s", (unsigned long)seed, text);
        moved += replay(dir, &actual, p.locations, NULL) != 0;
        trace_maker_remove(dir);
    }
    cr_expect_gt(moved, SEEDS / 3, "only %u loops needed it", moved);
}

/* A replay of the actual execution has nothing to move. */
Test(liberal_replay, where_the_policy_reproduces_the_measured_assignment_nothing_changes)
{
    static const int64_t none[PCOMP_EVENT_KINDS];
    static struct execution actual;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct loop p = random_loop(seed);
        char text[64], *dir = trace_maker_directory();
        policy_text(&p.schedule, text);
        run_loop(&actual, &p, none);
        write_traces(dir, &actual, p.locations);
        cr_assert_eq(replay(dir, &actual, p.locations, text), 0, "seed %lu", (unsigned long)seed);
        trace_maker_remove(dir);
    }
}
