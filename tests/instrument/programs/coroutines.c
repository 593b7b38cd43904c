/* Coroutines on malloc'ed, static and mmap'ed stacks that yield to each other in the middle of calls. */
#include "expect.h"

#include <sys/mman.h>
#include <ucontext.h>

#define COROUTINES 6
#define STACK      (128 * 1024)

static ucontext_t main_context, context[COROUTINES];
static int finished[COROUTINES];
static unsigned long total;
static double own_ms;

void yield(int me)
{
    COUNT();
    swapcontext(&context[me], &main_context);
}

int inner(int me, int n)
{
    COUNT();
    if (n > 0) {
        inner(me, n - 1);
        yield(me);
        total++;
    }
    return n;
}

int slow(int me)
{
    COUNT();
    own_ms += expect_spin(5);
    yield(me); /* what passes in other coroutines is not its own */
    own_ms += expect_spin(5);
    return me;
}

void body(int me)
{
    COUNT();
    for (int i = 0; i < 20; i++)
        inner(me, 1 + (me + i) % 5);
    if (me < 2)
        slow(me);
    finished[me] = 1;
}

void resume(int me)
{
    COUNT();
    swapcontext(&main_context, &context[me]);
}

int between(int x)
{
    COUNT();
    return x;
}

int main(void)
{
    COUNT();
    static char static_stacks[2][STACK];
    for (int i = 0; i < COROUTINES; i++) {
        getcontext(&context[i]);
        void *stack = i < 2   ? malloc(STACK)
                      : i < 4 ? static_stacks[i - 2]
                              : mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        context[i].uc_stack.ss_sp = stack;
        context[i].uc_stack.ss_size = STACK;
        context[i].uc_link = &main_context;
        makecontext(&context[i], (void (*)(void))body, 1, i);
    }
    int left = COROUTINES;
    double begin = expect_now_ms();
    unsigned long resumed = 0;
    while (left > 0) {
        left = 0;
        expect_spin(1);
        for (int i = 0; i < COROUTINES; i++)
            if (!finished[i]) {
                resume(i);
                between(i);
                resumed++;
                left += !finished[i];
            }
    }
    expect_counts();
#ifdef BY_ADDRESS /* makecontext is not seen: stacks side by side are told apart by luck, and said to be uncertain */
    EXPECT("most uncertain 100000");
    EXPECT("most abandoned 100000");
    EXPECT("most unmatched 100000");
#else
    EXPECT("path main>resume %lu", resumed);
    EXPECT("path main>between %lu", resumed);
    EXPECT("path body %d", COROUTINES);
#ifndef COUNTED /* where yield and resume are only counted, no hook tells that the stack has changed */
    EXPECT("path body>slow 2");
    EXPECT("elapsed slow %.3f %.3f", own_ms, own_ms + 0.25 * (expect_now_ms() - begin));
#endif
#endif
    EXPECT("nolaw");
    EXPECT("closed 1");
    EXPECT("least switches %lu", resumed);
    expect_untouched();
    return 0;
}
