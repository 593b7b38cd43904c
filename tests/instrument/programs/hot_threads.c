/* Threads that call functions millions of times while their levels fall, and some functions rarely; SIGPROF looks at
 * the stack meanwhile. Each thread counts by itself. FORKS: the main thread forks meanwhile, in several ways. */
#define _GNU_SOURCE
#include "expect.h"

#include <execinfo.h>
#include <pthread.h>
#include <sys/time.h>
#include <sys/wait.h>

#define THREADS   4
#define FUNCTIONS 12

struct own {
    uint64_t calls[FUNCTIONS];
    unsigned seed;
};
static __thread struct own *own;
static volatile int started, over;
static volatile unsigned long looks;

#define FUNCTION(n)                                                                                                    \
    __attribute__((noinline)) int hot_##n(int x)                                                                       \
    {                                                                                                                  \
        own->calls[n]++;                                                                                               \
        return x * 3 + n;                                                                                              \
    }
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)
FUNCTION(7)
FUNCTION(8)
FUNCTION(9)
FUNCTION(10)
FUNCTION(11)
static int (*const functions[])(int) = {hot_0, hot_1, hot_2, hot_3, hot_4,  hot_5,
                                        hot_6, hot_7, hot_8, hot_9, hot_10, hot_11};

/* The higher n, the later it is called, and the more rarely. */
__attribute__((noinline)) int round_of(int r)
{
    int sum = r;
    for (int n = 0; n < FUNCTIONS; n++)
        if (n < 4 || (r % (1 << n) == 0 && r > 1000 * n))
            for (int i = 0; i < 20; i++)
                sum += functions[n](sum);
    return sum;
}

void *thread(void *p)
{
    own = p;
    started++;
    volatile int sum = 0;
    for (int r = 0; r < ROUNDS; r++)
        sum += round_of(r);
    return NULL;
}

PLAIN void look(int s)
{
    void *frames[30];
    int saved = errno;
    looks += (unsigned long)backtrace(frames, 30);
    errno = saved + s - s;
}

static PLAIN void expect_own(const struct own *all, int count)
{
    for (int n = 0; n < FUNCTIONS; n++) {
        uint64_t calls = 0;
        for (int t = 0; t < count; t++)
            calls += all[t].calls[n];
        EXPECT("calls@%d hot_%d %lu", (int)getpid(), n, (unsigned long)calls);
    }
}

#ifdef FORKS
/* In a child, which counts for itself; _Fork: without handlers of atfork. */
static PLAIN void in_child(void)
{
    static struct own childs;
    own = &childs;
    for (int r = 0; r < 3000; r++)
        round_of(r * 16);
    expect_own(&childs, 1);
    EXPECT("calls@%d round_of 3000", (int)getpid());
    exit(3);
}

static PLAIN void forks(void)
{
    for (int i = 0; i < 10; i++) {
        int status;
        pid_t pid = i % 3 == 2 ? vfork() : i % 3 ? _Fork() : fork();
        if (pid == 0 && i % 3 == 2) {
            execl("/bin/sh", "sh", "-c", "exit 3", NULL);
            _exit(9);
        }
        if (pid == 0)
            in_child();
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(status == 3 << 8);
    }
}
#endif

int main(void)
{
    COUNT();
    static struct own all[THREADS];
    pthread_t t[THREADS];
    void *frame;
    backtrace(&frame, 1); /* loads what it needs */
    struct sigaction a = {.sa_handler = look, .sa_flags = SA_RESTART}, old;
    struct itimerval fast = {{0, 1000}, {0, 1000}}, stop = {{0, 0}, {0, 0}};
#ifndef FORKS
    sigaction(SIGPROF, &a, &old);
    setitimer(ITIMER_PROF, &fast, NULL);
#endif
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], NULL, thread, &all[i]) == 0);
#ifdef FORKS
    forks();
#endif
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
#ifndef FORKS
    setitimer(ITIMER_PROF, &stop, NULL);
    sigaction(SIGPROF, &old, NULL);
#endif
    (void)a, (void)old, (void)fast, (void)stop;
    expect_own(all, THREADS);
    EXPECT("calls@%d round_of %d", (int)getpid(), THREADS * ROUNDS);
    EXPECT("nolaw");
#ifdef COUNTED
    EXPECT("least falls 4");
#endif
    return 0;
}
