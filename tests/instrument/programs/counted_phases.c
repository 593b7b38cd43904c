/* counted_phases [ROUNDS]: phases in turns (5): calls that are recorded, as many as a trace does not count; calls that
 * are counted in place; and a function that computes without a call. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Takes several times what counting it does, on any machine: windows see how often it is called. */
int leaf(int x)
{
    for (int i = 0; i < 16; i++)
        __asm__ volatile("" : "+r"(i));
    return x + 1;
}

int rare(int x)
{
    __asm__ volatile("");
    return x + 1;
}

int calls(int n)
{
    int x = 0;
    for (int i = 0; i < n; i++)
        x = leaf(x);
    return x;
}

static __attribute__((no_instrument_function)) double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

void computes(void)
{
    for (double end = now_ms() + 20; now_ms() < end;)
        ;
}

int main(int argc, char **argv)
{
    int sum = 0, rounds = argc > 1 ? atoi(argv[1]) : 5;
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 300; k++)
            sum += rare(k) - k - 1;
        sum += calls(10000000);
        computes();
    }
    return sum != 10000000 * rounds;
}
