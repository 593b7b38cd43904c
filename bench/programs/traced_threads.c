/* traced_threads KIND ROUNDS CALLS LINKS: two threads whose hot functions are called more often than a trace should
 * record, and that depend on each other in one way:
 *
 *   barrier    each round, one computes twice as long as the other, in turns by eights, and both meet
 *   semaphore  a producer posts a buffer to a consumer, which posts it back: two buffers
 *   await      iterations of a loop, dealt out in turn, whose last third waits for the one before (1991 §4.4) */
#include "element_place.h"
#include "element_work.h"
#include "instrument/pcomp.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

static unsigned rounds, calls, links;
static pthread_barrier_t barrier;
static sem_t filled, emptied;
static _Alignas(128) _Atomic unsigned long done;
static struct {
    _Alignas(128) uint64_t value;
} results[2];

BENCH_CALL static uint64_t element(uint64_t x)
{
    return element_chain(x, links);
}

/* The last of a group costs a call more. */
BENCH_CALL static uint64_t element_pair(uint64_t x)
{
    return element(element(x) + 1);
}

BENCH_CALL static void compute(unsigned thread, unsigned count)
{
    uint64_t x = results[thread].value;
    for (unsigned i = 0; i < count; i += 3) {
        x = element(x);
        x = element_pair(x);
    }
    results[thread].value = x;
}

static void at_barrier(unsigned thread, unsigned round)
{
    compute(thread, (round / 8 + thread) % 2 ? calls : calls / 2);
    pthread_barrier_wait(&barrier);
}

static void at_semaphore(unsigned thread, unsigned round)
{
    unsigned uneven = element_random(thread, round, calls + 1);
    sem_wait(thread ? &filled : &emptied);
    compute(thread, calls / 2 + uneven);
    sem_post(thread ? &emptied : &filled);
}

BENCH_PLAIN static void await(unsigned long index)
{
    while (atomic_load_explicit(&done, memory_order_acquire) < index)
        sched_yield();
}

static void at_await(unsigned thread, unsigned round)
{
    unsigned long number = 2 * (unsigned long)round + thread;
    compute(thread, calls / 2 + element_random(thread, round, calls / 2));
    pcomp_await_begin(&done, number);
    await(number);
    pcomp_await_end(&done, number);
    compute(thread, calls / 3);
    pcomp_advance(&done, number + 1);
    atomic_store_explicit(&done, number + 1, memory_order_release);
}

static void (*step)(unsigned, unsigned);

static void *worker(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;
    element_place(thread, 2);
    for (unsigned i = 0; i < rounds; i++)
        step(thread, i);
    return NULL;
}

int main(int argc, char **argv)
{
    int64_t begin = element_now();
    pthread_t other;
    const char *kind = argc > 1 ? argv[1] : "barrier";
    rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 400;
    calls = argc > 3 ? (unsigned)atoi(argv[3]) : 6000;
    links = argc > 4 ? (unsigned)atoi(argv[4]) : 40;
    step = !strcmp(kind, "barrier")     ? at_barrier
           : !strcmp(kind, "semaphore") ? at_semaphore
           : !strcmp(kind, "await")     ? at_await
                                        : NULL;
    if (!step || pthread_barrier_init(&barrier, NULL, 2) != 0 || sem_init(&filled, 0, 0) != 0 ||
        sem_init(&emptied, 0, 2) != 0)
        return 1;
    pcomp_advance(&done, 0); /* the first iteration depends on nothing */
    if (pthread_create(&other, NULL, worker, (void *)1) != 0)
        return 1;
    worker(NULL);
    pthread_join(other, NULL);
    element_tell(begin);
    return (results[0].value ^ results[1].value) == 1;
}
