/* advance_loop KERNEL THREADS ITERATIONS: a loop whose iterations are dealt out to threads in turn, and depend on the
 * one before through advance and await, in the manner of Livermore kernels (1991 §4.4; 1992 §6):
 *
 *   3   inner product         the products are independent and many, their sum is dear and in order
 *   4   banded equations      independent and dependent parts are alike, and only the former has calls in it
 *   17  conditional computation  nearly all is in order, and full of calls
 *
 * A thread that awaits looks again and again and lets others run in between. */
#include "element_place.h"
#include "element_work.h"
#include "instrument/pcomp.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static const struct kernel {
    int number;
    unsigned outside, outside_links; /* calls before the await, and how long one takes */
    unsigned inside, inside_links;   /* calls after it */
    unsigned inside_plain;           /* links in the dependent part without a call */
} kernels[] = {{3, 40, 10, 0, 0, 1200}, {4, 60, 12, 2, 100, 600}, {17, 4, 20, 40, 30, 0}};

static const struct kernel *kernel;
static unsigned threads, iterations;
/* In lines of their own: who awaits must not disturb who computes. */
static _Alignas(128) _Atomic unsigned long sum; /* iterations whose part is in */
static _Alignas(128) uint64_t total;
static struct {
    _Alignas(128) uint64_t value;
} results[64];

BENCH_CALL static uint64_t element(uint64_t x, unsigned links)
{
    return element_chain(x, links);
}

BENCH_PLAIN static void await(unsigned long index)
{
    while (atomic_load_explicit(&sum, memory_order_acquire) < index)
        sched_yield();
}

static void iteration(unsigned thread, unsigned long number)
{
    uint64_t x = results[thread].value, inner;
    for (unsigned i = 0; i < kernel->outside; i++)
        x = element(x, kernel->outside_links);
    pcomp_await_begin(&sum, number);
    await(number);
    pcomp_await_end(&sum, number);
    inner = total;
    for (unsigned i = 0; i < kernel->inside; i++)
        inner = element(inner + x, kernel->inside_links);
    total = element_chain(inner + x, kernel->inside_plain);
    pcomp_advance(&sum, number + 1);
    atomic_store_explicit(&sum, number + 1, memory_order_release);
    results[thread].value = x;
}

static void *worker(void *argument)
{
    unsigned thread = (unsigned)(uintptr_t)argument;
    element_place(thread, threads);
    for (unsigned long i = thread; i < iterations; i += threads)
        iteration(thread, i);
    return NULL;
}

int main(int argc, char **argv)
{
    int64_t begin = element_now();
    pthread_t ids[64];
    int number = argc > 1 ? atoi(argv[1]) : 3;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].number == number)
            kernel = &kernels[i];
    threads = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
    iterations = argc > 3 ? (unsigned)atoi(argv[3]) : 4000;
    if (!kernel || threads < 1 || threads > 64)
        return 1;
    pcomp_advance(&sum, 0); /* the first iteration depends on nothing */
    for (unsigned i = 1; i < threads; i++)
        if (pthread_create(&ids[i], NULL, worker, (void *)(uintptr_t)i) != 0)
            return 1;
    worker(NULL);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(ids[i], NULL);
    element_tell(begin);
    return 0;
}
