/* Changes, once measuring runs, what it stands on; the first argument names what.
 *
 *   file   no file may grow or be written (RLIMIT_FSIZE 0)
 *   user   a user namespace of its own, which a process with a thread of ours could not enter
 *   exit   main ends by the raw system call while another thread goes on */
#include "expect.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define CALLS 300000

__attribute__((noinline)) int leaf(int x)
{
    COUNT();
    return x + 1;
}

void calls(void)
{
    COUNT();
    for (int i = 0; i < CALLS; i++)
        leaf(i);
}

void *thread(void *main_thread)
{
    COUNT();
    if (main_thread) /* it is gone, but for its stack */
        usleep(20000);
    calls();
    if (main_thread) {
        expect_counts();
        EXPECT("nolaw");
        _exit(7);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    COUNT();
    pthread_t t;
    char how = argc > 1 ? argv[1][0] : 'f';
    calls();
    if (how == 'f')
        CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0}) == 0);
    if (how == 'u' && unshare(CLONE_NEWUSER) != 0)
        return errno == EINVAL ? 99 : 77; /* EINVAL: a second thread */
    CHECK(pthread_create(&t, NULL, thread, how == 'e' ? &t : NULL) == 0);
    if (how == 'e')
        syscall(SYS_exit, 0);
    CHECK(pthread_join(t, NULL) == 0);
    calls();
    if (how != 'f') /* standard output is a file */
        expect_counts();
    return 7;
}
