#include "profiler/trace/trace_spins.h"

#include "profiler/base/run.h"
#include "profiler/code/sites/site_module.h"
#include "profiler/control/sampler.h"
#include "profiler/trace/trace.h"
#include "profiler/trace/trace_counted.h"

/* The wait of the sample before goes on, or one of a period begins, of which the end alone is known. */
static void sample(struct thread_state *h, uint64_t pc, uint64_t ns)
{
    if (!trace_on || h->recording != RECORDING_TRACE || h->in_slow)
        return;
    trace_counted_sampled(h);
    if (!site_pauses(pc)) {
        if (h->tracing.external_what == PCOMP_EXTERNAL_SPIN)
            h->tracing.external_end = 0; /* it is over */
        return;
    }
    uint64_t ticks = (uint64_t)((double)ns * 1e-9 * run_tick_hz);
    if (!trace_external_goes_on(PCOMP_EXTERNAL_SPIN) && trace_event(PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EXTERNAL_SPIN))
        trace_event(PCOMP_EVENT_EXTERNAL_END, ticks << PCOMP_EXTERNAL_BITS | PCOMP_EXTERNAL_SPIN);
}

void trace_spins_start(void)
{
    sampler_reports = sample;
}
