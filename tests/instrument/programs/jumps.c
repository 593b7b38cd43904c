/* longjmp and siglongjmp out of nested calls and out of signal handlers, also from an alternate stack: what runs
 * afterwards is attributed to where it runs. JUMPS_KNOWN: the library sees setjmp and longjmp (shared, preloaded). */
#include "expect.h"

#include <setjmp.h>

static jmp_buf out;
static sigjmp_buf sig_out;
static volatile int rounds;
static unsigned long jumped;

int leaf(int x)
{
    COUNT();
    return x + 1;
}

void thrower(int depth)
{
    COUNT();
    jumped++;
    if (depth == 0)
        longjmp(out, 3);
    thrower(depth - 1);
    leaf(0);
}

int catcher(int depth)
{
    COUNT();
    int caught = setjmp(out);
    if (!caught)
        thrower(depth);
    leaf(1);
    return caught;
}

int outer(int n)
{
    COUNT();
    int r = catcher(n);
    leaf(2);
    return r;
}

void raiser(int s)
{
    COUNT();
    jumped++;
    leaf(3);
    raise(s);
    CHECK(!"reached");
}

void handler(int s)
{
    COUNT();
    jumped++;
    leaf(4);
    (void)s;
    siglongjmp(sig_out, 5);
}

int handled(int s)
{
    COUNT();
    if (sigsetjmp(sig_out, 1) == 0)
        raiser(s);
    leaf(5);
    return 1;
}

/* the functions that were left are entered again from another place at once */
int again(int x)
{
    COUNT();
    return leaf(x);
}

void second_jump(void)
{
    COUNT();
    jumped++;
    longjmp(out, 1);
}

int main(void)
{
    COUNT();
    static char other_stack[65536];
    stack_t ss = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)}, off = {.ss_flags = SS_DISABLE};
    struct sigaction a = {.sa_handler = handler}, old;
    for (int i = 0; i < 100; i++) {
        CHECK(outer(i % 30) == 3);
        again(i);
    }
    sigaction(SIGUSR1, &a, &old);
    for (int i = 0; i < 100; i++) {
        handled(SIGUSR1);
        again(i);
    }
    sigaction(SIGUSR1, &old, NULL);
    CHECK(sigaltstack(&ss, NULL) == 0);
    a.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR2, &a, &old);
    for (int i = 0; i < 100; i++) {
        handled(SIGUSR2);
        again(i);
    }
    sigaction(SIGUSR2, &old, NULL);
    CHECK(sigaltstack(&off, NULL) == 0);
    /* the caller of setjmp jumps itself, through one call each time */
    rounds = 0;
    setjmp(out);
    leaf(6);
    if (++rounds < 1000)
        second_jump();
    expect_counts();
#ifdef JUMPS_KNOWN
    EXPECT("abandoned %lu", jumped);
    EXPECT("uncertain 0");
    EXPECT("path main>outer 100");
    EXPECT("path main>outer>catcher>leaf 100");
    EXPECT("path main>outer>leaf 100");
    EXPECT("path main>again 300");
    EXPECT("path main>again>leaf 300");
    EXPECT("path main>handled>leaf 200");
    EXPECT("path main>handled>raiser>leaf 200");
    EXPECT("path main>handled>raiser>handler 200");
    EXPECT("path main>second_jump 999");
    EXPECT("path main>leaf 1000");
#else /* by stack addresses alone: each call counted, doubtful ones said to be so */
    EXPECT("most abandoned %lu", jumped);
    EXPECT("least uncertain 1000");
    EXPECT("most uncertain %lu", jumped);
#endif
    EXPECT("nolaw");
    EXPECT("closed 1");
    expect_untouched();
    return 0;
}
