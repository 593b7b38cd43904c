/* Threads that are first measured when nothing tells their end any more: in the last round of destructors. Nothing of
 * the library's may stay behind: memory, stacks and timers of a thousand such threads would be the program's. */
#include "expect.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#define THREADS 400
#define LEFT    40 /* mappings that may come for other reasons */

static pthread_key_t key; /* made after the first hook, so that its destructor runs behind the library's */
static volatile int sink;

__attribute__((noinline)) int late(int x)
{
    return x + 1;
}

__attribute__((noinline)) int brief(int x)
{
    COUNT();
    return x + 2;
}

static PLAIN void destructor(void *p)
{
    uintptr_t round = (uintptr_t)p;
    if (round < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(key, (void *)(round + 1));
    else
        sink = late((int)round);
}

static PLAIN void *unseen(void *p)
{
    pthread_setspecific(key, (void *)(uintptr_t)1);
    return p;
}

static PLAIN void *seen(void *p)
{
    sink = brief(1);
    return unseen(p);
}

static PLAIN int lines(const char *path)
{
    FILE *f = fopen(path, "r");
    int n = 0;
    for (int c; f && (c = fgetc(f)) != EOF;)
        n += c == '\n';
    if (f)
        fclose(f);
    return n;
}

static PLAIN void start_each(int count)
{
    pthread_t t;
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&t, NULL, i % 2 ? seen : unseen, NULL) == 0 && pthread_join(t, NULL) == 0);
}

int main(void)
{
    COUNT();
    CHECK(pthread_key_create(&key, destructor) == 0);
    start_each(2);
    int maps = lines("/proc/self/maps"), timers = lines("/proc/self/timers");
    start_each(THREADS - 2);
    maps = lines("/proc/self/maps") - maps;
    timers = lines("/proc/self/timers") - timers;
    if (maps > LEFT || timers > LEFT)
        fprintf(stderr, "%d mappings and %d lines of timers more\n", maps, timers);
    CHECK(maps <= LEFT && timers <= LEFT);
    expect_counts();
    EXPECT("most inexact %d", 2 * THREADS);
    EXPECT("most lost %d", THREADS); /* what is called that late, where a thread that is not measured counts nothing */
    return 0;
}
