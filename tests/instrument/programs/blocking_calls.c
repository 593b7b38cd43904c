/* Calls that wait, and that a signal ends early even with SA_RESTART, in a thread that computes before each, so that
 * the sampler's timer has something to send: none returns EINTR, or before its time. */
#include "blocking_state.h"
#include "expect.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <threads.h>

#ifndef ROUNDS
#define ROUNDS 40
#endif
#define COMPUTE_MS 3

/* What the other thread does a moment after it was asked. */
enum wake {
    WRITE_PIPE = 'p',
    POST = 's',
    SIGNAL_CONDITION = 'c',
    SEND_MESSAGE = 'm',
    RAISE = 'u',
    ADD = 'o',
    QUIT = 'q'
};

static PLAIN struct timespec deadline(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += WAIT_NS;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

static PLAIN void *wake_up(void *unused)
{
    struct {
        long type;
    } message = {1};
    struct sembuf up = {0, 1, 0};
    char request = 0;
    sigset_t all; /* the program's own signals are the other thread's */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (request != QUIT) {
        CHECK(read(requests[0], &request, 1) == 1);
        CHECK(nanosleep(&moment, NULL) == 0);
        if (request == WRITE_PIPE)
            CHECK(write(pipe_ends[1], "x", 1) == 1);
        if (request == POST)
            sem_post(&semaphore);
        if (request == SEND_MESSAGE)
            CHECK(msgsnd(queue, &message, 0, 0) == 0);
        if (request == ADD)
            CHECK(semop(semaphores, &up, 1) == 0);
        if (request == RAISE)
            pthread_kill(waiting, SIGUSR1);
        if (request == SIGNAL_CONDITION) {
            pthread_mutex_lock(&mutex);
            signalled = true;
            pthread_cond_signal(&condition);
            pthread_mutex_unlock(&mutex);
        }
    }
    return unused;
}

static PLAIN void ask(enum wake what)
{
    char request = (char)what;
    CHECK(write(requests[1], &request, 1) == 1);
}

/* --- calls with a time
 * ------------------------------------------------------------------------------------------------ */

void call_nanosleep(void)
{
    COUNT();
    CHECK(nanosleep(&moment, NULL) == 0);
}

void call_clock_nanosleep(void)
{
    COUNT();
    struct timespec until = deadline(CLOCK_MONOTONIC);
    CHECK(clock_nanosleep(CLOCK_REALTIME, 0, &moment, NULL) == 0);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
    until = deadline(CLOCK_MONOTONIC);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
}

void call_usleep(void)
{
    COUNT();
    CHECK(usleep(WAIT_US) == 0);
}

void call_thrd_sleep(void)
{
    COUNT();
    CHECK(thrd_sleep(&moment, NULL) == 0);
}

void call_poll(void)
{
    COUNT();
    struct pollfd p = {.fd = pipe_ends[0], .events = POLLIN};
    CHECK(poll(&p, 1, WAIT_MS) == 0);
}

void call_ppoll(void)
{
    COUNT();
    struct pollfd p = {.fd = pipe_ends[0], .events = POLLIN};
    sigset_t none;
    sigemptyset(&none);
    CHECK(ppoll(&p, 1, &moment, &none) == 0);
}

void call_select(void)
{
    COUNT();
    struct timeval time = {0, WAIT_US};
    fd_set set;
    FD_ZERO(&set);
    FD_SET(pipe_ends[0], &set);
    CHECK(select(pipe_ends[0] + 1, &set, NULL, NULL, &time) == 0);
}

void call_pselect(void)
{
    COUNT();
    sigset_t none;
    sigemptyset(&none);
    CHECK(pselect(0, NULL, NULL, NULL, &moment, &none) == 0);
}

void call_epoll_wait(void)
{
    COUNT();
    struct epoll_event event;
    CHECK(epoll_wait(epoll_fd, &event, 1, WAIT_MS) == 0);
}

void call_sem_timedwait(void)
{
    COUNT();
    struct timespec until = deadline(CLOCK_REALTIME);
    CHECK(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
}

void call_cond_timedwait(void)
{
    COUNT();
    struct timespec until = deadline(CLOCK_REALTIME);
    pthread_mutex_lock(&mutex);
    int result;
    do
        result = pthread_cond_timedwait(&condition, &mutex, &until);
    while (result == 0);
    CHECK(result == ETIMEDOUT);
    pthread_mutex_unlock(&mutex);
}

void call_mutex_timedlock(void)
{
    COUNT();
    struct timespec until = deadline(CLOCK_REALTIME);
    CHECK(pthread_mutex_timedlock(&held, &until) == ETIMEDOUT);
}

void call_futex(void)
{
    COUNT();
    int word = 0;
    CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &moment, NULL, 0) == -1 && errno == ETIMEDOUT);
}

