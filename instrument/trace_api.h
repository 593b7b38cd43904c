/* What libpcomp.so exports for libpcomp-mpich and libpcomp-openmpi; not installed, not for programs. The functions are
 * those of profiler/trace/trace.h under exported names. */
#ifndef PCOMP_TRACE_API_H
#define PCOMP_TRACE_API_H

#include "compensation/trace_event/event.h"

#include <stdbool.h>

/* Starts recording where no hook has; for a process that is to record a trace (--trace) and nothing else. */
void pcomp_trace_start(void);

bool pcomp_trace_is_on(void);
bool pcomp_trace_event(uint32_t kind, uint64_t value);
bool pcomp_trace_event_long(uint32_t kind, uint64_t value, uint64_t a, uint64_t b);
void pcomp_trace_mute(void);
void pcomp_trace_unmute(void);
uint64_t pcomp_trace_token(void);
uint64_t pcomp_trace_clock(void); /* ticks */

/* This process is `rank` of `world`; told at MPI_Init, for all its locations and its profile. */
void pcomp_trace_rank(int rank, int world);

/* Clock of rank 0 = clock of this process + offset, at `tick` (both ticks), known to `error` ticks. which: 0 at the
 * start, 1 at the end, 2 on the way. */
void pcomp_trace_offset(int which, uint64_t tick, int64_t offset, uint64_t error);

/* Of sends whose receiver has not come, the largest that was sent all the same, and the smallest that was not (0: none
 * was tried), bytes. */
void pcomp_trace_protocols(uint64_t eager_max, uint64_t rendezvous_min);

/* As trace_calibrate_wrapper() of profiler/trace/trace_process.h. */
void pcomp_trace_calibrate_wrapper(void (*run)(bool recorded), uint32_t calls, const uint8_t kinds[], uint32_t events,
                                   uint32_t charged);

/* A call that waits begins, and ends; as waiting_begin and waiting_end in profiler/base/waiting.h, whatever is
 * measured. */
void *pcomp_trace_wait_begin(uint32_t kind, uint64_t object, const void *site);
void pcomp_trace_wait_end(void *begun);

/* What lies between the two is the measurement's own work (offset measurement): FLUSH_BEGIN, FLUSH_END. */
void pcomp_trace_own_work(bool begin);

#endif
