/* Clocks of the bench programs: the tick counter that the hooks read too, and CPU time to charge batches with.
 *
 * A batch is charged thread CPU time, not wall time, so that a busy machine does not lengthen it. */
#ifndef PCOMP_BENCH_CLOCK_H
#define PCOMP_BENCH_CLOCK_H

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/* Harness code, without sites of either form. */
#ifdef __clang__
#define BENCH_PLAIN __attribute__((no_instrument_function, xray_never_instrument))
#else
#define BENCH_PLAIN __attribute__((no_instrument_function))
#endif
/* A function that stays one real call whatever the optimiser can see. */
#ifdef __clang__
#define BENCH_CALL __attribute__((noinline))
#else
#define BENCH_CALL __attribute__((noipa))
#endif

BENCH_PLAIN static inline int64_t bench_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

BENCH_PLAIN static inline int64_t bench_cpu_ns(void)
{
    return bench_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

BENCH_PLAIN static inline uint64_t bench_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return (uint64_t)bench_clock_ns(CLOCK_MONOTONIC);
#endif
}

/* CPU nanoseconds of `pairs` pairs of bare clock reads. */
BENCH_PLAIN __attribute__((noinline, unused)) static int64_t bench_clock_pairs(uint64_t pairs)
{
    int64_t begin = bench_cpu_ns();
    uint64_t sum = 0;
    for (uint64_t i = 0; i < pairs; i++) {
        uint64_t start = bench_ticks();
        __asm__ volatile("" ::: "memory");
        sum += bench_ticks() - start;
    }
    __asm__ volatile("" ::"r"(sum));
    return bench_cpu_ns() - begin;
}

BENCH_PLAIN __attribute__((unused)) static int bench_compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Sorts the values; the element at 0 is the best then. */
BENCH_PLAIN __attribute__((unused)) static double bench_median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, bench_compare_doubles);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

#endif
