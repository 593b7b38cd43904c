/* fork in its forms, from main and from a thread, with exec, spawn, vfork and children that die. Each process says for
 * itself what it counted: an activation that was open at the fork is the parent's. */
#define _GNU_SOURCE
#include "expect.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;
static const char *self;
static int *profiles; /* shared: processes in which a hook ran */

int leaf(int x)
{
    COUNT();
    return x + 1;
}

void work(int n)
{
    COUNT();
    for (int i = 0; i < n; i++)
        leaf(i);
}

static PLAIN void child_begins(void)
{
    expect_forget();
    __atomic_fetch_add(profiles, 1, __ATOMIC_RELAXED);
}

static PLAIN void child_ends(int status)
{
    EXPECT("calls@%d main 0", (int)getpid());
    EXPECT("path@%d main>nested 0", (int)getpid());
    expect_counts();
    exit(status);
}

static PLAIN void reap(pid_t pid, int wanted)
{
    int status;
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(status == wanted);
}

void nested(int depth)
{
    COUNT();
    if (depth > 0) {
        nested(depth - 1);
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        child_begins();
        work(10);
        EXPECT("path@%d main>nested>nested>nested>work 1", (int)getpid());
        child_ends(7);
    }
    reap(pid, 7 << 8);
}

/* the child returns through the frames that were open at the fork, and calls on the way */
int returning(int depth)
{
    COUNT();
    int pid;
    if (depth == 0) {
        pid = fork();
        if (pid == 0)
            child_begins();
        return pid;
    }
    pid = returning(depth - 1);
    leaf(depth);
    return pid;
}

void *forking_thread(void *p)
{
    COUNT();
    pid_t pid = fork();
    if (pid == 0) {
        child_begins();
        work(3);
        EXPECT("path@%d forking_thread>work 1", (int)getpid());
        child_ends(0);
    }
    reap(pid, 0);
    work(2);
    return p;
}

/* Not called before such a fork: nobody tells the library of it, and until it looks, calls that are counted in place
 * are counted for the parent. */
void raw_work(int n)
{
    COUNT();
    work(n);
}

void raw_forks(void)
{
    COUNT();
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        child_begins();
        raw_work(4);
        expect_counts();
        _exit(3); /* its profile stays as the killed process left it */
    }
    reap(pid, 3 << 8);
    pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        child_begins();
        raw_work(5);
        expect_counts();
        exit(4);
    }
    reap(pid, 4 << 8);
    pid = _Fork();
    if (pid == 0) {
        child_begins();
        work(6);
        expect_counts();
        exit(5);
    }
    reap(pid, 5 << 8);
}

void launches(void)
{
    COUNT();
    pid_t pid = vfork();
    if (pid == 0) {
        execl(self, self, "launched", NULL);
        _exit(9);
    }
    reap(pid, 6 << 8);
    pid = vfork();
    if (pid == 0) {
        execl("/does/not/exist", "x", NULL);
        leaf(1); /* runs in the memory of the parent */
        _exit(9);
    }
    reap(pid, 9 << 8);
    char *arguments[] = {(char *)(uintptr_t)self, (char *)"launched", NULL};
    CHECK(posix_spawn(&pid, self, NULL, NULL, arguments, environ) == 0);
    reap(pid, 6 << 8);
    pid = fork();
    if (pid == 0) {
        child_begins();
        work(1);
        EXPECT("calls@%d leaf 5", (int)getpid());
        EXPECT("calls@%d main 4", (int)getpid());
        EXPECT("open@%d main 3", (int)getpid());
        execl(self, self, "chain", "3", NULL);
    }
    reap(pid, 6 << 8);
    *profiles += 2 + 4; /* launched twice; chain 3, 2, 1, 0 */
    CHECK(system("exit 5") == 5 << 8);
}

void killed_children(void)
{
    COUNT();
    pid_t pid = fork();
    if (pid == 0) {
        child_begins();
        work(100);
        expect_counts();
        kill(getpid(), SIGKILL);
    }
    reap(pid, SIGKILL);
    pid = fork();
    if (pid == 0) /* no hook fires in it: no file */
        _exit(0);
    reap(pid, 0);
}

void daemon_like(void)
{
    COUNT();
    int p[2];
    char c;
    CHECK(pipe(p) == 0);
    pid_t pid = fork();
    if (pid == 0) {
        child_begins();
        leaf(1);
        setsid();
        if (fork() == 0) {
            child_begins();
            close(p[0]);
            work(8);
            EXPECT("path@%d main>daemon_like>work 1", (int)getpid());
            expect_counts();
            exit(0); /* closing the pipe tells the first process */
        }
        expect_counts();
        exit(0);
    }
    close(p[1]);
    reap(pid, 0);
    CHECK(read(p[0], &c, 1) == 0);
    close(p[0]);
    struct timespec settle = {0, 100000000}; /* exit closes descriptors last */
    nanosleep(&settle, NULL);
}

int main(int argc, char **argv)
{
    COUNT();
    self = argv[0];
    if (argc > 1) {
        leaf(1);
        char left[2] = {(char)(argc > 2 ? argv[2][0] - 1 : 0), 0};
        if (argc == 2)
            expect_counts();
        else if (left[0] >= '0')
            execl(self, self, "chain", left, NULL);
        return 6;
    }
    profiles = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *profiles = 1;
    nested(2);
    int pid = returning(3);
    if (pid == 0) {
        work(2);
        EXPECT("path@%d main>returning>returning>returning>leaf 1", (int)getpid());
        EXPECT("path@%d main>work 1", (int)getpid());
        EXPECT("calls@%d returning 0", (int)getpid());
        child_ends(0);
    }
    reap(pid, 0);
    pthread_t t;
    pthread_create(&t, NULL, forking_thread, NULL);
    pthread_join(t, NULL);
#ifndef EMULATED /* which cannot tell raw forks, and executes programs of the machine it runs on */
    raw_forks();
    launches();
#endif
    killed_children();
    daemon_like();
    expect_counts();
    EXPECT("path@%d main>nested>nested>nested 1", (int)getpid());
    EXPECT("processes %d", *profiles);
    EXPECT("nolaw");
    expect_untouched();
    return 0;
}
