/* Small traces for the tests of the replay: written down event by event, replayed in blocks of a chosen size, and read
 * back. One case at a time, not thread-safe. */
#ifndef PCOMP_REPLAY_CASE_H
#define PCOMP_REPLAY_CASE_H

#include "compensation/numeric/delta.h"
#include "compensation/replay/replay.h"

#define CASE_LOCATIONS 16
#define CASE_WORDS     4096 /* 64-bit words of records, by location */
#define CASE_REPORTS   256

struct replay_case {
    struct replay_location locations[CASE_LOCATIONS];
    uint32_t count;
    struct replay_options options;
    size_t block; /* bytes handed out at a time, at least; 0: all */
    bool stop;    /* what the callback of violations answers: false goes on */
    int64_t alpha[PCOMP_EVENT_KINDS];
    uint64_t measured[CASE_LOCATIONS][CASE_WORDS];
    uint32_t words[CASE_LOCATIONS];

    /* After case_replay: */
    enum replay_end end;
    struct replay_result result;
    struct replay_location_result results[CASE_LOCATIONS];
    uint64_t rewritten[CASE_LOCATIONS][CASE_WORDS];
    uint32_t handed[CASE_LOCATIONS]; /* words */
    uint32_t done[CASE_LOCATIONS];
    struct replay_wait waits[CASE_REPORTS];
    uint32_t wait_count;
    struct replay_violation violations[CASE_REPORTS];
    uint32_t violation_count;
};

/* An empty case with `count` locations of one process, where every kind of event costs `alpha` ticks. The caller frees
 * it with free(). */
struct replay_case *case_new(uint32_t count, int64_t alpha);

/* Adds an event; the same for a long one. */
void case_event(struct replay_case *c, uint32_t location, uint64_t time, uint32_t kind, uint64_t value);
void case_event_long(struct replay_case *c, uint32_t location, uint64_t time, uint32_t kind, uint64_t value, uint64_t a,
                     uint64_t b);

enum replay_end case_replay(struct replay_case *c);

/* Approximated time of the n-th event of a location (from 0), as written; UINT64_MAX when there is none. */
uint64_t case_time(const struct replay_case *c, uint32_t location, uint32_t n);

/* Expects that the replay was REPLAY_DONE, and the times `expected` in a location; times beyond it are not looked at.
 */
void case_expect_times(const struct replay_case *c, uint32_t location, const uint64_t *expected, uint32_t count);

#define TIMES(c, location, ...)                                                                                        \
    case_expect_times(c, location, (const uint64_t[]){__VA_ARGS__},                                                    \
                      sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Expects the n-th wait that was reported. */
void case_expect_wait(const struct replay_case *c, uint32_t n, struct replay_wait expected);

/* Expects the same times and reports, whatever the size of the blocks. */
void case_expect_same_in_blocks(struct replay_case *(*make)(void));

#define FIXED(ticks) ((int64_t)(ticks) * (1 << PCOMP_FIX_SHIFT))

#endif
