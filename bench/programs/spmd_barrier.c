/* spmd_barrier THREADS PHASES CALLS LINKS: threads that compute and meet at a barrier, again and again (1993 §4.1). The
 * number of calls in a phase varies by half around CALLS, differently in each thread. */
#include "element_place.h"
#include "element_work.h"

#include <pthread.h>

static pthread_barrier_t barrier;
static unsigned threads, phases, calls, links;
static struct {
    _Alignas(128) uint64_t value; /* a line for each thread */
} results[64];

BENCH_CALL static uint64_t element(uint64_t x)
{
    return element_chain(x, links);
}

static void phase(unsigned thread, unsigned number)
{
    unsigned count = calls / 2 + element_random(thread, number, calls + 1);
    uint64_t x = results[thread].value;
    for (unsigned i = 0; i < count; i++)
        x = element(x);
    results[thread].value = x;
}

static void *worker(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;
    element_place(thread, threads);
    for (unsigned i = 0; i < phases; i++) {
        phase(thread, i);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int64_t begin = element_now();
    threads = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
    pthread_t ids[64];
    phases = argc > 2 ? (unsigned)atoi(argv[2]) : 50;
    calls = argc > 3 ? (unsigned)atoi(argv[3]) : 500;
    links = argc > 4 ? (unsigned)atoi(argv[4]) : 500;
    if (threads < 1 || threads > 64 || pthread_barrier_init(&barrier, NULL, threads) != 0)
        return 1;
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&ids[i], NULL, worker, (void *)(uintptr_t)i) != 0)
            return 1;
    worker(NULL);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    element_tell(begin);
    return 0;
}
