#include "profiler/trace/trace_processor.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/processor_time.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"

#include <sched.h>

#define RATE_SHIFT 24 /* of ticks a nanosecond: a hook does not calculate with fractions, which may trap */

bool trace_processors_lack;

static uint32_t processors, threads;
static uint64_t ticks_a_ns;

uint32_t trace_processor_process_start(void)
{
    cpu_set_t usable;
    int saved_errno = errno;
    processors = sched_getaffinity(0, sizeof(usable), &usable) == 0 ? (uint32_t)CPU_COUNT(&usable) : 0;
    errno = saved_errno; /* more processors than a set has room for: as if there were enough */
    threads = 0;
    trace_processors_lack = false;
    ticks_a_ns = (uint64_t)(run_tick_hz * 1e-9 * (1 << RATE_SHIFT));
    return processors;
}

static uint32_t count_threads(uint32_t change)
{
    uint32_t now = __atomic_add_fetch(&threads, change, __ATOMIC_RELAXED);
    __atomic_store_n(&trace_processors_lack, processors && now > processors, __ATOMIC_RELAXED);
    return now;
}

/* The last thread for which there is a processor is watched as well: it may be the first that has to share one. */
bool trace_processor_thread_starts(struct thread_state *h)
{
    h->tracing.stretch.record = h->tracing.stretch.ended = 0;
    uint32_t now = count_threads(1);
    return processors && now > 1 && now >= processors;
}

void trace_processor_thread_ends(void)
{
    count_threads(UINT32_MAX);
}

static struct thread_switches switches_so_far(void)
{
    struct thread_switches s = {0, 0};
    thread_switches_read(&s);
    return s;
}

/* The record `own` itself took time until now: that is no time of the program. */
static void charge(struct pcomp_event_long *own)
{
    own->what += (clock_read(config.clock) - own->time) & PCOMP_EVENT_VALUE;
}

static uint64_t ticks_of(uint64_t ns)
{
    return (uint64_t)((unsigned __int128)ns * ticks_a_ns >> RATE_SHIFT);
}

static void look(struct thread_state *h)
{
    struct thread_switches now = switches_so_far();
    h->tracing.stretch.voluntary = now.voluntary;
    h->tracing.stretch.involuntary = now.involuntary;
    h->tracing.stretch.cpu_ns = processor_time_ns(0);
    h->tracing.stretch.tick = clock_read(config.clock);
}

/* Ticks without a processor since the last look. Where the thread waited for what is not recorded, too, a switch of
 * either kind is taken to have lasted as long. */
static uint64_t without_processor(const struct thread_state *h)
{
    struct thread_switches now = switches_so_far();
    uint64_t lost = now.involuntary - h->tracing.stretch.involuntary;
    uint64_t given = now.voluntary - h->tracing.stretch.voluntary;
    if (!lost)
        return 0;
    uint64_t ran_ns = processor_time_ns(0) - h->tracing.stretch.cpu_ns;
    uint64_t all = clock_read(config.clock) - h->tracing.stretch.tick;
    uint64_t ran = ticks_of(ran_ns);
    return all > ran ? (all - ran) / (lost + given) * lost : 0;
}

static void complete(struct thread_state *h, uint64_t record, uint64_t now)
{
    struct pcomp_event_long *stretch = (struct pcomp_event_long *)(uintptr_t)record;
    uint64_t begin = stretch->time + pcomp_event_value((const struct pcomp_event *)(const void *)stretch);
    uint64_t off = without_processor(h), length = now > begin ? now - begin : 0;
    stretch->a = off < length ? off : length;
    stretch->b = length;
    h->tracing.stretch.ran = length - stretch->a;
}

static struct pcomp_event_long *own_record(const struct thread_state *h)
{
    return (struct pcomp_event_long *)(uintptr_t)h->tracing.stretch.record;
}

void trace_processor_begins(struct thread_state *h)
{
    struct pcomp_event_long *waited = (struct pcomp_event_long *)(uintptr_t)h->tracing.stretch.ended;
    uint64_t cpu_ns = h->tracing.stretch.cpu_ns;
    look(h);
    if (waited) { /* processor time since the stretch before began, less that of the stretch */
        uint64_t ran = ticks_of(h->tracing.stretch.cpu_ns - cpu_ns), known = h->tracing.stretch.ran;
        known += pcomp_event_value((const struct pcomp_event *)(const void *)waited);
        waited->a = ran > known ? ran - known : 0;
    }
    h->tracing.stretch.ended = 0;
    charge(own_record(h));
}

void trace_processor_ends(struct thread_state *h)
{
    if (h->tracing.stretch.before)
        complete(h, h->tracing.stretch.before, own_record(h)->time);
    charge(own_record(h));
    h->tracing.stretch.ended = h->tracing.stretch.before ? h->tracing.stretch.record : 0;
}

bool trace_processor_leaves(struct thread_state *h, uint64_t now)
{
    if (!h->tracing.stretch.record)
        return false;
    complete(h, h->tracing.stretch.record, now);
    h->tracing.stretch.record = h->tracing.stretch.ended = 0;
    return true;
}

void trace_processor_follows(struct thread_state *h)
{
    struct pcomp_event_long *own = (struct pcomp_event_long *)(uintptr_t)h->trace_cursor;
    *own = (struct pcomp_event_long){.time = clock_read(config.clock), .what = (uint64_t)PCOMP_EVENT_PREEMPTED << 56};
    h->trace_cursor += sizeof(*own);
    trace_processor_recorded(h, (uint64_t)(uintptr_t)own);
    trace_processor_begins(h);
}
