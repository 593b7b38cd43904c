/* Threads that begin when there is no room: argument 1 is a directory on a small file system that is filled first. */
#include "expect.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

__attribute__((noinline)) long leaf(long x)
{
    COUNT();
    return x + 1;
}

void *thread(void *p)
{
    COUNT();
    long sum = 0;
    for (long i = 0; i < 1000000; i++)
        sum = leaf(sum);
    CHECK(sum == 1000000);
    return p;
}

int main(int argc, char **argv)
{
    COUNT();
    static char block[4096];
    char path[4000];
    CHECK(argc == 2 && leaf(1) == 2);
    snprintf(path, sizeof(path), "%s/filler", argv[1]);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    while (write(fd, block, sizeof(block)) > 0)
        ;
    close(fd);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, NULL, thread, NULL);
        pthread_join(t, NULL);
    }
    getrusage(RUSAGE_SELF, &after);
    CHECK(after.ru_maxrss - before.ru_maxrss < 20000); /* KiB */
    expect_untouched();
    unlink(path);
    return 0;
}
