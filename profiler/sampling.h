/* Exact counts, sampled times: which hooks read the clock when calls are counted by default, and what they write down.
 *
 *   program  ~~~~~~|      |~~~~~~~|      |~~~~~~~~~~ . ~~~~~ . ~~~~ . ~~~~~~|      |~~~~
 *   hooks          | hook |       | hook |           c       c      c       | hook |
 *   stamps         ^      ^       ^      ^                                  ^      ^
 *                         |segment|      |--- interval of counted events ---|
 *
 * A stamped hook reads a serialised clock when it begins and when it ends, so that its own time, whatever it does, is
 * in neither of the segments beside it. Between two stamped hooks lies a segment (timed) or an interval in which events
 * were only counted. What follows the enter of a path is its own time, what follows its exit is its parent's.
 *
 * A path is stamped always until that comes to cost more than a hundredth of the time. Then paths whose last segments
 * were short are counted, and timed in bursts of events at random distances. One that turns out to have long segments
 * is stamped always again. How times are estimated from that is compensation/in_situ.h; docs/online-model.md derives
 * it.
 *
 * A hook of a signal handler that interrupted a stamped hook is counted and never stamped. The guard that tells so is
 * the stack address of the interrupted hook: it is stale once a hook runs above it, since the handler must have jumped.
 * Whatever is interrupted when, no time is accounted for twice: `stamp` moves on before anything is added up.
 *
 * Owning thread only. No locks. */
#ifndef PCOMP_SAMPLING_H
#define PCOMP_SAMPLING_H

#include "profiler/hot.h"

#define SAMPLING_BURST 16u   /* events of a burst */
#define SAMPLING_GAP   8000u /* mean number of events between bursts */

/* Begins stamping for the thread: what follows belongs to no path yet, what passed since its start_tick to hooks.
 * False: no memory. */
bool sampling_start(struct hot *h);

/* A stamped hook at stack address `sp` begins at `now` (sampling_clock). False: inside another one, so that it must not
 * end it. */
bool sampling_begin(struct hot *h, uint64_t sp, uint64_t now);

/* A stamped hook that began at `now` enters `function` below the path at `parent`, and has looked nothing up yet: takes
 * the time in which a counted hook would find that path, when this event was picked at random. */
void sampling_look_up(struct hot *h, uint64_t parent, uint64_t function, uint64_t now);

/* How long the same takes where nothing has to be fetched: finding the path of the last event again. False: the thread
 * lost its processor meanwhile. */
bool sampling_look_up_again(const struct hot *h, uint64_t *ticks);

/* It ends: the event was an enter or exit of `node`. Reads the clock last. */
void sampling_end(struct hot *h, struct pcomp_node *node, bool exit);

/* It ends, having been an event of no path of its own (a filtered call with trouble): the time that follows belongs
 * where the time before did. */
void sampling_end_as_before(struct hot *h);

/* Between two hooks: measuring stops at `now`, for a pause or for good. */
void sampling_stop(struct hot *h, uint64_t now, bool for_good);

/* It goes on at `now`. Returns how much of the time since `stopped` was nobody's, ticks. */
uint64_t sampling_resume(struct hot *h, uint64_t stopped, uint64_t now);

/* A jump at `now` left the machine stack below `sp`. False: but not the stamped hook that is under way, so that
 * sampling_end must not be called for the jump. */
bool sampling_jump(struct hot *h, uint64_t sp, uint64_t now);

/* The event of this hook is none: it is taken out of the count. */
static inline void sampling_not_counted(struct hot *h)
{
    h->budget++;
}

/* Whether exits of the node must be stamped. */
bool sampling_is_counted(struct hot *h, const struct pcomp_node *node);

/* After the thread went to another stack. */
void sampling_find_region(struct hot *h);

/* By another thread, at the end of the process: no more events of thread `h` are counted; and, when its hooks have had
 * the time to notice, what it was in lasted until `now`. */
void sampling_park(struct hot *h);
void sampling_close(struct hot *h, uint64_t now);

/* By another thread, before the hooks go off: no more events of thread `h` are counted blindly. *counting becomes true
 * where there were some left, or a stamped hook is under way: it must be done again, since a hook may undo it. */
void sampling_halt(struct hot *h, uint64_t counting);

/* The hooks of all threads were turned off at `now`, or on; called by another thread while none runs but those that are
 * under way. What the thread was in ends; a time without any hook is kept until it is known what was in it. */
void sampling_leave(struct hot *h, uint64_t now);
void sampling_return(struct hot *h, uint64_t now);

/* While hooks are off: one that was under way when they went off may have planned to count without coming here. */
void sampling_settle(struct hot *h, uint64_t unused);

/* By another thread: events that were counted since the last stamped hook, roughly. */
int64_t sampling_under_way(const struct hot *h);

/* Before the shadow stack is compared with the machine's: hooks that go off from now on make another repair necessary.
 */
void sampling_repair_begins(struct hot *h);

/* The shadow stack is right again: what passed without a hook until `now` belongs to `found`, what follows to its top.
 */
void sampling_repaired(struct hot *h, struct pcomp_node *found, uint64_t now);

void sampling_finish(struct hot *h);

static inline uint64_t sampling_clock(void)
{
#if defined(__x86_64__)
    uint32_t low, high;
    __asm__ volatile("lfence; rdtsc" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
#else
    __asm__ volatile("isb" ::: "memory");
    return hot_clock();
#endif
}

#endif
