/* Children made without the handlers of pthread_atfork, while the parent's hooks are on or off: they run as they did.
 */
#define _GNU_SOURCE
#include "expect.h"

#include <sys/syscall.h>
#include <sys/wait.h>

int leaf(int x)
{
    return x & 1;
}

int work(double ms)
{
    int sum = 0;
    for (double begin = expect_now_ms(); expect_now_ms() - begin < ms;)
        for (int i = 0; i < 1000; i++)
            sum += leaf(i);
    return sum;
}

int main(void)
{
    for (int i = 0; i < 40; i++) {
        work(i % 10 + 5);
        pid_t pid = i % 2 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : _Fork();
        if (pid == 0)
            exit(work(25) > 0 ? 7 : 8);
        int status;
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(status == 7 << 8);
    }
    expect_untouched();
    return 0;
}
