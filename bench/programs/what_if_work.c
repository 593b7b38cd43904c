/* what_if_work KIND SPEED ROUNDS: two threads whose function integrate() is SPEED times as fast as it could be, beside
 * others that stay: what pcomp replay --what-if is compared with.
 *   barrier   one thread integrates and meets the other at a barrier, which does other things
 *   lock      both integrate, and change what is shared under a lock
 *   pipeline  one thread integrates for the other, which goes on with what it got */
#include "element_place.h"
#include "element_work.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

enum { CALLS = 100, LINKS = 1500 };

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t filled;
static const char *kind;
static unsigned speed, rounds;
static struct {
    _Alignas(128) uint64_t value; /* a line for each thread */
} results[2];

BENCH_CALL static uint64_t integrate(uint64_t x)
{
    return element_chain(x, LINKS / speed);
}

BENCH_CALL static uint64_t other(uint64_t x)
{
    return element_chain(x, LINKS);
}

static void integrate_all(unsigned thread, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++)
        results[thread].value = integrate(results[thread].value);
}

static void do_others(unsigned thread, unsigned calls)
{
    for (unsigned i = 0; i < calls; i++)
        results[thread].value = other(results[thread].value);
}

static void one_round(unsigned thread)
{
    if (!strcmp(kind, "barrier")) {
        if (thread)
            integrate_all(thread, CALLS);
        else
            do_others(thread, CALLS * 3 / 4);
        pthread_barrier_wait(&barrier);
    } else if (!strcmp(kind, "lock")) {
        integrate_all(thread, CALLS);
        pthread_mutex_lock(&lock);
        do_others(thread, CALLS / 2);
        pthread_mutex_unlock(&lock);
    } else if (thread) {
        integrate_all(thread, CALLS);
        sem_post(&filled);
    } else {
        sem_wait(&filled);
        do_others(thread, CALLS * 3 / 4);
    }
}

static void *worker(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;
    element_place(thread, 2);
    for (unsigned i = 0; i < rounds; i++)
        one_round(thread);
    return NULL;
}

int main(int argc, char **argv)
{
    int64_t begin = element_now();
    pthread_t id;
    kind = argc > 1 ? argv[1] : "barrier";
    speed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    rounds = argc > 3 ? (unsigned)atoi(argv[3]) : 400;
    if (!speed || pthread_barrier_init(&barrier, NULL, 2) != 0 || sem_init(&filled, 0, 0) != 0)
        return 1;
    if (pthread_create(&id, NULL, worker, (void *)(uintptr_t)1) != 0)
        return 1;
    worker(NULL);
    pthread_join(id, NULL);
    element_tell(begin);
    return 0;
}
