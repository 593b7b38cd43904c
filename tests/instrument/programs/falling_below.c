/* A function falls in the middle of a call, and its caller's stack is much lower when that returns: the exit is the
 * caller's all the same. */
#include "expect.h"

#include <alloca.h>

static volatile int sink;

__attribute__((noinline)) void often(int x)
{
    COUNT();
    sink = x;
}

__attribute__((noinline)) void falls(int x)
{
    COUNT();
    volatile char *lower = alloca(3000); /* its exit is at another address than its enter */
    lower[0] = (char)x;
    for (volatile int j = 0; j < 10000; j++) /* nearly all time passes here: levels change at the next enter */
        ;
    often(x);
}

__attribute__((noinline)) void stays(void)
{
    COUNT();
    for (int i = 0; i < 50; i++) {
        falls(i);
        volatile char *lower = alloca(4000);
        lower[0] = (char)i;
    }
}

int main(void)
{
    COUNT();
    for (int i = 0; i < 60; i++)
        stays();
    expect_counts();
    EXPECT("path main>stays 60");
    EXPECT("closed 1");
    return 0;
}
