/* Processes that wait for each other by fork and wait, a pipe, a pair of sockets and an eventfd, and waits whose cause
 * is not recorded; what is recorded is known by counting. */
#define _GNU_SOURCE
#include "expect.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 20

static void step(void)
{
    COUNT();
}

static void answer(int from, int to)
{
    COUNT();
    char letter;
    while (read(from, &letter, 1) == 1)
        CHECK(write(to, &letter, 1) == 1);
}

static void ask(int to, int from)
{
    char letter = 'x';
    COUNT();
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(write(to, &letter, 1) == 1);
        CHECK(read(from, &letter, 1) == 1);
    }
}

static void talk(int to[2], int from[2], bool is_pair)
{
    pid_t child = fork();
    int status;
    COUNT();
    if (child == 0) {
        close(to[1]);
        answer(to[0], is_pair ? to[0] : from[1]);
        _exit(3);
    }
    close(to[0]);
    ask(to[1], is_pair ? to[1] : from[0]);
    close(to[1]);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
}

/* By several buffers and with addresses. */
static void several_buffers(const int pair[2])
{
    char first[2] = "ab", second[3] = "cde";
    struct iovec both[] = {{first, sizeof first}, {second, sizeof second}};
    struct msghdr message = {.msg_iov = both, .msg_iovlen = 2};
    COUNT();
    CHECK(writev(pair[0], both, 2) == 5);
    CHECK(readv(pair[1], both, 2) == 5);
    CHECK(sendmsg(pair[0], &message, 0) == 5);
    CHECK(recv(pair[1], first, 1, MSG_PEEK) == 1);
    CHECK(recvmsg(pair[1], &message, 0) == 5);
    CHECK(sendto(pair[0], second, 3, 0, NULL, 0) == 3);
    CHECK(recvfrom(pair[1], second, 3, 0, NULL, NULL) == 3 && second[0] == 'c');
    struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = both, .msg_iovlen = 1}},
                                  {.msg_hdr = {.msg_iov = both + 1, .msg_iovlen = 1}}};
    CHECK(sendmmsg(pair[0], messages, 2, 0) == 2 && messages[1].msg_len == 3);
    CHECK(recvmmsg(pair[1], messages, 2, 0, NULL) == 2 && messages[0].msg_len + messages[1].msg_len == 5);
}

/* Through two pipes, with another copy of one half. */
static void moved_bytes(void)
{
    int from[2], to[2];
    char letters[8];
    COUNT();
    CHECK(!pipe(from) && !pipe(to));
    CHECK(write(from[1], "abcd", 4) == 4);
    CHECK(tee(from[0], to[1], 2, 0) == 2);
    CHECK(splice(from[0], NULL, to[1], NULL, 4, 0) == 4);
    CHECK(read(to[0], letters, 8) == 6 && letters[5] == 'd');
    CHECK(vmsplice(to[1], &(struct iovec){letters, 3}, 1, 0) == 3);
    CHECK(read(to[0], letters, 8) == 3);
}

/* A lock of the program's own: waits, with all six arguments, and wakes. */
static void futexes(void)
{
    int word = 1;
    struct timespec moment = {.tv_nsec = 1000}, late = {.tv_sec = 1};
    COUNT();
    CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &moment, NULL, 0) == -1 && errno == ETIMEDOUT);
    CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 1, &late, NULL, 4) == -1 && errno == ETIMEDOUT);
    CHECK(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 1, &late, NULL, 0) == -1 && errno == EINVAL);
    CHECK(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0);
}

/* A semaphore, a barrier, locks and a condition in memory of two processes: one object each, whichever process uses
 * it. */
static void shared_objects(void)
{
    struct objects {
        sem_t semaphore;
        pthread_barrier_t barrier;
        pthread_mutex_t mutex;
        pthread_rwlock_t rwlock;
        pthread_spinlock_t spin;
        pthread_cond_t condition;
        bool told;
    } *o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t shared;
    pthread_mutexattr_t mutex;
    pthread_rwlockattr_t rwlock;
    pthread_condattr_t condition;
    int status;
    COUNT();
    CHECK(o != MAP_FAILED && !sem_init(&o->semaphore, 1, 0));
    CHECK(!pthread_barrierattr_init(&shared) && !pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_barrier_init(&o->barrier, &shared, 2));
    CHECK(!pthread_mutexattr_init(&mutex) && !pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_condattr_init(&condition) && !pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_mutex_init(&o->mutex, &mutex) && !pthread_cond_init(&o->condition, &condition));
    CHECK(!pthread_rwlockattr_init(&rwlock) && !pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED));
    CHECK(!pthread_rwlock_init(&o->rwlock, &rwlock) && !pthread_spin_init(&o->spin, PTHREAD_PROCESS_SHARED));
    pthread_rwlock_wrlock(&o->rwlock);
    pthread_spin_lock(&o->spin);
    if (fork() == 0) {
        step();
        pthread_rwlock_rdlock(&o->rwlock);
        pthread_rwlock_unlock(&o->rwlock);
        pthread_spin_lock(&o->spin);
        pthread_spin_unlock(&o->spin);
        pthread_mutex_lock(&o->mutex);
        o->told = true;
        pthread_cond_signal(&o->condition);
        pthread_mutex_unlock(&o->mutex);
        pthread_barrier_wait(&o->barrier);
        sem_post(&o->semaphore);
        exit(0);
    }
    usleep(1000);
    pthread_rwlock_unlock(&o->rwlock);
    pthread_spin_unlock(&o->spin);
    pthread_mutex_lock(&o->mutex);
    while (!o->told)
        pthread_cond_wait(&o->condition, &o->mutex);
    pthread_mutex_unlock(&o->mutex);
    pthread_barrier_wait(&o->barrier);
    CHECK(sem_wait(&o->semaphore) == 0);
    CHECK(wait(&status) > 0 && status == 0);
}

int main(void)
{
    int there[2], back[2], pair[2], status;
    uint64_t value = 5;
    COUNT();
    CHECK(!pipe(there) && !pipe(back));
    talk(there, back, false);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    talk(pair, pair, true);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    several_buffers(pair);
    moved_bytes();
    int event = eventfd(2, 0);
    CHECK(write(event, &value, sizeof value) == sizeof value);
    CHECK(read(event, &value, sizeof value) == sizeof value && value == 7);
    if (fork() == 0) {
        step();
        exit(0);
    }
    CHECK(wait(&status) > 0 && status == 0);
    CHECK(waitpid(-1, &status, WNOHANG) < 0 && errno == ECHILD);
    CHECK(poll(NULL, 0, 1) == 0);
    CHECK(nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL) == 0);
    futexes();
    shared_objects();
    expect_counts();
    EXPECT("events CREATE 4");
    EXPECT("events START 4");
    EXPECT("events JOIN_BEGIN 4");
    EXPECT("events JOIN_END 4");
    EXPECT("events SEM_V 1");
    EXPECT("events SEM_TAKEN 1");
    EXPECT("events BARRIER_EXIT 2");
    EXPECT("events LOCK_RELEASE 6");
    EXPECT("events COND_SIGNAL 1");
    EXPECT("events STREAM_WRITE %d", 4 * ROUNDS + 2 + 3 + 1 + 4);
    EXPECT("events STREAM_WRITTEN 0");
    EXPECT("events STREAM_DONE %d", 4 * ROUNDS + 2 + 1 + 3 + 1 + 3); /* both answers end with one more */
    EXPECT("events EXTERNAL_BEGIN 7");
    EXPECT("events EXTERNAL_END 7");
    EXPECT("locations 5");
    return 0;
}
