/* One record of a trace, as the hooks write it: the shortest way from an event to the file.
 *
 *   cursor ──▶ | time | what | ... zeroes                    trace_limit: room for one more, and for FLUSH_BEGIN or
 * LOST
 *
 * A signal handler may record between any two instructions. So the clock is read first, and then the slot is taken,
 * unless the cursor has moved since: then what the handler recorded is later than that reading, which is made again. So
 * times never step back in the file. Once taken, a slot belongs to its hook, whenever that comes to fill it; one that
 * it never fills, because the handler jumped away or the process was killed, stays zero, and readers pass over it. What
 * is mapped at the slot's address stays mapped for some segments more (struct tracing, left). */
#ifndef PCOMP_TRACE_RECORD_H
#define PCOMP_TRACE_RECORD_H

#include "profiler/base/thread_state.h"

#include "compensation/trace_event/event.h"

#define TRACE_ENTER_BIT 56 /* what = kind << 56 | function, one instruction */
#define TRACE_EXIT_BIT  57
_Static_assert(PCOMP_EVENT_ENTER == 1 << (TRACE_ENTER_BIT - 56) && PCOMP_EVENT_EXIT == 1 << (TRACE_EXIT_BIT - 56),
               "kinds of one bit");

/* Moves the cursor from `from` to `to` unless it is elsewhere; no interrupt in between. */
static inline bool trace_take(struct thread_state *h, uint64_t from, uint64_t to)
{
#if defined(__x86_64__)
    bool taken;
    __asm__ volatile("cmpxchgq %[to], %[cursor]"
                     : "=@cce"(taken), [cursor] "+m"(h->trace_cursor), "+a"(from)
                     : [to] "r"(to)
                     : "memory");
    return taken;
#else
    return __atomic_compare_exchange_n(&h->trace_cursor, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* Counts a long record; no interrupt in between, and no lock: that would wait for the record to be in the cache. */
static inline void trace_count_long(struct thread_state *h)
{
#if defined(__x86_64__)
    __asm__ volatile("incq %[longs]" : [longs] "+m"(h->tracing.longs) : : "cc");
#else
    __atomic_add_fetch(&h->tracing.longs, 1, __ATOMIC_RELAXED);
#endif
}

/* Records a short event of the hooks. False: not so easily (no trace, segment full, filter, other clock, pause). */
static inline bool trace_short(struct thread_state *h, uint64_t what)
{
    uint64_t at, now;
    do {
        at = *(volatile uint64_t *)&h->trace_cursor;
        if (at >= *(volatile uint64_t *)&h->trace_limit)
            return false;
        now = clock_ticks();
    } while (!trace_take(h, at, at + sizeof(struct pcomp_event)));
    volatile struct pcomp_event *event = (volatile struct pcomp_event *)(uintptr_t)at;
    event->time = now;
    event->what = what;
    return true;
}

#endif
