#include "reporters/consult/thread_view.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of every processor; those that some do not have any more are added where they are. */
static const long io_calls[] = {
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_preadv,
    SYS_pwritev,
    SYS_preadv2,
    SYS_pwritev2,
    SYS_fsync,
    SYS_fdatasync,
    SYS_sync,
    SYS_syncfs,
    SYS_msync,
    SYS_sendfile,
    SYS_splice,
    SYS_tee,
    SYS_vmsplice,
    SYS_copy_file_range,
    SYS_recvfrom,
    SYS_sendto,
    SYS_recvmsg,
    SYS_sendmsg,
    SYS_recvmmsg,
    SYS_sendmmsg,
    SYS_accept,
    SYS_accept4,
    SYS_connect,
    SYS_ppoll,
    SYS_pselect6,
    SYS_epoll_pwait,
    SYS_io_getevents,
    SYS_openat,
    SYS_close,
    SYS_getdents64,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_unlinkat,
    SYS_fstat,
    SYS_sync_file_range,
    SYS_flock,
    SYS_fcntl,
    SYS_ioctl,
#ifdef SYS_poll
    SYS_poll,
    SYS_select,
    SYS_epoll_wait,
    SYS_open,
    SYS_stat,
    SYS_unlink,
    SYS_rename,
#endif
#ifdef SYS_io_uring_enter
    SYS_io_uring_enter,
#endif
};

static enum thread_does call_does(long number)
{
    if (number == SYS_nanosleep || number == SYS_clock_nanosleep)
        return THREAD_SLEEPS;
    for (size_t i = 0; i < sizeof io_calls / sizeof *io_calls; i++)
        if (io_calls[i] == number)
            return THREAD_IO;
    return THREAD_WAITS;
}

static int open_in(int pid, int tid, const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", pid, tid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool thread_view_open(struct thread_view *view, int pid, int tid)
{
    view->stat_fd = open_in(pid, tid, "stat");
    view->syscall_fd = open_in(pid, tid, "syscall"); /* not where tracing is forbidden: what it waits in is unknown */
    return view->stat_fd >= 0;
}

void thread_view_close(struct thread_view *view)
{
    if (view->stat_fd >= 0)
        close(view->stat_fd);
    if (view->syscall_fd >= 0)
        close(view->syscall_fd);
    view->stat_fd = view->syscall_fd = -1;
}

/* "running", "-1 SP PC", or "NUMBER six arguments SP PC". */
static void read_call(const struct thread_view *view, struct thread_moment *moment)
{
    char text[256];
    ssize_t got = view->syscall_fd >= 0 ? pread(view->syscall_fd, text, sizeof text - 1, 0) : -1;
    if (got <= 0)
        return;
    text[got] = 0;
    if (text[0] == 'r') {
        moment->does = THREAD_RUNS; /* again, since its state was read */
        return;
    }
    long number = strtol(text, NULL, 10);
    moment->does = number < 0 ? THREAD_FAULTS : call_does(number);
    char *stack = strrchr(text, ' ');
    while (stack && stack > text && stack[-1] != ' ')
        stack--;
    moment->stack = stack ? strtoull(stack, NULL, 16) : 0;
}

struct thread_moment thread_view_read(const struct thread_view *view)
{
    char text[512];
    struct thread_moment moment = {.does = THREAD_GONE};
    ssize_t got = pread(view->stat_fd, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = 0;
    const char *at = strrchr(text, ')'); /* the name before it may contain anything */
    if (!at || !at[1])
        return moment;
    char state = at[2];
    at += 2;
    for (int field = 3; at && field < 10; field++)
        at = strchr(at + 1, ' ');
    moment.faults = at ? strtoull(at, NULL, 10) : 0;
    if (state == 'R')
        moment.does = THREAD_RUNS;
    else if (state == 'S' || state == 'D') {
        moment.does = THREAD_WAITS;
        read_call(view, &moment);
    }
    return moment;
}
