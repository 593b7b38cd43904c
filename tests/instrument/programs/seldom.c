/* A thread that mostly waits, and makes a few short calls now and then: every one of them is timed, so that no wait is
 * taken for time of theirs. */
#include "expect.h"

#include <time.h>

static volatile int sum;

static void little(int i)
{
    COUNT();
    sum += i;
}

static void a_few(int i)
{
    COUNT();
    for (int k = 0; k < 5; k++)
        little(i + k);
}

int main(void)
{
    COUNT();
    for (int i = 0; i < 150; i++) {
        a_few(i);
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    expect_counts();
    return 0;
}