void call_sigtimedwait(void)
{
    COUNT();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(sigtimedwait(&set, NULL, &moment) == -1 && errno == EAGAIN);
}

void call_mq_timedreceive(void)
{
    COUNT();
    char text[64];
    struct timespec until = deadline(CLOCK_REALTIME);
    if (messages != (mqd_t)-1)
        CHECK(mq_timedreceive(messages, text, sizeof(text), NULL, &until) == -1 && errno == ETIMEDOUT);
    else
        nanosleep(&moment, NULL);
}

void call_io_getevents(void)
{
    COUNT();
    struct io_event event;
    if (aio)
        CHECK(syscall(SYS_io_getevents, aio, 1L, 1L, &event, &moment) == 0);
    else
        nanosleep(&moment, NULL);
}

void call_read_timerfd(void)
{
    COUNT();
    struct itimerspec once = {{0, 0}, moment};
    uint64_t count;
    CHECK(timerfd_settime(timer_fd, 0, &once, NULL) == 0);
    CHECK(read(timer_fd, &count, sizeof(count)) == sizeof(count));
}

/* --- calls whose time the kernel rounds to ticks
 * ---------------------------------------------------------------------- */

void call_recv(void)
{
    COUNT();
    char c;
    CHECK(recv(pair[0], &c, 1, 0) == -1 && errno == EAGAIN);
}

void call_accept(void)
{
    COUNT();
    CHECK(accept(listener, NULL, NULL) == -1 && errno == EAGAIN);
}

void call_connect(void)
{
    COUNT();
    struct timeval time = {0, WAIT_US};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
    CHECK(connect(fd, (struct sockaddr *)&full_address, full_size) == -1 && errno == EAGAIN);
    close(fd);
}

void call_semtimedop(void)
{
    COUNT();
    struct sembuf down = {0, -1, 0};
    if (semaphores >= 0)
        CHECK(semtimedop(semaphores, &down, 1, &moment) == -1 && errno == EAGAIN);
}

/* --- calls that end by what another thread does
 * ----------------------------------------------------------------------- */

void call_read(void)
{
    COUNT();
    char c;
    ask(WRITE_PIPE);
    CHECK(read(pipe_ends[0], &c, 1) == 1);
}

void call_sem_wait(void)
{
    COUNT();
    ask(POST);
    CHECK(sem_wait(&semaphore) == 0);
}

void call_cond_wait(void)
{
    COUNT();
    ask(SIGNAL_CONDITION);
    pthread_mutex_lock(&mutex);
    while (!signalled)
        CHECK(pthread_cond_wait(&condition, &mutex) == 0);
    signalled = false;
    pthread_mutex_unlock(&mutex);
}

void call_msgrcv(void)
{
    COUNT();
    struct {
        long type;
    } message;
    if (queue < 0)
        return;
    ask(SEND_MESSAGE);
    CHECK(msgrcv(queue, &message, 0, 0, 0) == 0);
}

void call_semop(void)
{
    COUNT();
    struct sembuf down = {0, -1, 0};
    if (semaphores < 0)
        return;
    ask(ADD);
    CHECK(semop(semaphores, &down, 1) == 0);
}

void call_sigwaitinfo(void)
{
    COUNT();
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    ask(RAISE);
    CHECK(sigwaitinfo(&set, NULL) == SIGUSR1);
}

