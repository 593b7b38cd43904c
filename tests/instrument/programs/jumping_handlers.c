/* Handlers at random instructions, hooks included, that jump out of what they interrupted: what is measured afterwards
 * is measured as if nothing had been. */
#include "expect.h"

#include <setjmp.h>
#include <time.h>

static sigjmp_buf back;
static volatile sig_atomic_t jumping;
static volatile unsigned long handled, jumped;

int in_handler(int x)
{
    return x + 1;
}

void handler(int s)
{
    handled += (unsigned long)(in_handler(s) == s + 1);
    if (!jumping || handled % 2)
        return;
    jumping = 0;
    jumped++;
    siglongjmp(back, 1);
}

int leaf(int x)
{
    __asm__ volatile(""); /* a call with sleds has no effect of its own, and may go */
    return x & 1;
}

/* most of its calls are timed: some are too long to be counted */
int tree(int depth)
{
    if (depth == 3)
        for (volatile int i = 0; i < 1500; i++)
            ;
    return depth == 0 ? leaf(1) : tree(depth - 1) + tree(depth - 1);
}

void phase_one(void)
{
    volatile char deeper[2000];
    deeper[0] = 0;
    double begin = expect_now_ms();
    while (jumped < 300 || (jumped < 3000 && expect_now_ms() - begin < 400))
        if (sigsetjmp(back, 1) == 0) {
            jumping = 1;
            tree(7);
            jumping = 0;
        }
}

void after(int n)
{
    COUNT();
    for (int i = 0; i < n; i++)
        leaf(i);
}

double phase_two(void)
{
    COUNT();
    double ms = expect_spin(20);
    after(10000);
    return ms;
}

int main(void)
{
    COUNT();
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;
#ifdef OTHER_STACK
    static char other_stack[65536];
    stack_t ss = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)}, off = {.ss_flags = SS_DISABLE};
    a.sa_flags |= SA_ONSTACK;
    CHECK(sigaltstack(&ss, NULL) == 0);
#endif
    sigaction(SIGALRM, &a, &old);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec fast = {{0, 20000}, {0, 20000}}, stop = {{0, 0}, {0, 0}};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    timer_settime(timer, 0, &fast, NULL);
    phase_one();
    timer_settime(timer, 0, &stop, NULL);
    timer_delete(timer);
    sigaction(SIGALRM, &old, NULL);
#ifdef OTHER_STACK
    sigaltstack(&off, NULL);
#endif
    double ms = phase_two();
    expect_counts();
    EXPECT("path main>phase_one 1");
    EXPECT("path main>phase_two>after>leaf 10000");
    EXPECT("elapsed phase_two %.3f %.3f", ms, ms + 1000);
#ifdef JUMPS_KNOWN
    EXPECT("uncertain 0");
#else
    EXPECT("most uncertain %lu", jumped * 16);
    EXPECT("most beyond 1000"); /* what is not known to have been left fills the stack, which no handler makes grow */
    EXPECT("most unmatched 1000"); /* exits of those, where a jump ended the counting of them in between */
#endif
    EXPECT("least abandoned 100");
    EXPECT("torn");
    EXPECT("closed 1");
    expect_untouched();
    return 0;
}
