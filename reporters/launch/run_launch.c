#include "reporters/launch/run_launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool run_is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

char *run_find(const char *name)
{
    int why = ENOENT;
    if (strchr(name, '/')) {
        bool is_there = access(name, F_OK) == 0, is_file = run_is_file(name);
        if (is_file && access(name, X_OK) == 0)
            return strdup(name);
        if (is_there)
            errno = is_file ? EACCES : EISDIR;
        return NULL;
    }
    const char *at = getenv("PATH");
    for (at = at ? at : "/usr/local/bin:/usr/bin:/bin"; at && *name;) {
        size_t length = strcspn(at, ":");
        char *path = NULL;
        if (asprintf(&path, "%.*s%s%s", (int)length, at, length ? "/" : "", name) < 0)
            return NULL;
        if (access(path, F_OK) == 0 && run_is_file(path)) {
            if (access(path, X_OK) == 0)
                return path;
            why = EACCES;
        }
        free(path);
        at = at[length] ? at + length + 1 : NULL;
    }
    errno = why;
    return NULL;
}

const char *run_find_problem(const char *name, int why)
{
    return why == EACCES                                   ? "is not executable (chmod +x; or name the interpreter)"
           : why == EISDIR                                 ? "is a directory (name a program in it)"
           : !strchr(name, '/') && access(name, F_OK) == 0 ? "not found in PATH (put ./ before the name of one here)"
                                                           : "not found (is the path right?)";
}

int run_find_status(int why)
{
    return why == EACCES || why == EISDIR ? 126 : 127;
}

static volatile pid_t run_child;
static volatile sig_atomic_t run_passed; /* a signal was passed on: the program's end is what it asked for */

static void run_pass_on(int signal)
{
    int saved = errno;
    run_passed = 1;
    if (run_child > 0)
        kill(run_child, signal);
    errno = saved;
}

static const int run_signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { RUN_SIGNALS = sizeof run_signals / sizeof *run_signals };

/* In the child: start, or tell why not through the pipe. */
static void run_exec(const char *path, char *const *argv, char *const *set, int report)
{
    for (; set && *set; set++)
        putenv(*set);
    execv(path, argv);
    int why = errno;
    if (write(report, &why, sizeof why) != (ssize_t)sizeof why)
        _exit(126);
    _exit(why == ENOENT ? 127 : 126);
}

static void run_wait(pid_t child, int report, const struct run_watch *watch, struct run_result *result)
{
    int status = 0;
    ssize_t got;
    while ((got = read(report, &result->exec_errno, sizeof result->exec_errno)) < 0 && errno == EINTR)
        ;
    if (got != (ssize_t)sizeof result->exec_errno)
        result->exec_errno = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, watch ? WNOHANG : 0)) == 0 || (ended < 0 && errno == EINTR))
        if (watch)
            watch->look(watch->context);
    run_child = 0;
    if (WIFSIGNALED(status))
        result->signal = WTERMSIG(status);
    result->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool run_launch(const char *path, char *const *argv, char *const *set, const struct run_watch *watch,
                struct run_result *result)
{
    struct sigaction old[RUN_SIGNALS];
    sigset_t block, mask;
    int report[2];
    struct timespec start, end;
    *result = (struct run_result){0};
    if (pipe2(report, O_CLOEXEC) != 0)
        return false;
    fflush(NULL);
    /* Signals wait until both sides are set up: the child must not see our handlers, we must not miss one. */
    sigemptyset(&block);
    for (int i = 0; i < RUN_SIGNALS; i++)
        sigaddset(&block, run_signals[i]);
    sigprocmask(SIG_BLOCK, &block, &mask);
    clock_gettime(CLOCK_MONOTONIC, &start);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        run_exec(path, argv, set, report[1]);
    }
    int why = errno;
    close(report[1]);
    if (child > 0) {
        run_child = child;
        for (int i = 0; i < RUN_SIGNALS; i++) {
            struct sigaction action = {.sa_flags = SA_RESTART};
            action.sa_handler = run_signals[i] == SIGTERM || run_signals[i] == SIGHUP ? run_pass_on : SIG_IGN;
            sigaction(run_signals[i], NULL, &old[i]);
            if (old[i].sa_handler != SIG_IGN) /* nohup stays nohup */
                sigaction(run_signals[i], &action, NULL);
        }
        sigprocmask(SIG_SETMASK, &mask, NULL);
        run_wait(child, report[0], watch, result);
        /* timeout(1) signals its child and then the group: the second one must not cut the closing line off. */
        for (int i = 0; i < RUN_SIGNALS; i++)
            if (!run_passed)
                sigaction(run_signals[i], &old[i], NULL);
        clock_gettime(CLOCK_MONOTONIC, &end);
        result->seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    } else
        sigprocmask(SIG_SETMASK, &mask, NULL);
    close(report[0]);
    errno = why;
    return child > 0;
}