static PLAIN void *sleep_and_end(void *argument)
{
    CHECK(nanosleep(&moment, NULL) == 0);
    return argument;
}

void call_join(void)
{
    COUNT();
    pthread_t t;
    void *result = NULL;
    CHECK(pthread_create(&t, NULL, sleep_and_end, &semaphore) == 0);
    CHECK(pthread_join(t, &result) == 0 && result == &semaphore);
}

/* --- calls that only a signal ends
 * ------------------------------------------------------------------------------------ */

static PLAIN void on_alarm(int number)
{
    (void)number;
    alarms++;
}

/* Every few milliseconds, so that one that comes before the wait does no harm. */
static PLAIN void set_alarms(long us)
{
    struct itimerval every = {{0, us}, {0, us}};
    CHECK(setitimer(ITIMER_REAL, &every, NULL) == 0);
}

void call_pause(void)
{
    COUNT();
    int before = alarms;
    set_alarms(2 * WAIT_US);
    CHECK(pause() == -1 && errno == EINTR);
    CHECK(alarms != before);
    set_alarms(0);
}

void call_sigsuspend(void)
{
    COUNT();
    sigset_t none;
    sigemptyset(&none);
    int before = alarms;
    set_alarms(2 * WAIT_US);
    CHECK(sigsuspend(&none) == -1 && errno == EINTR);
    CHECK(alarms != before);
    set_alarms(0);
}

static const struct {
    void (*call)(void);
    double min; /* ms */
} calls[] = {{call_nanosleep, WAIT_MS},
             {call_clock_nanosleep, 2 * WAIT_MS},
             {call_usleep, WAIT_MS},
             {call_thrd_sleep, WAIT_MS},
             {call_poll, WAIT_MS},
             {call_ppoll, WAIT_MS},
             {call_select, WAIT_MS},
             {call_pselect, WAIT_MS},
             {call_epoll_wait, WAIT_MS},
             {call_sem_timedwait, WAIT_MS},
             {call_cond_timedwait, WAIT_MS},
             {call_mutex_timedlock, WAIT_MS},
             {call_futex, WAIT_MS},
             {call_sigtimedwait, WAIT_MS},
             {call_mq_timedreceive, WAIT_MS},
             {call_io_getevents, WAIT_MS},
             {call_read_timerfd, WAIT_MS},
             {call_recv, 0},
             {call_accept, 0},
             {call_connect, 0},
             {call_semtimedop, 0},
             {call_read, 0},
             {call_sem_wait, 0},
             {call_cond_wait, 0},
             {call_msgrcv, 0},
             {call_semop, 0},
             {call_sigwaitinfo, 0},
             {call_join, WAIT_MS},
             {call_pause, 0},
             {call_sigsuspend, 0}};

static PLAIN void *hold(void *unused)
{
    pthread_mutex_lock(&held);
    return unused;
}

int main(void)
{
    COUNT();
    int fillers[2];
    pthread_t waker, holder;
    sigset_t user;
    struct sigaction action = {.sa_handler = on_alarm}, before;
    open_all(fillers);
    waiting = pthread_self();
    sigemptyset(&user);
    sigaddset(&user, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &user, NULL);
    CHECK(sigaction(SIGALRM, &action, &before) == 0);
    CHECK(pthread_create(&waker, NULL, wake_up, NULL) == 0);
    CHECK(pthread_create(&holder, NULL, hold, NULL) == 0);
    pthread_join(holder, NULL);
    for (int round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
            expect_spin(COMPUTE_MS + (double)(i + (unsigned)round) * 0.01);
            double begin = expect_now_ms();
            calls[i].call();
            CHECK(expect_now_ms() - begin > calls[i].min - 0.01);
        }
    expect_spin(2 * COMPUTE_MS);
    CHECK(sleep(1) == 0);
    ask(QUIT);
    pthread_join(waker, NULL);
    CHECK(sigaction(SIGALRM, &before, NULL) == 0);
    pthread_sigmask(SIG_UNBLOCK, &user, NULL);
    close_all(fillers);
    expect_counts();
    EXPECT("least samples %d", 10 * ROUNDS);
    expect_untouched();
    return 0;
}
