/* What recording an event costs, sustained over MEGABYTES of trace, beside a bare clock read: interleaved batches.
 *
 *   trace_rate MEGABYTES     run it with PCOMP_OPTIONS=--trace
 *
 * An event is one hook, called as gcc's code does; its clock read, the flushes and the making of pages are part of it.
 * Prints "name value" lines: ns by CPU time (of this thread, kernel included) and by the wall clock, sums of all
 * batches, and the ratios of event to clock read. */
#include "bench/programs/bench_clock.h"

#include <stdio.h>

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

enum { BATCH = 500000 }; /* pairs */

struct spent {
    double cpu, wall; /* ns */
};

BENCH_PLAIN static void function(void) {}

BENCH_PLAIN static struct spent since(struct spent begin)
{
    return (struct spent){(double)bench_cpu_ns() - begin.cpu, (double)bench_clock_ns(CLOCK_MONOTONIC) - begin.wall};
}

BENCH_PLAIN static void add(struct spent *sum, struct spent spent)
{
    sum->cpu += spent.cpu;
    sum->wall += spent.wall;
}

BENCH_PLAIN static void record(void)
{
    for (int i = 0; i < BATCH; i++) {
        __cyg_profile_func_enter((void *)function, (void *)record);
        __cyg_profile_func_exit((void *)function, (void *)record);
    }
}

/* Instrumented: the events lie inside main's. */
int main(int argc, char **argv)
{
    const struct spent zero = {0, 0};
    struct spent reads = zero, events = zero;
    long batches = argc > 1 ? strtol(argv[1], NULL, 10) * 1048576 / (32L * BATCH) + 1 : 70;
    double *ratios = calloc((size_t)batches, sizeof *ratios);
    if (!ratios)
        return 1;
    for (long i = 0; i < batches; i++) {
        struct spent begin = since(zero), one, other;
        bench_clock_pairs(BATCH);
        one = since(begin);
        add(&reads, one);
        begin = since(zero);
        record();
        other = since(begin);
        add(&events, other);
        ratios[i] = other.cpu / one.cpu;
    }
    double count = 2.0 * BATCH * (double)batches;
    printf("events %.0f\nread_ns %.4f\nevent_ns %.4f\nratio %.4f\nratio_median %.4f\n", count, reads.cpu / count,
           events.cpu / count, events.cpu / reads.cpu, bench_median(ratios, (size_t)batches));
    printf("read_wall_ns %.4f\nevent_wall_ns %.4f\nratio_wall %.4f\n", reads.wall / count, events.wall / count,
           events.wall / reads.wall);
    free(ratios);
    return 0;
}
