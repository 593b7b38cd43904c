/* Functions of libc that a signal of ours depends on (profiler/control/sampler.h): which signals have handlers, which
 * are blocked, and when another program takes this one's place. Each calls the real one; programs see no difference but
 * that the sampler's signal is never blocked, so that no sigwait or signalfd meets it. */
#include "instrument/exported.h"
#include "instrument/process_tokens.h"
#include "instrument/real_functions.h"
#include "profiler/control/sampler.h"
#include "profiler/trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

REAL(int, sigaction, (int number, const struct sigaction *action, struct sigaction *before), (number, action, before));
REAL(sighandler_t, signal, (int number, sighandler_t handler), (number, handler));
REAL(int, sigprocmask, (int how, const sigset_t *set, sigset_t *before), (how, set, before));
REAL(int, pthread_sigmask, (int how, const sigset_t *set, sigset_t *before), (how, set, before));
REAL(int, execve, (const char *path, char *const arguments[], char *const environment[]),
     (path, arguments, environment));
REAL(int, execvpe, (const char *file, char *const arguments[], char *const environment[]),
     (file, arguments, environment));
REAL(int, fexecve, (int fd, char *const arguments[], char *const environment[]), (fd, arguments, environment));

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    if (number != sampler_signal() || !number)
        return real_sigaction(number, action, before);
    int result = 0;
    if (action && ((action->sa_flags & SA_SIGINFO) || action->sa_handler != SIG_DFL)) {
        sampler_yield_signal();
        result = real_sigaction(number, action, NULL);
    }
    if (!result && before)
        *before = (struct sigaction){.sa_handler = SIG_DFL}; /* as the program left it */
    return result;
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    if (number != sampler_signal() || !number)
        return real_signal(number, handler);
    if (handler == SIG_DFL)
        return SIG_DFL;
    sampler_yield_signal();
    return real_signal(number, handler) == SIG_ERR ? SIG_ERR : SIG_DFL;
}

/* Blocked by the library itself: a sanitizer that runs handlers there sets masks and puts them back. */
static bool is_blocked(int number)
{
    sigset_t now;
    return real_pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, number) == 1;
}

static const sigset_t *without_ours(int how, const sigset_t *set, sigset_t *copy)
{
    int number = sampler_signal();
    if (!set || !number || how == SIG_UNBLOCK || !sigismember(set, number) ||
        (how == SIG_SETMASK && is_blocked(number)))
        return set;
    *copy = *set;
    sigdelset(copy, number);
    return copy;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
    sigset_t copy;
    return real_sigprocmask(how, without_ours(how, set, &copy), before);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    sigset_t copy;
    return real_pthread_sigmask(how, without_ours(how, set, &copy), before);
}

/* --- exec ------------------------------------------------------------------------------------------------------------
 */

/* A forked child whose parent waits for it goes on where nothing of it is recorded. */
static void leaves(void)
{
    if (trace_on && process_is_forked())
        trace_event(PCOMP_EVENT_EXTERNAL_BEGIN, PCOMP_EXTERNAL_CHILD);
    sampler_pause();
}

static int failed(int result)
{
    int kept = errno;
    sampler_resume();
    if (trace_on && process_is_forked())
        trace_event(PCOMP_EVENT_EXTERNAL_END, PCOMP_EXTERNAL_CHILD);
    errno = kept;
    return result;
}

EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
    leaves();
    return failed(real_execve(path, arguments, environment));
}

EXPORT int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    leaves();
    return failed(real_execvpe(file, arguments, environment));
}

EXPORT int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
    leaves();
    return failed(real_fexecve(fd, arguments, environment));
}

/* The arguments of a list, its NULL as well. */
static size_t count_arguments(const char *first, va_list list)
{
    va_list copy;
    size_t count = 1;
    va_copy(copy, list);
    for (const char *argument = first; argument; count++)
        argument = va_arg(copy, const char *);
    va_end(copy);
    return count;
}

/* The list goes on behind them. */
static void take_arguments(char **arguments, size_t count, const char *first, va_list *list)
{
    arguments[0] = (char *)(uintptr_t)first;
    for (size_t i = 1; i < count; i++)
        arguments[i] = va_arg(*list, char *);
}

/* `more` reads what stands behind the arguments. */
#define EXEC_LIST(name, target, more, environment)                                                                     \
    EXPORT int name(const char *program, const char *first, ...)                                                       \
    {                                                                                                                  \
        va_list list;                                                                                                  \
        va_start(list, first);                                                                                         \
        size_t count = count_arguments(first, list);                                                                   \
        char *arguments[count];                                                                                        \
        take_arguments(arguments, count, first, &list);                                                                \
        more;                                                                                                          \
        va_end(list);                                                                                                  \
        return target(program, arguments, environment);                                                                \
    }
EXEC_LIST(execl, execve, , environ)
EXEC_LIST(execlp, execvpe, , environ)
EXEC_LIST(execle, execve, char *const *given = va_arg(list, char *const *), given)
