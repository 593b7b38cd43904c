/* Threads that called a few functions and now rest: resting_threads [THREADS]. Prints the memory they hold. */
#include "bench/programs/resident.h"

#include <pthread.h>

static pthread_barrier_t called, measured;

BENCH_CALL static void leaf(void)
{
    __asm__ volatile("");
}

BENCH_CALL static void middle(void)
{
    leaf();
    leaf();
}

BENCH_CALL static void work(void)
{
    for (int i = 0; i < 10; i++)
        middle();
}

static void *thread_main(void *unused)
{
    work();
    pthread_barrier_wait(&called);
    pthread_barrier_wait(&measured);
    return unused;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1000;
    pthread_t *threads = calloc(count, sizeof *threads);
    pthread_attr_t attributes;
    work();
    long before = bench_resident_kib();
    if (!threads || pthread_attr_init(&attributes) || pthread_attr_setstacksize(&attributes, 256 * 1024) ||
        pthread_barrier_init(&called, NULL, count + 1) || pthread_barrier_init(&measured, NULL, count + 1))
        return 1;
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], &attributes, thread_main, NULL)) {
            fprintf(stderr, "resting_threads: thread %u of %u could not be created\n", i, count);
            return 1;
        }
    pthread_barrier_wait(&called);
    printf("threads %u\nkib_before %ld\nkib_now %ld\n", count, before, bench_resident_kib());
    pthread_barrier_wait(&measured);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return 0;
}
