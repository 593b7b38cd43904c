/* Many threads, each of which calls a few functions and ends: by C11's own create, too, and with destructors. */
#include "expect.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#ifndef THREADS
#define THREADS 20000
#endif
#define AT_ONCE 50

static pthread_key_t key;

__attribute__((noinline)) int few(int x)
{
    COUNT();
    return x + 1;
}

void destructor(void *p)
{
    COUNT();
    few((int)(intptr_t)p);
}

void *brief(void *p)
{
    COUNT();
    pthread_setspecific(key, p);
    for (int i = 0; i < 3; i++)
        few(i);
    return p;
}

int brief_c11(void *p)
{
    COUNT();
    few((int)(intptr_t)p);
    return 7;
}

int main(void)
{
    COUNT();
    pthread_t t[AT_ONCE];
    pthread_key_create(&key, destructor);
    for (int n = 0; n < THREADS; n += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++)
            CHECK(pthread_create(&t[i], NULL, brief, &key) == 0);
        for (int i = 0; i < AT_ONCE; i++)
            pthread_join(t[i], NULL);
    }
    for (int n = 0; n < 100; n++) {
        thrd_t c11;
        int result;
        CHECK(thrd_create(&c11, brief_c11, NULL) == thrd_success && thrd_join(c11, &result) == thrd_success);
        CHECK(result == 7);
    }
    expect_counts();
    EXPECT("closed 1");
    /* 32 KiB a thread of the first thousand: its record, paths and stack, twice, and those that run at once. Later ones
     * go on with the records of threads that ended. */
    int records = THREADS < 1100 ? THREADS : 1100;
    EXPECT("most megabytes %d", 16 + records / 32);
    return 0;
}
