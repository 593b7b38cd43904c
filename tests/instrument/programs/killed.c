/* Counts in place until it kills itself, while another thread counts: what it has called by then is in the profile. */
#include "expect.h"

#include <pthread.h>

__attribute__((noinline)) int called(int x)
{
    __asm__ volatile("");
    return x + 1;
}

__attribute__((noinline)) int besides(int x)
{
    __asm__ volatile("");
    return x + 1;
}

static volatile int started;

void *thread(void *p)
{
    started = 1;
    for (volatile int x = 0;; x = besides(x))
        ;
    return p;
}

int main(void)
{
    COUNT();
    pthread_t t;
    volatile int x = 0;
    pthread_create(&t, NULL, thread, NULL);
    while (!started)
        sched_yield();
    while (x < 3000000)
        x = called(x);
    EXPECT("calls called 3000000");
    EXPECT("calls main 1");
    EXPECT("calls thread 1");
    EXPECT("open main 1");
    EXPECT("live 1");
    EXPECT("nolaw");
    kill(getpid(), SIGKILL);
    return 1;
}
