/* A function falls to counted while an activation of it runs a timed one, and its exit sites go off before it ends.
 * What its caller calls next, from the same place on the stack, is not called by it. */
#include "expect.h"

enum { TIMES = 3000, CALLS = 100000 };

static volatile int sum;

static __attribute__((noinline)) void little(int i)
{
    sum += i;
}

static __attribute__((noinline)) void bottom(void)
{
    for (int i = 0; i < CALLS; i++)
        little(i);
}

static __attribute__((noinline)) void falls(int last)
{
    if (last)
        bottom();
}

static __attribute__((noinline)) void next(void)
{
    sum++;
}

int main(void)
{
    for (int i = 1; i <= TIMES; i++)
        falls(i == TIMES);
    next();
    EXPECT("calls falls %d", (int)TIMES);
    EXPECT("most timed %d", CALLS / 2);
    EXPECT("path main>next 1");
    return 0;
}
