/* One thread calling against eight threads calling: calling_threads [ROUNDS [CALLS]].
 *
 * Prints CPU nanoseconds a call of one thread alone and of eight at the same time, rounds interleaved. */
#include "bench/programs/bench_clock.h"

#include <pthread.h>
#include <stdio.h>

enum { MANY = 8 };

static unsigned long calls = 2000000;

BENCH_CALL static void leaf(void)
{
    __asm__ volatile("");
}

/* The thread function is instrumented, so that each thread calls below a frame of its own. */
static void *caller(void *result)
{
    for (int i = 0; i < 1000; i++)
        leaf();
    int64_t begin = bench_cpu_ns();
    for (unsigned long i = 0; i < calls; i++)
        leaf();
    *(double *)result = (double)(bench_cpu_ns() - begin) / (double)calls;
    return NULL;
}

/* Mean over the threads of their CPU nanoseconds a call; negative on failure. */
static double round_of(int count)
{
    pthread_t threads[MANY];
    double results[MANY], sum = 0;
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, caller, &results[i])) {
            fprintf(stderr, "calling_threads: thread %d could not be created\n", i);
            exit(1);
        }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < count; i++)
        sum += results[i];
    return sum / count;
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 9;
    double *one = calloc(rounds, sizeof *one), *many = calloc(rounds, sizeof *many);
    if (argc > 2)
        calls = strtoul(argv[2], NULL, 10);
    if (!one || !many || !rounds || !calls)
        return 1;
    for (size_t r = 0; r < rounds; r++) {
        one[r] = round_of(1);
        many[r] = round_of(MANY);
    }
    printf("one_median %.3f\nmany_median %.3f\n", bench_median(one, rounds), bench_median(many, rounds));
    printf("one_best %.3f\nmany_best %.3f\n", one[0], many[0]);
    free(one);
    free(many);
    return 0;
}
