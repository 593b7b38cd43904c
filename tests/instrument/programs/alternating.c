/* Two functions that are timed take turns, a millisecond each. One of them calls `leaf` all the time, from deep in the
 * stack; the other calls nothing that is instrumented. */
#include <time.h>

enum { TURNS = 400, DEPTH = 12000 };

static volatile unsigned sum;

__attribute__((noinline)) void leaf(unsigned n)
{
    for (unsigned i = 0; i < 20; i++)
        sum += n ^ i;
}

__attribute__((no_instrument_function)) static long now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

__attribute__((noinline, no_instrument_function)) static void call_leaf_from_deep(void)
{
    volatile char deep[DEPTH];
    long begin = now_us();
    for (unsigned n = 0; now_us() - begin < 1000; n++) {
        deep[n % DEPTH] = 0;
        leaf(n);
    }
}

__attribute__((noinline)) void caller(void)
{
    call_leaf_from_deep();
}

__attribute__((noinline)) void alone(void)
{
    for (long begin = now_us(); now_us() - begin < 1000;)
        sum++;
}

int main(void)
{
    for (int i = 0; i < TURNS; i++) {
        caller();
        alone();
    }
    return 0;
}
