/* Held functions: their enter hook stays on while all others are off (profiler/bursts.c), and counts them. They are
 * those that are called so seldom that this costs next to nothing; so their numbers of calls are exact, and tell how
 * fast the program gets on in bursts. Hot functions are off. Those that were never called yet are held, too, so that
 * none that runs is missed, however short a time it does.
 *
 * held_count is called by any thread while hooks are off, all else by the thread that switches them. The table lies in
 * the profile file: what was counted survives the process. One for all threads: a counter for each would be kilobytes a
 * thread, and what is held is called too seldom for two processors to meet there. */
#ifndef PCOMP_HELD_H
#define PCOMP_HELD_H

#include "profiler/bursts.h"
#include "profiler/profile_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HELD_SLOTS 8192u
#define HELD_NS    25.0 /* what such a hook costs, about */
#define HELD_HURRY 256u /* calls of one function after which it is looked at whether it has become hot */

extern struct pcomp_held *held_table; /* HELD_SLOTS; NULL: none */

static inline uint32_t held_slot(uint64_t function)
{
    return (uint32_t)((function * 0x9e3779b97f4a7c15u) >> 51);
}

/* The record of a function, NULL: none. A table is never full. */
static inline struct pcomp_held *held_find(uint64_t function)
{
    for (uint32_t slot = held_slot(function);; slot = (slot + 1) % HELD_SLOTS) {
        struct pcomp_held *held = &held_table[slot];
        uint64_t found = __atomic_load_n(&held->function, __ATOMIC_ACQUIRE);
        if (found == function || !found)
            return found ? held : NULL;
    }
}

enum held_call { HELD_NOT, HELD_COUNTED, HELD_FIRST /* of a function that was never met */ };

/* Counts a call while hooks are off. */
static inline enum held_call held_count(uint64_t function)
{
    struct pcomp_held *held = held_table ? held_find(function) : NULL;
    uint32_t flags = held ? __atomic_load_n(&held->flags, __ATOMIC_RELAXED) : 0;
    if (!(flags & PCOMP_HELD_NOW))
        return HELD_NOT;
    if ((__atomic_add_fetch(&held->calls, 1, __ATOMIC_RELAXED) & (HELD_HURRY - 1)) == 0)
        bursts_hurry();
    return flags & PCOMP_HELD_UNMET ? HELD_FIRST : HELD_COUNTED;
}

/* Of a function that was never met: false for all callers but the first. */
static inline bool held_meet(uint64_t function)
{
    struct pcomp_held *held = held_find(function);
    return __atomic_fetch_and(&held->flags, ~(uint32_t)PCOMP_HELD_UNMET, __ATOMIC_RELAXED) & PCOMP_HELD_UNMET;
}

/* Whether the function is known to be inlined nowhere, so that each activation has a frame in the machine. */
static inline bool held_is_alone(uint64_t function)
{
    const struct pcomp_held *held = held_table ? held_find(function) : NULL;
    return held && (__atomic_load_n(&held->flags, __ATOMIC_RELAXED) & PCOMP_HELD_ALONE);
}

/* Makes the table in a new profile. False: no room; then nothing is ever held. */
bool held_start(void);

/* Adds calls of a function that were seen with hooks on. `again`: it calls itself, so that it may be inlined in itself,
 * where the one hook that is held does not see it. */
void held_see(uint64_t function, uint64_t calls, bool again);

/* Looks which of all functions can be held. In a large program that takes ten milliseconds and more, which held_choose
 * needs else, while hooks are on. */
void held_prepare(void);

/* Holds, rarest first, what was seen in so many seconds of the program's own time, up to `most` calls a second in all.
 * `always`: hooks are about to go off for the first time. True: some are held that were not. */
bool held_choose(double seconds, double most, bool always);

/* A gap begins at tick `now`. */
void held_begin_gap(uint64_t now);

/* Calls since the last look at them. */
double held_calls(void);

/* Lets the functions go that were called most since the last look, `seconds` ago, while all are called more than `most`
 * a second. Returns the calls of all since that look. */
double held_watch(double seconds, double most, uint64_t now);

/* Holds one of the functions that are called too often for it, for a moment at the end of a gap: what it is called then
 * and in the burst behind it tells how fast the program gets on there. random: from 0 to 1. False: there is none. */
bool held_probe_begin(double random);

/* The moment is over: calls in it. */
double held_probe_end(void);

/* Counting them took too much of that moment: it tells nothing, and the function is probed no more. */
void held_probe_spoilt(void);

/* The function that was probed last; 0: none. */
uint64_t held_probed(void);

/* The gap ends: calls in it of the functions that are still held. */
double held_end_gap(uint64_t now);

/* How much of the last gap the burst behind it stands for, of a function that was let go in it: what passed since. */
double held_rest(const struct pcomp_held *held);

/* Child of a fork: none. */
void held_forget(void);

#endif
