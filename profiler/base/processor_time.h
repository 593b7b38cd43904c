/* Processor time, and how often a thread left its processor, by system calls that leave errno alone. */
#ifndef PCOMP_PROFILER_PROCESSOR_TIME_H
#define PCOMP_PROFILER_PROCESSOR_TIME_H

#include "profiler/base/raw_call.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

/* That of a thread of this process, ns; tid 0: the calling one. 0 where there is no such thread. */
static inline uint64_t processor_time_ns(int32_t tid)
{
    enum { SCHEDULED = 2, OF_THREAD = 4 }; /* as pthread_getcpuclockid makes it */
    clockid_t clock = tid ? (clockid_t)(~(uint32_t)tid << 3 | SCHEDULED | OF_THREAD) : CLOCK_THREAD_CPUTIME_ID;
    struct timespec t = {0, 0};
    raw_call(SYS_clock_gettime, clock, (long)(uintptr_t)&t, 0, 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct thread_switches {
    uint64_t voluntary, involuntary;
};

/* Those of the calling thread, so far. False: the system does not tell, and *s stays as it was. */
static inline bool thread_switches_read(struct thread_switches *s)
{
    struct rusage usage;
    if (raw_call(SYS_getrusage, RUSAGE_THREAD, (long)(uintptr_t)&usage, 0, 0) != 0)
        return false;
    *s = (struct thread_switches){(uint64_t)usage.ru_nvcsw, (uint64_t)usage.ru_nivcsw};
    return true;
}

#endif
