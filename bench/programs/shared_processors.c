/* shared_processors KIND THREADS ROUNDS CALLS LINKS: more threads than processors. In each round a thread makes
 * about CALLS calls of LINKS multiplications, differently many in each, and then
 *   barrier   meets the others
 *   uneven    the same, where one thread has four times as much to do
 *   lock      changes what is shared, with a tenth of its work, under a lock
 *   pipeline  hands on to the next thread, by a semaphore, what it got from the one before it
 * Prints what it took. */
#include "element_work.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#define THREADS_MAX 64u

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t stages[THREADS_MAX];
static const char *kind;
static unsigned threads, rounds, calls, links;
static struct {
    _Alignas(128) uint64_t value; /* a line for each thread */
} results[THREADS_MAX];

BENCH_CALL static uint64_t element(uint64_t x)
{
    return element_chain(x, links);
}

static void work(unsigned thread, unsigned round, unsigned about)
{
    unsigned count = about / 2 + element_random(thread, round, about + 1);
    uint64_t x = results[thread].value;
    for (unsigned i = 0; i < count; i++)
        x = element(x);
    results[thread].value = x;
}

static void one_round(unsigned thread, unsigned round)
{
    if (!strcmp(kind, "lock")) {
        work(thread, round, calls);
        pthread_mutex_lock(&lock);
        work(thread, round, calls / 10);
        pthread_mutex_unlock(&lock);
    } else if (!strcmp(kind, "pipeline")) {
        if (thread)
            sem_wait(&stages[thread]);
        work(thread, round, calls);
        if (thread + 1 < threads)
            sem_post(&stages[thread + 1]);
    } else {
        work(thread, round, !strcmp(kind, "uneven") && !thread ? 4 * calls : calls);
        pthread_barrier_wait(&barrier);
    }
}

static void *worker(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;
    for (unsigned i = 0; i < rounds; i++)
        one_round(thread, i);
    return NULL;
}

int main(int argc, char **argv)
{
    int64_t begin = element_now();
    pthread_t ids[THREADS_MAX];
    kind = argc > 1 ? argv[1] : "barrier";
    threads = argc > 2 ? (unsigned)atoi(argv[2]) : 4;
    rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 50;
    calls = argc > 4 ? (unsigned)atoi(argv[4]) : 500;
    links = argc > 5 ? (unsigned)atoi(argv[5]) : 500;
    if (threads < 1 || threads > THREADS_MAX || pthread_barrier_init(&barrier, NULL, threads) != 0)
        return 1;
    for (unsigned i = 0; i < threads; i++)
        sem_init(&stages[i], 0, 0);
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&ids[i], NULL, worker, (void *)(uintptr_t)i) != 0)
            return 1;
    worker(NULL);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    element_tell(begin);
    return 0;
}
