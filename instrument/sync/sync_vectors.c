/* Reads and writes of streams by several buffers, or with addresses (sync_streams.c). Of an eventfd and of what is no
 * stream they are recorded as those of one buffer. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/own_calls.h"
#include "instrument/sync/stream_descriptors.h"

#include <sys/socket.h>
#include <sys/uio.h>

typedef const struct iovec *buffers;

REAL(ssize_t, readv, (int fd, buffers to, int count), (fd, to, count));
REAL(ssize_t, writev, (int fd, buffers from, int count), (fd, from, count));
REAL(ssize_t, recvfrom, (int fd, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *length),
     (fd, to, size, flags, from, length));
REAL(ssize_t, __recvfrom_chk,
     (int fd, void *to, size_t size, size_t room, int flags, struct sockaddr *from, socklen_t *length),
     (fd, to, size, room, flags, from, length));
REAL(ssize_t, sendto, (int fd, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t length),
     (fd, from, size, flags, to, length));
REAL(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags));
REAL(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), (fd, message, flags));

/* Of an eventfd: the value, in the first buffer. */
static uint64_t units(uint32_t kind, buffers all, size_t count, uint64_t bytes)
{
    bool event = kind == EVENTFD && count && all->iov_len >= sizeof(uint64_t) && bytes >= sizeof(uint64_t);
    return event ? *(const uint64_t *)all->iov_base : bytes;
}

static uint64_t size_of(buffers all, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += all[i].iov_len;
    return bytes;
}

static ssize_t read_all(int fd, buffers all, int count)
{
    READ(fd, real_readv(fd, all, count), units(from.kind, all, (size_t)count, (uint64_t)got));
}

EXPORT ssize_t readv(int fd, buffers all, int count)
{
    return CALLED_BY_US() || count <= 0 ? real_readv(fd, all, count) : read_all(fd, all, count);
}

static ssize_t write_all(int fd, buffers all, int count)
{
    WRITE(fd, real_writev(fd, all, count), units(to.kind, all, (size_t)count, size_of(all, (size_t)count)));
}

EXPORT ssize_t writev(int fd, buffers all, int count)
{
    return CALLED_BY_US() || count <= 0 ? real_writev(fd, all, count) : write_all(fd, all, count);
}

/* What is looked at and left, or comes beside the stream, is no read of it. */
static bool is_beside(int flags)
{
    return flags & (MSG_PEEK | MSG_OOB | MSG_ERRQUEUE);
}

static ssize_t receive(int fd, void *buffer, size_t size, int flags, struct sockaddr *address, socklen_t *length)
{
    if (is_beside(flags))
        return real_recvfrom(fd, buffer, size, flags, address, length);
    READ(fd, real_recvfrom(fd, buffer, size, flags, address, length), got);
}

EXPORT ssize_t recvfrom(int fd, void *restrict buffer, size_t size, int flags, struct sockaddr *restrict address,
                        socklen_t *restrict length)
{
    return receive(fd, buffer, size, flags, address, length);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *buffer, size_t size, size_t room, int flags, struct sockaddr *address,
                              socklen_t *length);

ssize_t __recvfrom_chk(int fd, void *buffer, size_t size, size_t room, int flags, struct sockaddr *address,
                       socklen_t *length)
{
    return size > room ? real___recvfrom_chk(fd, buffer, size, room, flags, address, length)
                       : receive(fd, buffer, size, flags, address, length);
}

EXPORT ssize_t sendto(int fd, const void *buffer, size_t size, int flags, const struct sockaddr *address,
                      socklen_t length)
{
    if (is_beside(flags))
        return real_sendto(fd, buffer, size, flags, address, length);
    WRITE(fd, real_sendto(fd, buffer, size, flags, address, length), size);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    if (is_beside(flags))
        return real_recvmsg(fd, message, flags);
    READ(fd, real_recvmsg(fd, message, flags), got);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    if (is_beside(flags) || !message)
        return real_sendmsg(fd, message, flags);
    WRITE(fd, real_sendmsg(fd, message, flags), size_of(message->msg_iov, message->msg_iovlen));
}
