/* Several messages in one call, and bytes that move from one descriptor to another (sync_streams.c). */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/stream_descriptors.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

REAL(int, recvmmsg, (int fd, struct mmsghdr *all, unsigned count, int flags, struct timespec *timeout),
     (fd, all, count, flags, timeout));
REAL(int, sendmmsg, (int fd, struct mmsghdr *all, unsigned count, int flags), (fd, all, count, flags));
REAL(ssize_t, splice, (int from, off_t *from_at, int to, off_t *to_at, size_t size, unsigned flags),
     (from, from_at, to, to_at, size, flags));
REAL(ssize_t, tee, (int from, int to, size_t size, unsigned flags), (from, to, size, flags));
REAL(ssize_t, vmsplice, (int fd, const struct iovec *all, size_t count, unsigned flags), (fd, all, count, flags));
REAL(ssize_t, sendfile, (int to, int from, off_t *at, size_t size), (to, from, at, size));
REAL(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t size), (to, from, at, size));

static uint64_t bytes_of(const struct iovec *all, size_t count)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += all[i].iov_len;
    return bytes;
}

static uint64_t received(const struct mmsghdr *all, ssize_t count)
{
    uint64_t bytes = 0;
    for (ssize_t i = 0; i < count; i++)
        bytes += all[i].msg_len;
    return bytes;
}

static ssize_t receive_all(int fd, struct mmsghdr *all, unsigned count, int flags, struct timespec *timeout)
{
    READ(fd, real_recvmmsg(fd, all, count, flags, timeout), received(all, got));
}

EXPORT int recvmmsg(int fd, struct mmsghdr *all, unsigned count, int flags, struct timespec *timeout)
{
    if (flags & (MSG_PEEK | MSG_OOB | MSG_ERRQUEUE))
        return real_recvmmsg(fd, all, count, flags, timeout);
    return (int)receive_all(fd, all, count, flags, timeout);
}

EXPORT int sendmmsg(int fd, struct mmsghdr *all, unsigned count, int flags)
{
    struct descriptor to = stream_descriptor(fd);
    if (to.kind == FILE_LIKE || flags & MSG_OOB)
        return real_sendmmsg(fd, all, count, flags);
    if (to.kind == OUTSIDE)
        return EXTERNAL_WAIT(PCOMP_EXTERNAL_WRITE, real_sendmmsg(fd, all, count, flags));
    bool waits = stream_is_full(fd);
    uint64_t wanted = 0;
    for (unsigned i = 0; i < count; i++)
        wanted += bytes_of(all[i].msg_hdr.msg_iov, all[i].msg_hdr.msg_iovlen);
    trace_event_long(PCOMP_EVENT_STREAM_WRITE, to.out, wanted, 0);
    int sent = waits ? EXTERNAL_WAIT(PCOMP_EXTERNAL_WRITE, real_sendmmsg(fd, all, count, flags))
                     : real_sendmmsg(fd, all, count, flags);
    uint64_t written = received(all, sent);
    if (written != wanted)
        trace_event_long(PCOMP_EVENT_STREAM_WRITTEN, to.out, written, 0);
    return sent;
}

/* What moves from stream to stream is written when it has come: the write is stamped behind it. */
static ssize_t moved(struct descriptor to, ssize_t bytes)
{
    if (bytes > 0 && to.kind == STREAM)
        trace_event_long(PCOMP_EVENT_STREAM_WRITE, to.out, (uint64_t)bytes, 0);
    return bytes;
}

static ssize_t splice_in(int in, off_t *in_at, int out, off_t *out_at, size_t size, unsigned flags)
{
    READ(in, real_splice(in, in_at, out, out_at, size, flags), got);
}

static ssize_t splice_out(int in, off_t *in_at, int out, off_t *out_at, size_t size, unsigned flags)
{
    WRITE(out, real_splice(in, in_at, out, out_at, size, flags), size);
}

EXPORT ssize_t splice(int in, off_t *in_at, int out, off_t *out_at, size_t size, unsigned flags)
{
    if (stream_descriptor(in).kind == FILE_LIKE)
        return splice_out(in, in_at, out, out_at, size, flags);
    return moved(stream_descriptor(out), splice_in(in, in_at, out, out_at, size, flags));
}

/* The bytes stay in the first pipe. */
EXPORT ssize_t tee(int from, int to, size_t size, unsigned flags)
{
    return moved(stream_descriptor(to), EXTERNAL_WAIT(PCOMP_EXTERNAL_READ, real_tee(from, to, size, flags)));
}

static bool is_written_to(int fd)
{
    return (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

static ssize_t give(int fd, const struct iovec *all, size_t count, unsigned flags)
{
    WRITE(fd, real_vmsplice(fd, all, count, flags), bytes_of(all, count));
}

static ssize_t take(int fd, const struct iovec *all, size_t count, unsigned flags)
{
    READ(fd, real_vmsplice(fd, all, count, flags), got);
}

EXPORT ssize_t vmsplice(int fd, const struct iovec *all, size_t count, unsigned flags)
{
    if (!trace_on)
        return real_vmsplice(fd, all, count, flags);
    return is_written_to(fd) ? give(fd, all, count, flags) : take(fd, all, count, flags);
}

static ssize_t send_file(int fd, int from, off_t *at, size_t size)
{
    WRITE(fd, real_sendfile(fd, from, at, size), size);
}

EXPORT ssize_t sendfile(int fd, int from, off_t *at, size_t size)
{
    return send_file(fd, from, at, size);
}

static ssize_t send_file64(int fd, int from, off64_t *at, size_t size)
{
    WRITE(fd, real_sendfile64(fd, from, at, size), size);
}

EXPORT ssize_t sendfile64(int fd, int from, off64_t *at, size_t size)
{
    return send_file64(fd, from, at, size);
}
