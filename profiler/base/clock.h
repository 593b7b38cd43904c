/* Clocks: which one this machine can trust, reading it, and its speed. Thread-safe once clock_choose has run. */
#ifndef PCOMP_CLOCK_H
#define PCOMP_CLOCK_H

#include "profiler/base/config.h"
#include "profiler/base/thread_state.h"

#include <stdbool.h>
#include <time.h>

/* True where the counter of the CPU runs at a constant rate in all states (x86: invariant TSC). */
bool clock_counter_is_invariant(void);

/* The clock to use for the wish `asked` (0: none; enum pcomp_clock). *refused is set when the wish cannot be granted.
 */
uint32_t clock_choose(uint32_t asked, bool *refused);

static inline uint64_t clock_now_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Reads clock `kind` in ticks: as late as it can (enter) or as early as it can (exit). */
static inline uint64_t clock_read(uint32_t kind)
{
#if defined(__x86_64__)
    if (kind == PCOMP_CLOCK_TSC_SERIAL) {
        uint32_t low, high;
        __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high)::"memory");
        return (uint64_t)high << 32 | low;
    }
#endif
    if (kind == PCOMP_CLOCK_MONOTONIC)
        return clock_now_ns(CLOCK_MONOTONIC);
    return clock_ticks();
}

/* Reads clock `kind` when all that comes before it is done: a processor may read its counter ahead of that. */
static inline uint64_t clock_read_in_order(uint32_t kind)
{
#if defined(__x86_64__)
    __asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
    return clock_read(kind);
}

/* When slow work of a hook begins: read in front of the change of the signal mask, which is a part of it. A handler of
 * the program may come between the two, and charges or records what it measures there: then the work begins behind the
 * change. */
struct slow_start {
    uint64_t tick;
    int64_t overhead; /* of the thread then, */
    uint64_t cursor;  /* and of its trace */
};

static inline struct slow_start slow_start_read(const struct thread_state *h)
{
    struct slow_start start = {.overhead = h->overhead, .cursor = h->trace_cursor};
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    start.tick = clock_read(config.clock);
    return start;
}

/* Signals are blocked. */
static inline uint64_t slow_start_tick(const struct slow_start *start, const struct thread_state *h)
{
    bool alone = h->overhead == start->overhead && h->trace_cursor == start->cursor;
    return alone ? start->tick : clock_read(config.clock);
}

/* A pair of simultaneous readings: ticks of `kind` and CLOCK_MONOTONIC ns; the tightest of several tries. */
void clock_pair(uint32_t kind, uint64_t *tick, uint64_t *ns);

#endif
