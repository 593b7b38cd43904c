/* A function that is called far more often than a budget allows to count; and, long after its hooks went off, eight
 * others for the first time, each a few times in a moment. */
#include <stdio.h>

static volatile unsigned sink;

__attribute__((noinline)) void hot(unsigned seed)
{
    for (unsigned i = 0; i < 40; i++)
        seed = seed * 1664525 + 1013904223;
    sink = seed;
}

__attribute__((noinline)) void busy(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        hot(i);
}

/* The number keeps equal functions apart. */
#define LATE(name, number)                                                                                             \
    __attribute__((noinline)) void name(void)                                                                          \
    {                                                                                                                  \
        sink += number;                                                                                                \
    }
LATE(late_a, 1)
LATE(late_b, 2)
LATE(late_c, 3)
LATE(late_d, 4)
LATE(late_e, 5)
LATE(late_f, 6)
LATE(late_g, 7)
LATE(late_h, 8)

static void (*const late[])(void) = {late_a, late_b, late_c, late_d, late_e, late_f, late_g, late_h};

__attribute__((noinline)) void phase(unsigned k)
{
    for (unsigned i = 0; i <= k; i++)
        late[k]();
    sink++;
}

int main(void)
{
    busy(6000000);
    for (unsigned k = 0; k < 8; k++) {
        busy(60000 + 20000 * k);
        phase(k);
    }
    busy(1000000);
    puts("done");
    return 0;
}
