#include "profiler/control/interrupt_pauses.h"

#include "compensation/estimate/interrupt_cost.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/control/perf_ring.h"

#include <sys/mman.h>

#if defined(__x86_64__)

#define PAGE        4096
#define LINE        64u     /* bytes */
#define CACHE_BYTES 524288u /* what a program works on between two samples */
#define STEP        32u     /* loads from one reading of the clock to the next */
#define STEPS       8u
#define STEP_TRIES  64u

/* What the thread does meanwhile: dependent loads from all lines of CACHE_BYTES in no order, as a program's. */
struct load_loop {
    const volatile uint32_t *memory;
    uint32_t lines, at;
};

static void load_on(struct load_loop *w, unsigned loads)
{
    uint32_t at = w->at;
    while (loads--)
        at = at * 1664525u + 1013904223u + w->memory[(at >> 8) % w->lines * (LINE / sizeof(*w->memory))];
    w->at = at;
}

/* Seconds of STEP loads that nothing comes in between. */
static double undisturbed_step(struct load_loop *w)
{
    uint64_t min = UINT64_MAX;
    load_on(w, w->lines);
    for (unsigned i = 0; i < STEP_TRIES; i++) {
        uint64_t begin = clock_read_in_order(config.clock);
        for (unsigned k = 0; k < STEPS; k++) {
            load_on(w, STEP);
            clock_read_in_order(config.clock);
        }
        uint64_t took = clock_read_in_order(config.clock) - begin;
        min = took < min ? took : min;
    }
    return (double)min / STEPS / run_tick_hz;
}

/* Seconds. */
static double cost_in(struct load_loop *w, const struct perf_ring *ring, double step, double period)
{
    struct pcomp_interrupt_pauses pauses = {.period = period};
    uint64_t before, written = perf_ring_written(ring), last, now = clock_read_in_order(config.clock);
    do {
        last = now;
        before = written;
        load_on(w, STEP);
        now = clock_read_in_order(config.clock);
        written = perf_ring_written(ring);
    } while (pcomp_interrupt_pauses_add(&pauses, (double)(now - last) / run_tick_hz, step, written != before));
    return pcomp_interrupt_cost(&pauses);
}

/* 0: the system allows none. A ring has room for all that one try waits for. */
static double cost_once(struct load_loop *w, double step, double period)
{
    struct perf_ring ring;
    if (!perf_ring_open(&ring, (uint64_t)(period * 1e9)))
        return 0;
    double cost = cost_in(w, &ring, step, period);
    perf_ring_close(&ring);
    return cost;
}

static double cost_at_period(struct load_loop *w, double step, double period)
{
    double cost = cost_once(w, step, period);
    if (cost > 0 && cost < PCOMP_INTERRUPT_MAX)
        return cost;
    double again = cost_once(w, step, period); /* a machine may be so for a moment */
    return again > 0 && (again < cost || cost <= 0) ? again : cost;
}

/* Where the system had no event for a second, the kernel changes its code for the first one and waits for all
 * processors: the thread sleeps for milliseconds, and others use its caches. What is measured is behind that. */
static bool open_first_event(void)
{
    struct perf_ring ring;
    bool is_open = perf_ring_open(&ring, (uint64_t)(PCOMP_INTERRUPT_MAX * 1e9));
    if (is_open)
        perf_ring_close(&ring);
    return is_open;
}

double interrupt_pauses_measure(void)
{
    if (!open_first_event())
        return 0;
    static const uint32_t one_line[LINE / sizeof(uint32_t)];
    long memory =
        raw_call6(SYS_mmap, 0, CACHE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    bool has_memory = memory >= 0 || memory < -PAGE;
    struct load_loop w = {has_memory ? (const uint32_t *)(uintptr_t)memory : one_line,
                          has_memory ? CACHE_BYTES / LINE : 1, 0};
    double step = undisturbed_step(&w), cost = 0, found, period = PCOMP_INTERRUPT_PERIOD;
    for (; period > 0 && (found = cost_at_period(&w, step, period)) > 0;
         period = pcomp_interrupt_next_period(period, cost))
        cost = found;
    if (has_memory)
        raw_call(SYS_munmap, memory, CACHE_BYTES, 0, 0);
    return cost;
}

#else

double interrupt_pauses_measure(void)
{
    return 0;
}

#endif
