#include "profiler/control/count_samples.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/store.h"
#include "profiler/code/sites/site_module.h"
#include "profiler/control/levels.h"
#include "profiler/control/sampled_stack.h"
#include "profiler/control/speed.h"
#include "profiler/control/windows.h"

#include <string.h>

bool (*count_samples_records_nothing)(uint64_t pc);

static uint64_t periods, recording, beside; /* in code that records nothing, periods */

void count_samples_start(void)
{
    periods = recording = beside = 0;
}

/* Signals are blocked in slow work, which is clocked: behind the system call that lets them in again, they come from
 * there. */
static bool in_hook(uint64_t pc)
{
    static const uint8_t system_call[] = {0x0f, 0x05};
    return sampled_stack_in_library(pc - sizeof(system_call)) &&
           memcmp((const char *)(uintptr_t)pc - sizeof(system_call), system_call, // NOLINT(performance-no-int-to-ptr)
                  sizeof(system_call)) != 0;
}

void count_samples_add(const struct thread_state *h, uint64_t pc, uint32_t weight)
{
    uint64_t begin = clock_read(config.clock);
    if (h->thread->index == 0)
        speed_time();
    /* Between windows, time at sites that are off is not what counting takes. That at exits of functions which are
     * counted all along is missed then. */
    enum site_leads leads = site_leads(pc, !windows_leave_out());
    if (count_samples_records_nothing && count_samples_records_nothing(pc))
        __atomic_fetch_add(&beside, weight, __ATOMIC_RELAXED);
    else if (leads == SITE_LEADS_TO_PROBE || in_hook(pc))
        __atomic_fetch_add(&recording, 1, __ATOMIC_RELAXED);
    if (leads == SITE_COUNTS) {
        __atomic_fetch_add(&store_header->probe_samples, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&store_header->probe_periods, weight, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&periods, weight, __ATOMIC_RELAXED);
    __atomic_fetch_add(&store_header->samples, 1, __ATOMIC_RELAXED);
    uint64_t now = clock_read(config.clock);
    __atomic_fetch_add(&store_header->sample_ticks, now - begin, __ATOMIC_RELAXED);
    bool in_library = !sampled_stack_has_library() || sampled_stack_in_library(pc);
    if (!in_library && h->recording == RECORDING_TRACE)
        levels_look(now, true, false, true);
}

static double load(const uint64_t *from)
{
    return (double)__atomic_load_n(from, __ATOMIC_RELAXED);
}

struct count_samples count_samples_known(void)
{
    double samples = load(&store_header->samples),
           time = load(&periods) * (double)store_header->sample_period_ns * 1e-9;
    double delivery = (double)store_header->sample_delivery / (1 << PCOMP_FIX_SHIFT);
    if (!(samples > 0) || !(time > 0))
        return (struct count_samples){0};
    double taken = (samples * delivery + load(&store_header->sample_ticks)) / run_tick_hz;
    return (struct count_samples){.hits = load(&store_header->probe_samples),
                                  .recording = load(&recording),
                                  .seconds = time / samples,
                                  .share = taken / time + load(&beside) / load(&periods)};
}

/* The code of a clock that is a call is nobody's. */
struct pcomp_event_price count_samples_event(double loop, double events)
{
    bool clocked = config.clock == PCOMP_CLOCK_TSC || config.clock == PCOMP_CLOCK_CNTVCT;
    if (!clocked || !sampled_stack_has_library())
        return (struct pcomp_event_price){0, 0};
    struct count_samples known = count_samples_known();
    return pcomp_event_price(&(struct pcomp_event_price_sources){
        .loop = loop, .hits = known.recording, .seconds = known.seconds, .events = events});
}
