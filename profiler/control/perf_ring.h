/* Samples of one thread's system calls by the kernel (perf_event_open, the software event cpu-clock), where no signal
 * may come: the program's registers and the innermost part of its stack, at equal distances of the thread's processor
 * time. The thread reads them itself, from the buffer that the kernel writes; no descriptor stays open, since the
 * mapping keeps the event alive. x86-64. */
#ifndef PCOMP_PERF_RING_H
#define PCOMP_PERF_RING_H

#include "profiler/code/sites/frame_rules.h"

#include <stdbool.h>

struct perf_ring {
    struct perf_event_mmap_page *page; /* the data follow; NULL: none */
    uint64_t samples;                  /* that were read since it was opened, ... */
    uint64_t since;                    /* ... when so many periods had passed */
    uint64_t samples_before, before;   /* the same at the last time that it could have come to rest */
    uint32_t periods;                  /* that a sample stands for; 0: it rests */
    uint32_t missed;                   /* while it rests: periods without a sample of late, in parts of REST_SHARE */
};

/* What one sample tells, and when it was taken, in ticks of clock_read; the stack may be empty. */
typedef void perf_ring_visit(const struct frame_registers *registers, const struct frame_stack *stack, uint64_t tick,
                             void *argument);

/* Samples of the calling thread's system calls from now on, one in a few periods: the event interrupts computing as
 * often, and an interrupt takes as long as half a beat. False: the system does not allow that. */
bool perf_ring_open(struct perf_ring *ring, uint64_t period_ns);

/* By the owning thread, in a sample of the program that stands for `weight` periods, the last of `given`: a sample of
 * system calls each period once they are known to be much of the time; none while there are hardly any. Returns the
 * weight that the sample has: while nothing samples system calls, a long one may have been another function's. */
uint32_t perf_ring_adapt(struct perf_ring *ring, uint64_t period_ns, uint64_t given, uint32_t weight);
void perf_ring_close(struct perf_ring *ring);

/* Whether there is a sample that was not read; the owning thread. */
bool perf_ring_holds_some(const struct perf_ring *ring);

/* Passes on what was sampled since the last time; the owning thread, signals blocked. Needs 16 KiB of stack. */
void perf_ring_read(struct perf_ring *ring, perf_ring_visit *visit, void *argument);

#endif
