/* Two calls of one function from one caller, and a call through qsort, for --call-sites and --native-frames. */
#include "expect.h"

int leaf(int x)
{
    COUNT();
    return x;
}

int twice(int x)
{
    COUNT();
    int a = leaf(x);
    __asm__ volatile("" ::: "memory");
    return a + leaf(x + 1);
}

int compare(const void *a, const void *b)
{
    COUNT();
    return *(const int *)a - *(const int *)b;
}

void sort(void)
{
    COUNT();
    int v[100];
    for (int i = 0; i < 100; i++)
        v[i] = (i * 37) % 101;
    qsort(v, 100, sizeof(int), compare);
    for (int i = 1; i < 100; i++)
        CHECK(v[i - 1] <= v[i]);
}

int main(void)
{
    COUNT();
    for (int i = 0; i < 50; i++)
        twice(i);
    sort();
    expect_counts();
    EXPECT("path main>twice>leaf 100");
#ifdef BY_SITE
    EXPECT("least nodes 8"); /* root, beyond, main, twice, leaf, leaf, sort, compare */
#else
    EXPECT("nodes 7");
#endif
#ifdef NATIVE
    EXPECT("native main>sort>compare 0x");
#endif
    EXPECT("closed 1");
    return 0;
}
