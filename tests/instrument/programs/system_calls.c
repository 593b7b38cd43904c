/* system_calls MAX PROGRAM: runs it, and fails where it makes more system calls than that. Each begin and end of one
 * takes PAUSE_US microseconds longer, as with strace, where that is in the environment. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long max = argc > 2 ? atol(argv[1]) : 0, stops = 0;
    useconds_t pause = getenv("PAUSE_US") ? (useconds_t)atol(getenv("PAUSE_US")) : 0;
    int status;
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execv(argv[2], argv + 2);
        _exit(127);
    }
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
        return 77;
    for (int signal = 0; stops <= 2 * max; signal = WSTOPSIG(status)) {
        if (signal == (SIGTRAP | 0x80) || signal == SIGTRAP) { /* a system call's begin or end; exec */
            stops++;
            signal = 0;
            if (pause)
                usleep(pause);
        }
        if (ptrace(PTRACE_SYSCALL, child, NULL, (void *)(long)signal) || waitpid(child, &status, 0) != child)
            return 98;
        if (WIFEXITED(status))
            return WEXITSTATUS(status);
        if (!WIFSTOPPED(status))
            return 98;
    }
    fprintf(stderr, "more than %ld system calls\n", max);
    return 99;
}
