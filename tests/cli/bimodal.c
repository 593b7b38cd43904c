/* bimodal plain|killed|threads|forked: 85 activations of work() take at least 20 us, 15 take 2 ms; of two threads or
 * processes, each. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

static PLAIN double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

__attribute__((noinline)) void work(double us)
{
    for (double end = now_us() + us; now_us() < end;)
        ;
}

void *all(void *unused)
{
    for (int i = 0; i < 100; i++)
        work(i % 20 < 3 ? 2000 : 20);
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    pthread_t other;
    pid_t child = strcmp(how, "forked") == 0 ? fork() : 0;
    if (strcmp(how, "threads") == 0)
        pthread_create(&other, NULL, all, NULL);
    all(NULL);
    if (strcmp(how, "threads") == 0)
        pthread_join(other, NULL);
    if (strcmp(how, "killed") == 0)
        raise(SIGKILL);
    if (child > 0)
        waitpid(child, NULL, 0);
    return 0;
}
