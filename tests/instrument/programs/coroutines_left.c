/* Coroutines that never finish, in the main thread and in one that ends; exit called on a coroutine's stack. */
#include "expect.h"

#include <pthread.h>
#include <ucontext.h>

static __thread ucontext_t home, away;

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
    start(body);
    start(leave_by_exit);
    return 1;
}
