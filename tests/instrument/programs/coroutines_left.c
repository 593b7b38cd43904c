/* Coroutines that never finish, in the main thread and in one that ends; exit called on a coroutine's stack. What is
 * measured while they rest is no part of them. */
#include "expect.h"

#include <pthread.h>
#include <ucontext.h>

#ifndef LEFT
#define LEFT 100
#endif
#define CALLS 200000

static __thread ucontext_t home, away;

__attribute__((noinline)) int little(int x)
{
    COUNT();
    return x + 1;
}

void stay(void)
{
    COUNT();
    swapcontext(&away, &home);
}

void body(void)
{
    COUNT();
    stay();
}

void leave_by_exit(void)
{
    COUNT();
    expect_counts();
    EXPECT("closed 1");
    EXPECT("compensated body -%d %d", LEFT, 1000 * LEFT); /* each rests for milliseconds of overhead */
    EXPECT("nolaw");
    exit(0);
}

void start(void (*function)(void))
{
    COUNT();
    getcontext(&away);
    away.uc_stack.ss_sp = malloc(65536);
    away.uc_stack.ss_size = 65536;
    away.uc_link = &home;
    makecontext(&away, function, 0);
    swapcontext(&home, &away);
}

void *thread(void *p)
{
    COUNT();
    start(body);
    return p;
}

int main(void)
{
    COUNT();
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < LEFT; i++)
        start(body);
    for (int i = 0; i < CALLS; i++)
        little(i);
    start(leave_by_exit);
    return 1;
}
