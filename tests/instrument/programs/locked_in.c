/* Forbids itself what measuring needs, in the way that its first argument names, and goes on: calls, a thread, a
 * child, a jump out of the measured frames. What was called before is in the profile.
 *
 *   filter  a seccomp filter that kills for what a library of ours might call and the program does not
 *   call    the same by the system call
 *   strict  strict seccomp: read, write and exit alone
 *   tsc     the time stamp counter cannot be read
 *   probe   asks for filters in ways that the kernel refuses: nothing is forbidden */
#include "expect.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define BEFORE 1000

__attribute__((noinline)) int leaf(int x)
{
    COUNT();
    return x + 1;
}

/* Not counted: it is called when measuring has ended. */
__attribute__((noinline)) int later(int x)
{
    return x + 1;
}

void *thread(void *unused)
{
    for (int i = 0; i < BEFORE; i++)
        later(i);
    return unused;
}

static PLAIN void check_filter(unsigned long how)
{
    static const unsigned killing[] = {
        SYS_membarrier, SYS_getrusage,    SYS_prctl,         SYS_openat,       SYS_rename,          SYS_unlink,
        SYS_ftruncate,  SYS_prlimit64,    SYS_pwrite64,      SYS_fallocate,    SYS_perf_event_open, SYS_gettid,
        SYS_getpid,     SYS_timer_create, SYS_timer_settime, SYS_timer_delete, SYS_clock_gettime,   SYS_tgkill,
        SYS_readlink,   SYS_statfs,       SYS_flock,         SYS_memfd_create, SYS_nanosleep,       SYS_getrandom};
    enum { KILLING = sizeof(killing) / sizeof(killing[0]) };
    struct sock_filter filter[2 * KILLING + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (int i = 0; i < KILLING; i++) {
        filter[1 + 2 * i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, killing[i], 0, 1);
        filter[2 + 2 * i] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    filter[2 * KILLING + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {2 * KILLING + 2, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    if (how == SYS_seccomp)
        CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
    else
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static PLAIN void go_on(void)
{
    pthread_t t;
    int status;
    for (int i = 0; i < BEFORE; i++)
        later(i);
    CHECK(pthread_create(&t, NULL, thread, NULL) == 0);
    CHECK(pthread_join(t, NULL) == 0);
    pid_t child = fork();
    if (!child)
        _exit(later(8));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9);
}

void inner(const char *how)
{
    COUNT();
    if (how[0] == 'p') {
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT);
        CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) == -1 && errno == EFAULT);
    }
    for (int i = 0; i < BEFORE; i++)
        leaf(i);
    expect_counts();
    EXPECT("nolaw");
    EXPECT("processes 1");
    EXPECT("closed 1");
    if (how[0] == 'p')
        return;
    EXPECT("stopped 128");
    switch (how[0]) {
    case 'f':
        check_filter(SYS_prctl);
        break;
    case 'c':
        check_filter(SYS_seccomp);
        break;
    case 's':
        CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
        later(1);
        syscall(SYS_exit, 7);
        break;
    case 't':
        CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0);
        break;
    default:
        break;
    }
    go_on();
}

int main(int argc, char **argv)
{
    COUNT();
    pthread_t t;
    CHECK(pthread_create(&t, NULL, thread, NULL) == 0);
    pthread_join(t, NULL);
    inner(argc > 1 ? argv[1] : "probe");
    return 7;
}
