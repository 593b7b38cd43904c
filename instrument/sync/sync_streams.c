/* Pipes, pairs of sockets and eventfds, whose reads depend on writes here or in other processes of the run; and reads
 * of what is none of these and no file, which are external waits.
 *
 * A pipe is named by its inode, which all processes see. Both ends of a pair and an eventfd are named where they are
 * made, by descriptor, which children inherit. What a descriptor is, is looked up once and forgotten when it is closed
 * or replaced by these functions; closed behind our back (fclose), it may be taken for what it was. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/own_calls.h"
#include "instrument/sync/shared_objects.h"
#include "instrument/sync/stream_descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

REAL(ssize_t, read, (int fd, void *to, size_t size), (fd, to, size));
REAL(ssize_t, write, (int fd, const void *from, size_t size), (fd, from, size));
REAL(ssize_t, recv, (int fd, void *to, size_t size, int flags), (fd, to, size, flags));
REAL(ssize_t, send, (int fd, const void *from, size_t size, int flags), (fd, from, size, flags));
REAL(ssize_t, __read_chk, (int fd, void *to, size_t size, size_t room), (fd, to, size, room));
REAL(ssize_t, __recv_chk, (int fd, void *to, size_t size, size_t room, int flags), (fd, to, size, room, flags));
REAL(int, accept, (int fd, struct sockaddr *restrict from, socklen_t *restrict size), (fd, from, size));
REAL(int, accept4, (int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags),
     (fd, from, size, flags));
REAL(int, pipe, (int ends[2]), (ends));
REAL(int, pipe2, (int ends[2], int flags), (ends, flags));
REAL(int, socketpair, (int domain, int type, int protocol, int ends[2]), (domain, type, protocol, ends));
REAL(int, eventfd, (unsigned value, int flags), (value, flags));
REAL(int, close, (int fd), (fd));
REAL(int, dup, (int fd), (fd));
REAL(int, dup2, (int fd, int to), (fd, to));
REAL(int, dup3, (int fd, int to, int flags), (fd, to, flags));
REAL(int, poll, (struct pollfd * files, nfds_t count, int timeout), (files, count, timeout));

enum { DESCRIPTORS = 1024 };

/* Words that are read and written as a whole would need a lock: a descriptor that is closed while another thread reads
 * from it is an error of the program. */
static struct descriptor descriptors[DESCRIPTORS];

static void forget(int fd)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        __atomic_store_n(&descriptors[fd].kind, UNKNOWN, __ATOMIC_RELEASE);
}

static void know(int fd, enum stream_kind kind, uint64_t in, uint64_t out)
{
    if (fd < 0 || fd >= DESCRIPTORS)
        return;
    __atomic_store_n(&descriptors[fd].in, in, __ATOMIC_RELAXED);
    __atomic_store_n(&descriptors[fd].out, out, __ATOMIC_RELAXED);
    __atomic_store_n(&descriptors[fd].kind, kind, __ATOMIC_RELEASE);
}

static struct descriptor look_up(int fd)
{
    struct stat status;
    int kept = errno;
    struct descriptor found = {.kind = OUTSIDE};
    if (fstat(fd, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode)) {
        found.kind = FILE_LIKE;
    } else if (S_ISFIFO(status.st_mode)) {
        uint64_t name = (status.st_ino ^ (uint64_t)status.st_dev << 40) & (PCOMP_EVENT_SHARED - 1);
        found = (struct descriptor){PCOMP_EVENT_SHARED | name, PCOMP_EVENT_SHARED | name, STREAM};
    } else if (S_ISCHR(status.st_mode)) {
        found.kind = isatty(fd) ? OUTSIDE : FILE_LIKE; /* /dev/null and its like do not wait */
    }
    errno = kept;
    return found;
}

struct descriptor stream_descriptor(int fd)
{
    if (fd < 0 || !trace_on || trace_is_muted())
        return (struct descriptor){.kind = FILE_LIKE};
    if (fd >= DESCRIPTORS)
        return look_up(fd);
    struct descriptor found = {.kind = __atomic_load_n(&descriptors[fd].kind, __ATOMIC_ACQUIRE)};
    found.in = __atomic_load_n(&descriptors[fd].in, __ATOMIC_RELAXED);
    found.out = __atomic_load_n(&descriptors[fd].out, __ATOMIC_RELAXED);
    if (found.kind == UNKNOWN) {
        found = look_up(fd);
        know(fd, found.kind, found.in, found.out);
    }
    return found;
}

/* --- Reading and writing --------------------------------------------------------------------------------------------
 */

bool stream_is_full(int fd)
{
    int kept = errno;
    struct pollfd file = {.fd = fd, .events = POLLOUT};
    bool full = real_poll(&file, 1, 0) == 0;
    errno = kept;
    return full;
}

