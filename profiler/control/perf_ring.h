/* Samples of one thread by the kernel (perf_event_open, the software event cpu-clock): the program's registers and the
 * innermost part of its stack, at equal distances of the thread's processor time, in the program and, where the system
 * allows that, in system calls. The thread reads them itself, from the buffer that the kernel writes, which tells
 * nobody; no descriptor stays open, since the mapping keeps the event alive. x86-64. */
#ifndef PCOMP_PERF_RING_H
#define PCOMP_PERF_RING_H

#include "compensation/control/sample_periods.h"
#include "profiler/code/sites/frame_rules.h"

#include <stdbool.h>

struct perf_ring {
    struct perf_event_mmap_page *page; /* the data follow; NULL: none */
    struct pcomp_sample_switches switches;
    uint64_t switched, switched_ns; /* so many switches, when its processor time was that */
};

/* What one sample tells, and when it was taken, in ticks of clock_read; the stack may be empty. */
typedef void perf_ring_visit(const struct frame_registers *registers, const struct frame_stack *stack, uint64_t tick,
                             void *argument);

/* Samples of the calling thread from now on. False: the system does not allow that. */
bool perf_ring_open(struct perf_ring *ring, uint64_t period_ns);
void perf_ring_close(struct perf_ring *ring);

/* Seconds that the thread's switches took longer since the last time, `cost` each. Closes the ring of a thread that
 * switches too often. now_ns: processor time of the thread. The owning thread. */
double perf_ring_note_switches(struct perf_ring *ring, uint64_t now_ns, double cost);

/* Changes with each sample that finds room; any thread. */
uint64_t perf_ring_written(const struct perf_ring *ring);

/* Whether there is a sample that was not read; the owning thread. */
bool perf_ring_holds_some(const struct perf_ring *ring);

/* Passes on what was sampled since the last time; the owning thread, signals blocked. Needs 16 KiB of stack. */
void perf_ring_read(struct perf_ring *ring, perf_ring_visit *visit, void *argument);

#endif
