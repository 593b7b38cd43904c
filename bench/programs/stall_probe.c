/* The worst time that hooks keep a program waiting: stall_probe [SECONDS].
 *
 * Walks 650,000 call paths (40 MiB of nodes, all hot) and looks at the clock between any two hooks. A gap is told apart
 * by what happened to the thread since the last checkpoint, at most some hundred microseconds earlier:
 *   file system  it waited for something (voluntary switch) or took page faults: what a hook may be stalled by
 *   host         it was on the processor all the time and took no fault: the host of a virtual machine, interrupts
 *   preempted    another process had the processor: not the hooks' doing; where it faulted too, its time on the
 *                processor counts as file system
 * A control loop over 40 MiB of ordinary memory without hooks takes every fifth slice: the machine's own share. */
#define _GNU_SOURCE
#include "bench/programs/bench_clock.h"
#include "bench/programs/many_functions.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>

enum { CHECKPOINT_PROBES = 4096, CONTROL_BYTES = 40 << 20, SLICE_NS = 40000000 };

struct checkpoint {
    uint64_t ticks;
    int64_t cpu_ns;
    long voluntary, involuntary, faults;
};

struct gaps {
    double worst_ms, file_system_ms, host_ms, preempted_ms;
    unsigned long over_1ms;
};

static struct checkpoint last_check;
static struct gaps hook_gaps, control_gaps, *current = &control_gaps;
static uint64_t last_ticks, notable_ticks;
static unsigned probes_left;
static double ticks_per_ms;

BENCH_PLAIN static struct checkpoint look(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (struct checkpoint){.ticks = bench_ticks(),
                               .cpu_ns = bench_cpu_ns(),
                               .voluntary = usage.ru_nvcsw,
                               .involuntary = usage.ru_nivcsw,
                               .faults = usage.ru_minflt + usage.ru_majflt};
}

BENCH_PLAIN static void raise_to(double *greatest, double value)
{
    if (value > *greatest)
        *greatest = value;
}

BENCH_PLAIN __attribute__((noinline, cold)) static void classify(uint64_t gap)
{
    struct checkpoint now = look();
    double gap_ms = (double)gap / ticks_per_ms;
    double off_ms =
        (double)(now.ticks - last_check.ticks) / ticks_per_ms - (double)(now.cpu_ns - last_check.cpu_ns) / 1e6;
    raise_to(&current->worst_ms, gap_ms);
    current->over_1ms += gap_ms > 1;
    bool faulted = now.faults != last_check.faults, preempted = now.involuntary != last_check.involuntary;
    if (preempted)
        raise_to(&current->preempted_ms, gap_ms);
    if (now.voluntary != last_check.voluntary)
        raise_to(&current->file_system_ms, gap_ms);
    else if (faulted)
        raise_to(&current->file_system_ms, preempted ? gap_ms - off_ms : gap_ms);
    else if (!preempted)
        raise_to(&current->host_ms, gap_ms);
}

BENCH_PLAIN static inline void probe(void)
{
    uint64_t gap = bench_ticks() - last_ticks;
    if (gap > notable_ticks)
        classify(gap);
    if (gap > notable_ticks || --probes_left == 0) {
        last_check = look();
        probes_left = CHECKPOINT_PROBES;
    }
    last_ticks = bench_ticks();
}

static const int widths[] = {64, 100, 100}; /* leaves last: 64 * 100 * 100 paths */

BENCH_PLAIN static void branch(int depth);

#define DEFINE(n)                                                                                                      \
    BENCH_CALL static void visit_##n(int depth)                                                                        \
    {                                                                                                                  \
        __asm__ volatile("" ::"i"(n));                                                                                 \
        probe();                                                                                                       \
        branch(depth);                                                                                                 \
    }
#define NAME(n) visit_##n,

HUNDRED(DEFINE, 1)
static void (*const visits[])(int) = {HUNDRED(NAME, 1)};

BENCH_PLAIN static void branch(int depth)
{
    for (int i = 0; depth < 3 && i < widths[depth]; i++) {
        visits[i](depth + 1);
        probe();
    }
}

BENCH_PLAIN static void walk_memory(volatile char *memory)
{
    for (size_t i = 0; i < CONTROL_BYTES; i += 64) {
        memory[i]++;
        probe();
    }
}

BENCH_PLAIN static void start_slice(struct gaps *gaps)
{
    current = gaps;
    last_check = look();
    probes_left = CHECKPOINT_PROBES;
    last_ticks = bench_ticks();
}

BENCH_PLAIN static void print_gaps(const char *name, const struct gaps *gaps)
{
    printf("%s_worst_ms %.3f\n%s_file_system_ms %.3f\n%s_host_ms %.3f\n", name, gaps->worst_ms, name,
           gaps->file_system_ms, name, gaps->host_ms);
    printf("%s_preempted_ms %.3f\n%s_over_1ms %lu\n", name, gaps->preempted_ms, name, gaps->over_1ms);
}

BENCH_PLAIN static void measure_tick(void)
{
    int64_t begin = bench_clock_ns(CLOCK_MONOTONIC), now;
    uint64_t ticks = bench_ticks();
    while ((now = bench_clock_ns(CLOCK_MONOTONIC)) - begin < 50000000)
        continue;
    ticks_per_ms = (double)(bench_ticks() - ticks) / (double)(now - begin) * 1e6;
    notable_ticks = (uint64_t)(ticks_per_ms / 20);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 75;
    volatile char *memory = calloc(1, CONTROL_BYTES);
    if (!memory)
        return 1;
    measure_tick();
    notable_ticks *= 1000000; /* the first walks meet every path for the first time: not timed */
    start_slice(&control_gaps);
    walk_memory(memory);
    branch(0);
    notable_ticks /= 1000000;
    long faults = look().faults;
    int64_t end = bench_clock_ns(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e9), now;
    while ((now = bench_clock_ns(CLOCK_MONOTONIC)) < end) {
        start_slice(&hook_gaps);
        for (int64_t slice = now + SLICE_NS * 4; bench_clock_ns(CLOCK_MONOTONIC) < slice;)
            branch(0);
        start_slice(&control_gaps);
        for (int64_t slice = bench_clock_ns(CLOCK_MONOTONIC) + SLICE_NS; bench_clock_ns(CLOCK_MONOTONIC) < slice;)
            walk_memory(memory);
    }
    print_gaps("hooks", &hook_gaps);
    print_gaps("control", &control_gaps);
    printf("faults %ld\n", look().faults - faults);
    free((void *)memory);
    return 0;
}
