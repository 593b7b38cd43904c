/* Functions that clang -Os leaves by a conditional jump into another one: its sled stands between the comparison and
 * the jump, where neither a probe nor a sled that is off may touch the flags. */
#include "expect.h"

__attribute__((noinline)) int leaf(int x)
{
    COUNT();
    return x * 3;
}

__attribute__((noinline)) int chosen(unsigned a, unsigned b)
{
    return a > b ? leaf((int)a) : leaf((int)b) + 1;
}

int main(void)
{
    COUNT();
    for (unsigned i = 0; i < 200000; i++)
        CHECK(chosen(i % 50, 25) == (i % 50 > 25 ? (int)(i % 50) * 3 : 76));
    expect_counts();
    return 0;
}
