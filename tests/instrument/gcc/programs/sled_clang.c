/* What clang and gcc both take: sleds of clang are read, checked and patched by the same code. */
#include "tests/instrument/gcc/sled_patcher.h"

volatile int opaque = 1;

__attribute__((noinline)) int leaf(int n)
{
    return n + opaque;
}
__attribute__((noinline)) int tail(int n)
{
    return leaf(n + 1);
}
__attribute__((noinline)) int twice(int n)
{
    return leaf(n) + tail(n);
}

int main(void)
{
    sleds_patch();
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += twice(i);
    sleds_expect("twice", 10, 10);
    sleds_expect("tail", 10, 10);
    sleds_expect("leaf", 20, 20);
    return sleds_failures() || sum != 120;
}
