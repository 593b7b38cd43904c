/* Recursion, mutual recursion, one function from several callers, 300 siblings in random order, pointers, tail calls.
 */
#include "expect.h"

static unsigned long seed = 88172645463325252ul;

static PLAIN unsigned long next_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

int fib(int n)
{
    COUNT();
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int odd(int n);
int even(int n)
{
    COUNT();
    return n == 0 ? 1 : odd(n - 1);
}

int odd(int n)
{
    COUNT();
    return n == 0 ? 0 : even(n - 1);
}

int ackermann(int m, int n)
{
    COUNT();
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

int leaf(int x)
{
    COUNT();
    return x ^ 1;
}

static unsigned long first_leaves, second_leaves;

void first(int n)
{
    COUNT();
    for (int i = 0; i < n; i++, first_leaves++)
        leaf(i);
}

void second(int n)
{
    COUNT();
    for (int i = 0; i < n; i++, second_leaves++)
        leaf(i);
}

#define SIBLING(n)                                                                                                     \
    int sibling_##n(int x)                                                                                             \
    {                                                                                                                  \
        COUNT();                                                                                                       \
        return x + n;                                                                                                  \
    }
#define TEN(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define HUNDRED(M, n)                                                                                                  \
    TEN(M, n##0)                                                                                                       \
    TEN(M, n##1) TEN(M, n##2) TEN(M, n##3) TEN(M, n##4) TEN(M, n##5) TEN(M, n##6) TEN(M, n##7) TEN(M, n##8) TEN(M, n##9)
HUNDRED(SIBLING, 1)
HUNDRED(SIBLING, 2)
HUNDRED(SIBLING, 3)
#define NAME(n) sibling_##n,
static int (*const siblings[300])(int) = {HUNDRED(NAME, 1) HUNDRED(NAME, 2) HUNDRED(NAME, 3)};

int dispatch(int rounds)
{
    COUNT();
    int sum = 0;
    for (int i = 0; i < rounds; i++)
        sum = siblings[next_random() % 300](sum);
    return sum;
}

static int compare(const void *a, const void *b)
{
    COUNT();
    return *(const int *)a - *(const int *)b;
}

static inline int small(int x)
{
    COUNT();
    return x * 3;
}

int big_frame(int n)
{
    COUNT();
    volatile char room[20000];
    room[n] = (char)n;
    return leaf(room[n]) + 1; /* its exit hook may see another stack address */
}

int big_tail(int n)
{
    COUNT();
    volatile char room[9000];
    room[n] = 1;
    return room[n];
}

int main(void)
{
    COUNT();
    CHECK(fib(17) == 1597);
    CHECK(even(1000) && !odd(1000));
    CHECK(ackermann(2, 9) == 21);
    first(1000);
    second(2000);
    first(10);
    dispatch(30000);
    int numbers[500];
    for (int i = 0; i < 500; i++)
        numbers[i] = (int)(next_random() % 10000);
    qsort(numbers, 500, sizeof(int), compare);
    for (int i = 1; i < 500; i++)
        CHECK(numbers[i - 1] <= numbers[i]);
    for (int i = 0; i < 100; i++)
        CHECK(small(i) == 3 * i && big_frame(i) && big_tail(i));
    errno = 77;
    leaf(1);
    CHECK(errno == 77);
    expect_counts();
    EXPECT("path main>first>leaf %lu", first_leaves);
    EXPECT("path main>second>leaf %lu", second_leaves);
    EXPECT("path main>leaf 1");
    EXPECT("path main>big_frame>leaf 100");
    EXPECT("path main>even>odd>even>odd 1");
    EXPECT("path main>fib>fib>fib 4");
    EXPECT("path main>dispatch 1");
    EXPECT("processes 1");
    EXPECT("threads 1");
    EXPECT("closed 1");
    EXPECT("switches 0");
    expect_untouched();
    return 42;
}
