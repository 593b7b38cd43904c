/* Four threads that share one lock, which each holds for far longer than it does without it. lock_holders SECONDS */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define THREADS 4
#define HELD_NS 300000
#define FREE_US 20

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool stop;
static atomic_ulong rounds, sink;

static __attribute__((noinline)) unsigned long step(unsigned long x)
{
    return x * 6364136223846793005u + 1442695040888963407u;
}

static __attribute__((noinline)) void compute(void)
{
    unsigned long x = rounds;
    for (int i = 0; i < FREE_US * 100; i++)
        x = step(x);
    sink = x;
}

static __attribute__((noinline)) void update_table(void)
{
    pthread_mutex_lock(&lock);
    nanosleep(&(struct timespec){0, HELD_NS}, NULL); /* as one that waits for a disk */
    rounds++;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused)
{
    while (!stop) {
        compute();
        update_table();
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}, NULL);
    stop = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu\n", rounds + (sink == 1));
    return 0;
}
