/* Cost of one enter/exit pair, on a repeated call, beside two bare clock reads: interleaved batches in one process.
 *
 *   pair [ROUNDS]     prints nanoseconds (best and median over the rounds) and the ratios of each round's batches
 *   pair --count N    runs N pairs inside pair_counted(), for callgrind's --toggle-collect
 *
 * "direct" calls the two hooks as gcc's code does, with nothing subtracted; "call" calls an instrumented function,
 * whose sites may be sleds. */
#include "bench/programs/bench_clock.h"

#include <stdio.h>
#include <string.h>

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

enum { BATCH = 100000 };

BENCH_CALL static void pair_instrumented(void)
{
    __asm__ volatile("");
}

BENCH_PLAIN BENCH_CALL static void pair_plain(void)
{
    __asm__ volatile("");
}

BENCH_PLAIN BENCH_CALL static void pair_counted(uint64_t pairs)
{
    for (uint64_t i = 0; i < pairs; i++) {
        __cyg_profile_func_enter((void *)pair_plain, (void *)pair_counted);
        __cyg_profile_func_exit((void *)pair_plain, (void *)pair_counted);
    }
}

BENCH_PLAIN __attribute__((noinline)) static int64_t batch_direct(void)
{
    int64_t begin = bench_cpu_ns();
    for (int i = 0; i < BATCH; i++) {
        __cyg_profile_func_enter((void *)pair_plain, (void *)pair_counted);
        __cyg_profile_func_exit((void *)pair_plain, (void *)pair_counted);
    }
    return bench_cpu_ns() - begin;
}

BENCH_PLAIN __attribute__((noinline)) static int64_t batch_call(void (*function)(void))
{
    int64_t begin = bench_cpu_ns();
    for (int i = 0; i < BATCH; i++)
        function();
    return bench_cpu_ns() - begin;
}

BENCH_PLAIN static void print_series(const char *name, double *values, size_t count)
{
    double median = bench_median(values, count);
    printf("%s_best %.4f\n%s_median %.4f\n", name, values[0], name, median);
}

BENCH_PLAIN static int measure(size_t rounds)
{
    enum { READS, DIRECT, CALL, PLAIN, RATIO, CALL_RATIO, SERIES };
    double *values = calloc(rounds * SERIES, sizeof *values);
    if (!values) {
        perror("pair");
        return 1;
    }
    for (size_t r = 0; r < rounds; r++) {
        values[READS * rounds + r] = (double)bench_clock_pairs(BATCH) / BATCH;
        values[DIRECT * rounds + r] = (double)batch_direct() / BATCH;
        values[CALL * rounds + r] = (double)batch_call(pair_instrumented) / BATCH;
        values[PLAIN * rounds + r] = (double)batch_call(pair_plain) / BATCH;
        values[RATIO * rounds + r] = values[DIRECT * rounds + r] / values[READS * rounds + r];
        values[CALL_RATIO * rounds + r] = values[CALL * rounds + r] / values[READS * rounds + r];
    }
    print_series("reads", values + READS * rounds, rounds);
    print_series("direct", values + DIRECT * rounds, rounds);
    print_series("call", values + CALL * rounds, rounds);
    print_series("plain", values + PLAIN * rounds, rounds);
    print_series("ratio", values + RATIO * rounds, rounds);
    print_series("call_ratio", values + CALL_RATIO * rounds, rounds);
    free(values);
    return 0;
}

/* Instrumented: the pairs are measured below a frame, as in a program. */
int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--count")) {
        for (int i = 0; i < 10; i++)
            batch_direct();
        pair_counted(strtoull(argv[2], NULL, 10));
        return 0;
    }
    return measure(argc > 1 ? strtoul(argv[1], NULL, 10) : 200);
}
