/* A function that calls itself is counted in place while an activation of it is open, which runs no exit hook. Of a
 * setjmp that comes next, without a hook in between, longjmp still ends exactly what was called since. OTHER_STACK: the
 * function is a handler on another stack, and stays the last thing that the hooks saw. */
#include "expect.h"

#include <setjmp.h>

#define CALLS 65535

static jmp_buf back;
static volatile unsigned long calls;

void falls(int outermost)
{
    volatile char deeper[2000]; /* than what setjmp's caller calls next */
    deeper[0] = 0;
    calls++;
    for (int i = 0; outermost && i < CALLS; i++)
        falls(0);
}

double leaves(void)
{
    COUNT();
    volatile double ms = expect_spin(20);
    EXPECT("elapsed leaves %.3f %.3f", ms, ms + 10);
    longjmp(back, 1);
}

void begins(void)
{
#ifdef OTHER_STACK
    static char other_stack[1 << 18];
    stack_t ss = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)}, off = {.ss_flags = SS_DISABLE};
    struct sigaction a = {.sa_handler = falls, .sa_flags = SA_ONSTACK}, old;
    CHECK(sigaltstack(&ss, NULL) == 0);
    sigaction(1, &a, &old);
    raise(1);
    sigaction(1, &old, NULL);
#else
    falls(1);
#endif
    if (setjmp(back) == 0)
        leaves();
#ifdef OTHER_STACK
    CHECK(sigaltstack(&off, NULL) == 0);
#endif
    expect_spin(30);
}

int main(void)
{
    COUNT();
    begins();
    CHECK(calls == CALLS + 1);
    expect_counts();
    EXPECT("calls falls %lu", calls);
    EXPECT("path main>begins 1");
    EXPECT("path main>begins>leaves 1");
    EXPECT("abandoned 1");
    EXPECT("closed 1");
    expect_untouched();
    return 0;
}
