/* What the calls of blocking_calls.c wait on. */
#ifndef BLOCKING_STATE_H
#define BLOCKING_STATE_H

#include "expect.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>

#define WAIT_MS 2
#define WAIT_US (1000 * WAIT_MS)
#define WAIT_NS (1000 * WAIT_US)

static const struct timespec moment = {0, WAIT_NS};
static pthread_t waiting;
static int requests[2], pipe_ends[2], pair[2], listener, full, epoll_fd, timer_fd, queue, semaphores;
static struct sockaddr_un full_address;
static socklen_t full_size;
static mqd_t messages;
static aio_context_t aio;
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool signalled;
static volatile sig_atomic_t alarms;

/* A listening socket of a name that the system chooses. */
static PLAIN int listen_to(int backlog, struct sockaddr_un *address, socklen_t *size)
{
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    CHECK(bind(fd, (struct sockaddr *)address, sizeof(address->sun_family)) == 0 && listen(fd, backlog) == 0);
    *size = sizeof(*address);
    CHECK(getsockname(fd, (struct sockaddr *)address, size) == 0);
    return fd;
}

static PLAIN void open_all(int *fillers)
{
    struct sockaddr_un unused;
    socklen_t size;
    struct timeval time = {0, WAIT_US};
    struct epoll_event event = {.events = EPOLLIN};
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 64};
    char name[64];
    CHECK(pipe(requests) == 0 && pipe(pipe_ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
    listener = listen_to(4, &unused, &size);
    setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
    full = listen_to(0, &full_address, &full_size);
    for (int i = 0; i < 2; i++) {
        fillers[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        connect(fillers[i], (struct sockaddr *)&full_address, full_size);
    }
    epoll_fd = epoll_create1(0);
    CHECK(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pipe_ends[0], &event) == 0);
    timer_fd = timerfd_create(CLOCK_MONOTONIC, 0);
    queue = msgget(IPC_PRIVATE, 0600);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    snprintf(name, sizeof(name), "/pcomp-test-%d", (int)getpid());
    messages = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    mq_unlink(name);
    if (syscall(SYS_io_setup, 4, &aio) != 0)
        aio = 0;
    CHECK(sem_init(&semaphore, 0, 0) == 0);
}

static PLAIN void close_all(const int *fillers)
{
    const int descriptors[] = {requests[0], requests[1], pipe_ends[0], pipe_ends[1], pair[0],    pair[1],
                               listener,    full,        epoll_fd,     timer_fd,     fillers[0], fillers[1]};
    for (unsigned i = 0; i < sizeof(descriptors) / sizeof(descriptors[0]); i++)
        close(descriptors[i]);
    if (queue >= 0)
        msgctl(queue, IPC_RMID, NULL);
    if (semaphores >= 0)
        semctl(semaphores, 0, IPC_RMID);
    if (messages != (mqd_t)-1)
        mq_close(messages);
    if (aio)
        syscall(SYS_io_destroy, aio);
}

#endif
