#include "profiler/control/probe_samples.h"

#include "compensation/cost/online_model.h"
#include "compensation/estimate/probe_price.h"
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/sanitizer.h"
#include "profiler/base/store.h"
#include "profiler/code/sites/site_module.h"
#include "profiler/control/sampled_stack.h"

static uint64_t slow;   /* what slow enters and exits took until each thread's last sample, ticks */
static uint64_t factor; /* of the calibrated deltas, fixed-point */

const char *probe_samples_hindered(void)
{
    if (sanitizer_is_there())
        return "ThreadSanitizer holds signals back";
    return sampled_stack_has_library() ? NULL : "the library is a part of the program";
}

void probe_samples_start(void)
{
    slow = 0;
    factor = 1 << PCOMP_FIX_SHIFT;
}

static double seconds_of(int64_t fixed)
{
    return (double)fixed / (1 << PCOMP_FIX_SHIFT) / run_tick_hz;
}

static int64_t priced(int64_t delta)
{
    return delta * (int64_t)factor >> PCOMP_FIX_SHIFT;
}

static void price(void)
{
    double hits = (double)__atomic_load_n(&store_header->probe_samples, __ATOMIC_RELAXED);
    double periods = (double)__atomic_load_n(&store_header->probe_periods, __ATOMIC_RELAXED);
    double all = (double)__atomic_load_n(&store_header->probe_all, __ATOMIC_RELAXED);
    double period = (double)store_header->sample_period_ns * 1e-9;
    double clocked = (double)__atomic_load_n(&slow, __ATOMIC_RELAXED) / run_tick_hz;
    const struct pcomp_probe_price_sources from = {
        .samples = hits,
        .library = periods * period,
        .processor = all * period,
        .slow = clocked,
        .kernel = seconds_of(__atomic_load_n(&store_header->probe_overhead, __ATOMIC_RELAXED)) - clocked,
        .sleds = run_header->site_sleds > 0};
    factor = (uint64_t)(pcomp_probe_price(&from).factor * (1 << PCOMP_FIX_SHIFT));
}

void probe_samples_add(struct thread_state *h, uint64_t pc, uint32_t periods, struct probes_accounted *accounted)
{
    int64_t passed = h->overhead - accounted->overhead;
    uint64_t clocked = h->slow_ticks - accounted->slow_ticks;
    *accounted = (struct probes_accounted){h->overhead, h->slow_ticks};
    __atomic_fetch_add(&slow, clocked, __ATOMIC_RELAXED);
    __atomic_fetch_add(&store_header->probe_all, periods, __ATOMIC_RELAXED);
    __atomic_fetch_add(&store_header->probe_overhead,
                       pcomp_probe_calibrated(passed, (int64_t)(clocked << PCOMP_FIX_SHIFT), (int64_t)factor),
                       __ATOMIC_RELAXED);
    if (sampled_stack_in_library(pc) || sites_in_slot(pc)) {
        __atomic_fetch_add(&store_header->probe_samples, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&store_header->probe_periods, periods, __ATOMIC_RELAXED);
    }
    price();
    const struct pcomp_delta *repeat = &run_delta[PCOMP_VARIANT_REPEAT];
    h->own = priced(repeat->own);
    h->descendant = priced(repeat->descendant);
    h->lookup_extra = priced(run_delta[PCOMP_VARIANT_LOOKUP].descendant - repeat->descendant);
}

void probe_samples_charge(struct thread_state *h, int64_t took, struct probes_accounted *accounted)
{
    h->overhead += took;
    accounted->overhead += took;
}
