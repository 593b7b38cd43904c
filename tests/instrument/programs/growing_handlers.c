/* A handler at each instruction of two hooks in turn, whose calls make the shadow stack grow: that moves its frames,
 * and the hooks go on. One thread for each instruction, since a stack grows once. */
#define _GNU_SOURCE
#include "expect.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#define TRAP_FLAG    0x100
#define INSTRUCTIONS 130 /* at most: those of the quick hooks are fewer */
#define DEPTH        100 /* frames; a new shadow stack has room for some 60 */

static __thread int target, steps, grown;
static __thread char *low, *high;
static __thread volatile bool ends;

int deep(int depth)
{
    COUNT();
    return depth == 0 ? 1 : deep(depth - 1) + 1;
}

static PLAIN void step(int s, siginfo_t *info, void *context)
{
    (void)s;
    (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (ends) {
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        return;
    }
    char *sp = (char *)registers[REG_RSP]; // NOLINT(performance-no-int-to-ptr)
    if (sp > low && sp <= high && ++steps == target) {
        CHECK(deep(DEPTH - 1) == DEPTH);
        grown++;
    }
}

int leaf(int x)
{
    COUNT();
    __asm__ volatile("");
    return x & 1;
}

int caller(int x, bool stepped)
{
    COUNT();
    if (stepped)
        __asm__ volatile("pushf\norq %0, (%%rsp)\npopf" : : "i"(TRAP_FLAG) : "memory", "cc");
    x = leaf(x);
    ends = stepped;
    __asm__ volatile("");
    return x;
}

void *thread(void *any)
{
    COUNT();
    pthread_attr_t attributes;
    void *stack;
    size_t size;
    CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0);
    CHECK(pthread_attr_getstack(&attributes, &stack, &size) == 0);
    pthread_attr_destroy(&attributes);
    low = stack;
    high = low + size;
    target = *(int *)any;
    for (int i = 0; i < 4; i++)
        CHECK(caller(i, false) == (i & 1));
    CHECK(caller(1, true) == 1);
    for (int i = 0; i < 4; i++)
        CHECK(caller(i, false) == (i & 1));
    *(int *)any = grown;
    return NULL;
}

int main(void)
{
    COUNT();
    struct sigaction a = {.sa_sigaction = step, .sa_flags = SA_SIGINFO}, old;
    sigaction(SIGTRAP, &a, &old);
    int grew = 1, threads = 0;
    for (; grew && threads < INSTRUCTIONS; threads++) {
        pthread_t t;
        grew = threads + 1;
        CHECK(pthread_create(&t, NULL, thread, &grew) == 0);
        CHECK(pthread_join(t, NULL) == 0);
    }
    sigaction(SIGTRAP, &old, NULL);
    CHECK(threads > 40); /* as many instructions at least */
    expect_counts();
    EXPECT("closed 1");
    expect_untouched();
    return 0;
}
