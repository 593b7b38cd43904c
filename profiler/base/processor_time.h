/* Processor time, by a system call that leaves errno alone. */
#ifndef PCOMP_PROFILER_PROCESSOR_TIME_H
#define PCOMP_PROFILER_PROCESSOR_TIME_H

#include "profiler/base/raw_call.h"

#include <stdint.h>
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

#endif
