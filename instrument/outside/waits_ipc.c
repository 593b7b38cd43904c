/* Calls that wait for other processes by what is recorded of neither side: queues and semaphores of System V, message
 * queues, connections, commands; and for a thread that runs the function of pthread_once(). */
#include "instrument/outside/waits_outside.h"

#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>

OUTSIDE(PCOMP_EXTERNAL_READ, ssize_t, msgrcv, (int queue, void *to, size_t size, long type, int flags),
        (queue, to, size, type, flags))
OUTSIDE(PCOMP_EXTERNAL_WRITE, int, msgsnd, (int queue, const void *from, size_t size, int flags),
        (queue, from, size, flags))
OUTSIDE(PCOMP_EXTERNAL_FUTEX, int, semop, (int set, struct sembuf *all, size_t count), (set, all, count))
OUTSIDE(PCOMP_EXTERNAL_FUTEX, int, semtimedop,
        (int set, struct sembuf *all, size_t count, const struct timespec *timeout), (set, all, count, timeout))
OUTSIDE(PCOMP_EXTERNAL_READ, ssize_t, mq_receive, (mqd_t queue, char *to, size_t size, unsigned *priority),
        (queue, to, size, priority))
OUTSIDE(PCOMP_EXTERNAL_READ, ssize_t, mq_timedreceive,
        (mqd_t queue, char *restrict to, size_t size, unsigned *restrict priority, const struct timespec *restrict at),
        (queue, to, size, priority, at))
OUTSIDE(PCOMP_EXTERNAL_WRITE, int, mq_send, (mqd_t queue, const char *from, size_t size, unsigned priority),
        (queue, from, size, priority))
OUTSIDE(PCOMP_EXTERNAL_WRITE, int, mq_timedsend,
        (mqd_t queue, const char *from, size_t size, unsigned priority, const struct timespec *at),
        (queue, from, size, priority, at))
OUTSIDE(PCOMP_EXTERNAL_WRITE, int, connect, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size))
OUTSIDE(PCOMP_EXTERNAL_CHILD, int, system, (const char *command), (command))
OUTSIDE(PCOMP_EXTERNAL_CHILD, int, pclose, (FILE * f), (f))

/* --- Locks of files by fcntl()
 * ----------------------------------------------------------------------------------------
 */

REAL(int, fcntl, (int fd, int command, ...), (fd, command));
REAL(int, fcntl64, (int fd, int command, ...), (fd, command));

static bool waits_for_lock(int command)
{
    return command == F_SETLKW || command == F_OFD_SETLKW;
}

/* The third argument is a number or a pointer, passed on as libc itself takes it. */
#define FCNTL(name)                                                                                                    \
    EXPORT int name(int fd, int command, ...)                                                                          \
    {                                                                                                                  \
        va_list arguments;                                                                                             \
        va_start(arguments, command);                                                                                  \
        void *argument = va_arg(arguments, void *);                                                                    \
        va_end(arguments);                                                                                             \
        return waits_for_lock(command) ? EXTERNAL_WAIT(PCOMP_EXTERNAL_FILE_LOCK, real_##name(fd, command, argument))   \
                                       : real_##name(fd, command, argument);                                           \
    }

FCNTL(fcntl)
FCNTL(fcntl64)

/* --- pthread_once()
 * ---------------------------------------------------------------------------------------------------
 */

enum { ONCE_IN_PROGRESS = 1 }; /* as glibc notes it */

REAL(int, pthread_once, (pthread_once_t * control, void (*function)(void)), (control, function));

EXPORT int pthread_once(pthread_once_t *control, void (*function)(void))
{
    bool waits = trace_on && (__atomic_load_n(control, __ATOMIC_RELAXED) & 3) == ONCE_IN_PROGRESS;
    return waits ? EXTERNAL_WAIT(PCOMP_EXTERNAL_FUTEX, real_pthread_once(control, function))
                 : real_pthread_once(control, function);
}
