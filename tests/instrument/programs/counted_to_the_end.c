/* A thread, and behind it the process, computes from its last event to its end. */
#include <pthread.h>

#define CALLS 1000000

static __attribute__((noinline)) unsigned leaf(unsigned x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 1;
}

static void *work(void *argument)
{
    volatile unsigned x = 0;
    for (int i = 0; i < CALLS; i++)
        x = leaf(x);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    work(NULL);
    return 0;
}
