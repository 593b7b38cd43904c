/* Ends in the way that its first argument names, with activations open and CALLS calls counted. */
#include "expect.h"

#include <pthread.h>
#include <sys/resource.h>

#define CALLS 100000

int leaf(int x)
{
    COUNT();
    return x + 1;
}

void end(const char *how)
{
    COUNT();
    double spent = expect_spin(20);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    EXPECT("open main 1");
    EXPECT("open middle 1");
    EXPECT("open end 1");
    EXPECT("path main>middle>end 1");
    EXPECT("path main>middle>leaf %d", CALLS);
    EXPECT("live 1");
    EXPECT("processes 1");
    leaf(1); /* an event right before the end: what was open lasted until now */
    EXPECT("path main>middle>end>leaf 1");
    EXPECT("calls leaf %d", CALLS + 1);
#ifndef COUNTED /* what was counted by then has no time of its own */
    EXPECT("elapsed end %.3f %.3f", spent, spent + 1000);
#endif
    switch (how[0]) {
    case '_':
        _exit(5);
    case 'a':
        abort();
    case 's':
        *(volatile int *)(uintptr_t)8 = 1;
        break;
    case 'k':
        kill(getpid(), SIGKILL);
        break;
    case 't':
        kill(getpid(), SIGTERM);
        break;
    case 'q':
        quick_exit(6);
    default:
        break;
    }
}

void middle(const char *how)
{
    COUNT();
    for (int i = 0; i < CALLS; i++)
        leaf(i);
    end(how);
}

int main(int argc, char **argv)
{
    COUNT();
    middle(argc > 1 ? argv[1] : "");
    return 0;
}
