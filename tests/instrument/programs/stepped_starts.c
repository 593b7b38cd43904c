/* A handler that comes at each instruction in turn of a thread's start, until its first hook has begun to measure it,
 * and calls a function itself. Where signals are blocked, no handler comes. */
#include "expect.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#define STEPS   512
#define STEPPED 700 /* instructions at most, blocked ones as well: what follows is not looked at */
#define TRAP    0x100

static volatile int steps, stepped_over, handled_at; /* of one thread at a time */

int in_handler(int x)
{
    COUNT();
    return x + 1;
}

int in_thread(int x)
{
    COUNT();
    return x + 1;
}

static PLAIN void handler(int number, siginfo_t *info, void *any)
{
    (void)info;
    ucontext_t *context = any;
    bool now = sigismember(&context->uc_sigmask, SIGUSR1) == 0 && ++steps == handled_at;
    if (now)
        CHECK(in_handler(number) == number + 1);
    if (now || ++stepped_over == STEPPED)
        context->uc_mcontext.gregs[REG_EFL] &= ~TRAP;
}

/* Of a signal that waits, blocked, until a thread lets it in: before anything else runs there. */
static PLAIN void step_from_here(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP;
}

static PLAIN void *thread(void *at)
{
    CHECK(in_thread((int)(intptr_t)at) == (int)(intptr_t)at + 1);
    __asm__ volatile("pushfq\nandq $~0x100, (%%rsp)\npopfq" ::: "memory", "cc");
    return NULL;
}

static PLAIN void start_thread(int at)
{
    pthread_t t;
    pthread_attr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    steps = stepped_over = 0;
    handled_at = at;
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setsigmask_np(&attributes, &none) == 0);
    kill(getpid(), SIGUSR2);
    CHECK(pthread_create(&t, &attributes, thread, (void *)(intptr_t)at) == 0 && pthread_join(t, NULL) == 0);
    CHECK(pthread_attr_destroy(&attributes) == 0 && steps > 0);
}

int main(void)
{
    COUNT();
    struct sigaction trap = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, before[2];
    struct sigaction begin = {.sa_sigaction = step_from_here, .sa_flags = SA_SIGINFO};
    sigset_t usr2;
    sigemptyset(&usr2);
    sigaddset(&usr2, SIGUSR2);
    CHECK(sigaction(SIGTRAP, &trap, &before[0]) == 0 && sigaction(SIGUSR2, &begin, &before[1]) == 0);
    pthread_sigmask(SIG_BLOCK, &usr2, NULL);
    for (int at = 1; at <= STEPS; at++)
        start_thread(at);
    pthread_sigmask(SIG_UNBLOCK, &usr2, NULL);
    CHECK(sigaction(SIGTRAP, &before[0], NULL) == 0 && sigaction(SIGUSR2, &before[1], NULL) == 0);
    EXPECT("threads %d", STEPS + 1);
    expect_counts();
    expect_untouched();
    return 0;
}
