/* Instrumented handlers at random instructions, hooks included, of a program that computes all the time. */
#include "expect.h"

#include <sys/time.h>
#include <time.h>

#ifdef SLOW_HANDLER /* runs half of the time, so that hooks are often turned off in it */
#define PERIOD_NS 200000
#else
#define PERIOD_NS 30000
#endif

static volatile unsigned long handled;

int in_handler(int x)
{
    COUNT();
#ifdef SLOW_HANDLER
    for (volatile int i = 0; i < 30000; i++)
        ;
#endif
    return x + 1;
}

void handler(int s)
{
    COUNT();
    int saved = errno;
    handled += (unsigned long)(in_handler(s) == s + 1);
    errno = saved;
}

int leaf(int x)
{
    COUNT();
    return x & 1;
}

int tree(int depth)
{
    COUNT();
    return depth == 0 ? leaf(1) : tree(depth - 1) + tree(depth - 1);
}

int odd_one(int x)
{
    COUNT();
    return leaf(x);
}

int main(void)
{
    COUNT();
    static char other_stack[65536];
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
#ifdef OTHER_STACK
    stack_t ss = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)}, off = {.ss_flags = SS_DISABLE};
    a.sa_flags |= SA_ONSTACK;
    CHECK(sigaltstack(&ss, NULL) == 0);
#endif
    (void)other_stack;
    sigaction(SIGALRM, &a, &old);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec fast = {{0, PERIOD_NS}, {0, PERIOD_NS}}, stop = {{0, 0}, {0, 0}};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    timer_settime(timer, 0, &fast, NULL);
    struct timespec begin, now;
    unsigned long rounds = 0;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        errno = 55;
        CHECK(tree(8) == 256);
        for (int i = 0; i < 100; i++)
            CHECK(odd_one(i) == (i & 1));
        CHECK(errno == 55);
        rounds++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 600);
    timer_settime(timer, 0, &stop, NULL);
    timer_delete(timer);
    sigaction(SIGALRM, &old, NULL);
#ifdef OTHER_STACK
    sigaltstack(&off, NULL);
#endif
    expect_counts();
    EXPECT("path main>tree %lu", rounds);
    EXPECT("path main>odd_one>leaf %lu", rounds * 100);
    EXPECT("calls in_handler %lu", handled);
    EXPECT("nolaw");
    EXPECT("closed 1");
    CHECK(handled > 200);
    fprintf(stderr, handled > 200 ? "" : "few signals\n");
    expect_untouched();
    return 0;
}
