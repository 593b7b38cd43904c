/* gcc inlines after it instruments: hooks of inlined functions see the caller's stack pointer, also while stack
 * arguments of an inner call are not popped yet. */
#include "expect.h"

__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, long h)
{
    COUNT();
    return a + b + c + d + e + f + g + h;
}

static inline __attribute__((always_inline)) long inner(long x)
{
    COUNT();
    return many(x, 1, 2, 3, 4, 5, 6, x);
}

static inline __attribute__((always_inline)) long twice(long x)
{
    COUNT();
    return inner(x) + inner(x + 1);
}

__attribute__((noinline)) long outer(long x)
{
    COUNT();
    long r = twice(x);
    r += many(r, 1, 2, 3, 4, 5, 6, 7);
    return r + inner(r);
}

static inline __attribute__((always_inline)) long room(long n)
{
    COUNT();
    char *p = __builtin_alloca((size_t)n * 1000); /* the exit hook sees a lower stack pointer than the enter hook */
    p[0] = (char)n;
    __asm__ volatile("" ::"r"(p) : "memory");
    return p[0];
}

__attribute__((noinline)) long array(long n)
{
    COUNT();
    volatile char variable[n * 1000];
    variable[0] = 1;
    return many(variable[0], 1, 1, 1, 1, 1, 1, 1);
}

__attribute__((noinline)) long rooms(long n)
{
    COUNT();
    long sum = 0;
    for (long i = 1; i < n; i++)
        sum += room(i) + array(i * i);
    return sum + many(1, 2, 3, 4, 5, 6, 7, 8);
}

int main(void)
{
    COUNT();
    long sum = 0;
    for (long i = 0; i < 1000; i++)
        sum += outer(i) + rooms(5);
    CHECK(sum != 0);
    expect_counts();
    EXPECT("path main>outer>twice>inner>many 2000");
    EXPECT("path main>outer>inner>many 1000");
    EXPECT("path main>outer>many 1000");
    EXPECT("path main>rooms>room 4000");
    EXPECT("path main>rooms>array 4000");
    EXPECT("path main>rooms>array>many 4000");
    EXPECT("path main>rooms>many 1000");
    EXPECT("closed 1");
    return 0;
}
