/* Processes that end while their threads call, enter new paths, start and end: no thread is harmed by the closing of
 * the profile, and no process ends otherwise than it would. */
#include "expect.h"

#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#define PROCESSES 25
#define THREADS   6

long leaf(long x)
{
    return x + 1;
}

long repeated(long x)
{
    for (int i = 0; i < 3; i++)
        x += leaf(x);
    return x;
}

#define BRANCH(n)                                                                                                      \
    long branch_##n(int depth, unsigned long way)                                                                      \
    {                                                                                                                  \
        return depth ? branch(depth - 1, way) : n;                                                                     \
    }
long branch(int depth, unsigned long way);
BRANCH(0)
BRANCH(1)
BRANCH(2)
BRANCH(3)

long branch(int depth, unsigned long way)
{
    static long (*const ways[])(int, unsigned long) = {branch_0, branch_1, branch_2, branch_3};
    return ways[way >> 2 * depth & 3](depth, way);
}

void *calling(void *p)
{
    unsigned long way = (unsigned long)(uintptr_t)p;
    for (long sum = 0;;) {
        for (int i = 0; i < 100; i++)
            sum += repeated(i);
        way = way * 6364136223846793005u + 1442695040888963407u;
        sum += branch(8, way >> 40);
    }
    return NULL;
}

void *brief(void *p)
{
    repeated(1);
    return p;
}

PLAIN void *starting(void *p)
{
    for (pthread_t t;;)
        if (pthread_create(&t, NULL, brief, NULL) == 0)
            pthread_join(t, NULL);
    return p;
}

void child(int n)
{
    pthread_t t;
    struct timespec time = {0, 200000 + n * 1000000};
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t, NULL, calling, (void *)(uintptr_t)(n * THREADS + i));
    pthread_create(&t, NULL, starting, NULL);
    nanosleep(&time, NULL);
    exit(7);
}

int main(void)
{
    COUNT();
    for (int n = 0; n < PROCESSES; n++) {
        int status;
        pid_t pid = fork();
        if (pid == 0)
            child(n);
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(status == 7 << 8);
    }
    expect_counts();
    EXPECT("calls main 1");
    EXPECT("calls child %d", PROCESSES);
    EXPECT("processes %d", PROCESSES + 1);
    EXPECT("closed %d", PROCESSES + 1);
    EXPECT("least late 0");
    EXPECT("least lost 0");
    EXPECT("least inexact 0"); /* of threads that begin when the profile is closed */
    EXPECT("nolaw");
    return 0;
}