static uint64_t counted(const struct descriptor *from, const void *to, ssize_t got)
{
    return from->kind == EVENTFD && got == sizeof(uint64_t) ? *(const uint64_t *)to : (uint64_t)got;
}

static uint64_t asked(int fd, const void *from, size_t size)
{
    bool event = fd < DESCRIPTORS && descriptors[fd].kind == EVENTFD;
    return event && size == sizeof(uint64_t) ? *(const uint64_t *)from : size;
}

static ssize_t read_from(int fd, void *to, size_t size)
{
    READ(fd, real_read(fd, to, size), counted(&from, to, got));
}

EXPORT ssize_t read(int fd, void *to, size_t size)
{
    return CALLED_BY_US() ? real_read(fd, to, size) : read_from(fd, to, size);
}

EXPORT ssize_t __read_chk(int fd, void *to, size_t size, size_t room);

ssize_t __read_chk(int fd, void *to, size_t size, size_t room)
{
    return size > room ? real___read_chk(fd, to, size, room) : read_from(fd, to, size);
}

static ssize_t write_to(int fd, const void *from, size_t size)
{
    WRITE(fd, real_write(fd, from, size), asked(fd, from, size));
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
    return CALLED_BY_US() ? real_write(fd, from, size) : write_to(fd, from, size);
}

static ssize_t receive_from(int fd, void *to, size_t size, int flags)
{
    if (flags & (MSG_PEEK | MSG_OOB))
        return real_recv(fd, to, size, flags);
    READ(fd, real_recv(fd, to, size, flags), got);
}

EXPORT ssize_t recv(int fd, void *to, size_t size, int flags)
{
    return receive_from(fd, to, size, flags);
}

EXPORT ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags);

ssize_t __recv_chk(int fd, void *to, size_t size, size_t room, int flags)
{
    return size > room ? real___recv_chk(fd, to, size, room, flags) : receive_from(fd, to, size, flags);
}

EXPORT ssize_t send(int fd, const void *from, size_t size, int flags)
{
    if (flags & MSG_OOB)
        return real_send(fd, from, size, flags);
    WRITE(fd, real_send(fd, from, size, flags), size);
}

EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    return read_from(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value)
{
    return write_to(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

/* --- Making and closing them ----------------------------------------------------------------------------------------
 */

EXPORT int pipe(int ends[2])
{
    int failed = real_pipe(ends);
    for (int i = 0; i < 2 && !failed; i++)
        forget(ends[i]);
    return failed;
}

EXPORT int pipe2(int ends[2], int flags)
{
    int failed = real_pipe2(ends, flags);
    for (int i = 0; i < 2 && !failed; i++)
        forget(ends[i]);
    return failed;
}

EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
    int failed = real_socketpair(domain, type, protocol, ends);
    if (failed)
        return failed;
    uint64_t there = shared_object_new(), back = shared_object_new();
    know(ends[0], STREAM, back, there);
    know(ends[1], STREAM, there, back);
    return 0;
}

EXPORT int eventfd(unsigned value, int flags)
{
    int fd = real_eventfd(value, flags);
    if (fd < 0)
        return fd;
    uint64_t name = shared_object_new();
    know(fd, EVENTFD, name, name);
    if (value && trace_on)
        trace_event_long(PCOMP_EVENT_STREAM_WRITE, name, value, 0);
    return fd;
}

EXPORT int accept(int fd, struct sockaddr *restrict from, socklen_t *restrict size)
{
    int made = EXTERNAL_WAIT(PCOMP_EXTERNAL_READ, real_accept(fd, from, size));
    forget(made);
    return made;
}

EXPORT int accept4(int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags)
{
    int made = EXTERNAL_WAIT(PCOMP_EXTERNAL_READ, real_accept4(fd, from, size, flags));
    forget(made);
    return made;
}

EXPORT int close(int fd)
{
    forget(fd);
    return real_close(fd);
}

/* The new descriptor is the same object. */
static int duplicated(int fd, int copy)
{
    if (copy < 0 || copy == fd)
        return copy;
    forget(copy);
    if (fd < DESCRIPTORS && descriptors[fd].kind != UNKNOWN)
        know(copy, (enum stream_kind)descriptors[fd].kind, descriptors[fd].in, descriptors[fd].out);
    return copy;
}

EXPORT int dup(int fd)
{
    return duplicated(fd, real_dup(fd));
}

EXPORT int dup2(int fd, int to)
{
    return duplicated(fd, real_dup2(fd, to));
}

EXPORT int dup3(int fd, int to, int flags)
{
    return duplicated(fd, real_dup3(fd, to, flags));
}
