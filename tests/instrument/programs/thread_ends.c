/* Threads that end near the end of their trace's first segment (60 KiB of records of 16 bytes), each one call later
 * than the one before. */
#include <pthread.h>
#include <stdint.h>

#define THREADS 100
#define CALLS   1840 /* of the first; two events each */

__attribute__((noinline)) static unsigned step(unsigned x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

__attribute__((no_instrument_function)) static void *work(void *calls)
{
    volatile unsigned sum = 0;
    for (uintptr_t i = 0; i < (uintptr_t)calls; i++)
        sum = step(sum);
    return NULL;
}

int main(void)
{
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, (void *)(CALLS + i)) != 0 || pthread_join(thread, NULL) != 0)
            return 1;
    }
    return 0;
}
