#include "instrument/trace_api.h"

#include "instrument/exported.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/thread_state.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_calibrate.h"
#include "profiler/trace/trace_process.h"

EXPORT void pcomp_trace_start(void)
{
    if (current_thread->self != current_thread)
        run_attach(HOOK_SP());
}

EXPORT bool pcomp_trace_is_on(void)
{
    return trace_on;
}

EXPORT bool pcomp_trace_event(uint32_t kind, uint64_t value)
{
    return trace_event(kind, value);
}

EXPORT bool pcomp_trace_event_long(uint32_t kind, uint64_t value, uint64_t a, uint64_t b)
{
    return trace_event_long(kind, value, a, b);
}

EXPORT void pcomp_trace_mute(void)
{
    trace_mute();
}

EXPORT void pcomp_trace_unmute(void)
{
    trace_unmute();
}

EXPORT uint64_t pcomp_trace_token(void)
{
    return trace_token();
}

EXPORT uint64_t pcomp_trace_clock(void)
{
    return clock_read(config.clock);
}

EXPORT void pcomp_trace_rank(int rank, int world)
{
    trace_set_rank(rank, world);
}

EXPORT void pcomp_trace_offset(int which, uint64_t tick, int64_t offset, uint64_t error)
{
    trace_set_offset(which, tick, offset, error);
}

EXPORT void pcomp_trace_protocols(uint64_t eager_max, uint64_t rendezvous_min)
{
    trace_set_protocols(eager_max, rendezvous_min);
}

EXPORT void pcomp_trace_calibrate_wrapper(void (*run)(bool recorded), uint32_t calls, const uint8_t kinds[],
                                          uint32_t events, uint32_t charged)
{
    trace_calibrate_wrapper(run, calls, kinds, events, charged);
}

EXPORT void *pcomp_trace_wait_begin(uint32_t kind, uint64_t object, const void *site)
{
    return waiting_begin(kind, object, site);
}

EXPORT void pcomp_trace_wait_end(void *begun)
{
    waiting_end(begun);
}

EXPORT void pcomp_trace_own_work(bool begin)
{
    trace_event(begin ? PCOMP_EVENT_FLUSH_BEGIN : PCOMP_EVENT_FLUSH_END, 0);
}
