/* More threads than have records of their own: later ones go on with the records of threads that have ended, by the
 * function that they run, so that the profile is bounded by those that run at a time. Calls stay exact on their paths.
 */
#include "expect.h"

#include <pthread.h>

#define ROUNDS  1500
#define AT_ONCE 4

__attribute__((noinline)) int leaf(int x)
{
    COUNT();
    return x + 1;
}

void *first(void *p)
{
    COUNT();
    leaf(1);
    return p;
}

void *second(void *p)
{
    COUNT();
    leaf(1);
    leaf(2);
    return p;
}

int main(void)
{
    COUNT();
    pthread_t t[AT_ONCE];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < AT_ONCE; i++)
            CHECK(pthread_create(&t[i], NULL, i % 2 ? first : second, NULL) == 0);
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(t[i], NULL);
    }
    expect_counts();
    EXPECT("path first %d", ROUNDS * AT_ONCE / 2);
    EXPECT("path second %d", ROUNDS * AT_ONCE / 2);
    EXPECT("path first>leaf %d", ROUNDS * AT_ONCE / 2);
    EXPECT("path second>leaf %d", ROUNDS * AT_ONCE);
    EXPECT("threads %d", ROUNDS * AT_ONCE + 1);
    EXPECT("most records %d", 1000 + 4 * AT_ONCE);
    EXPECT("open leaf 0");
    EXPECT("closed 1");
    expect_untouched();
    return 0;
}
