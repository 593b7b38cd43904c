/* Recursion of DEPTH levels, then ordinary calls. */
#include "expect.h"

#include <pthread.h>

#ifndef DEPTH
#define DEPTH 100000
#endif
#define LIMIT 1000000

static long bottom;

int leaf(int x)
{
    COUNT();
    return x;
}

long descend(long n)
{
    COUNT();
    if (n == 0) {
        leaf(1);
        return ++bottom;
    }
    return descend(n - 1) + 1;
}

void *thread(void *p)
{
    COUNT();
    for (int i = 0; i < 2; i++)
        descend(DEPTH);
    leaf(2);
    return p;
}

int main(void)
{
    COUNT();
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    CHECK(pthread_attr_setstacksize(&a, DEPTH * 200ul) == 0);
    CHECK(pthread_create(&t, &a, thread, NULL) == 0);
    pthread_join(t, NULL);
    EXPECT("path thread>leaf 1");
    EXPECT("path thread>descend>descend>descend 2");
#if DEPTH < LIMIT
    expect_counts();
#else
    EXPECT("calls main 1");
    EXPECT("least beyond %d", 2 * (DEPTH - LIMIT) - 100);
    EXPECT("most beyond %d", 2 * (DEPTH - LIMIT) + 100);
    EXPECT("stopped 8");
#endif
    EXPECT("closed 1");
    return 0;
}
