/* Every way to be off the processor. Each function compares the wall clock with its thread's processor time around its
 * wait: what it finds so is the least that the profile must have as its exclusive time off the processor. */
#include "expect.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/socket.h>

static PLAIN double off_ms(void)
{
    double wall = expect_clock_ms(CLOCK_MONOTONIC);
    return wall - expect_clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

/* In a function: what it is off the processor from OFF_BEGIN on. A wait of less than 1 ms is no matter. */
#define OFF_BEGIN double off_ = off_ms();
#define OFF_END                                                                                                        \
    do {                                                                                                               \
        off_ = off_ms() - off_;                                                                                        \
        EXPECT("off %s %.1f %.1f", __func__, off_ * 0.9 - 1, 1e6);                                                     \
    } while (0)

static PLAIN void sleep_ms(int ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&left, &left) && errno == EINTR)
        ;
}

/* --- sleeps between calls of a small function ------------------------------------------------------------------------
 */

static unsigned parse(unsigned n)
{
    volatile unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += i;
    return s;
}

static PLAIN unsigned serve(int n, int calls, int us)
{
    volatile unsigned s = 0;
    while (n--) {
        for (int i = 0; i < calls; i++)
            s += parse(200);
        usleep((useconds_t)us);
    }
    return s;
}

/* A preemption may be parse's. */
#define SERVER(name, n, calls, us)                                                                                     \
    static void name(void)                                                                                             \
    {                                                                                                                  \
        COUNT();                                                                                                       \
        serve(n, calls, us);                                                                                           \
        EXPECT("waiting %s %.1f %.1f", __func__, (n) * (us) / 1e3 * 0.6, 1e6);                                         \
    }
SERVER(serves_often, 50, 1000, 5000)
SERVER(serves_much, 3, 100000, 50000)
SERVER(serves_little, 100, 20, 1000)
SERVER(serves_nobody, 1, 0, 100000)

/* --- waits for others ------------------------------------------------------------------------------------------------
 */

static int pipe_ends[2], sockets[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void writes_late(void)
{
    COUNT();
    OFF_BEGIN
    sleep_ms(30);
    CHECK(write(pipe_ends[1], "x", 1) == 1);
    sleep_ms(30);
    CHECK(send(sockets[1], "x", 1, 0) == 1);
    OFF_END;
    EXPECT("waiting %s 30 1000000", __func__);
}

static void *writer(void *unused)
{
    COUNT();
    writes_late();
    return unused;
}

static void reads_pipe(void)
{
    char c;
    COUNT();
    OFF_BEGIN
    CHECK(read(pipe_ends[0], &c, 1) == 1);
    OFF_END;
}

static void reads_socket(void)
{
    char c;
    COUNT();
    OFF_BEGIN
    CHECK(recv(sockets[0], &c, 1, 0) == 1);
    OFF_END;
}

static void *holder(void *unused)
{
    COUNT();
    OFF_BEGIN
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(write(pipe_ends[1], "x", 1) == 1);
    sleep_ms(40);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    OFF_END;
    return unused;
}

static void locks(void)
{
    COUNT();
    OFF_BEGIN
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    OFF_END;
}

static void *sleeper(void *unused)
{
    COUNT();
    OFF_BEGIN
    sleep_ms(50);
    OFF_END;
    return unused;
}

static void joins(pthread_t thread)
{
    COUNT();
    OFF_BEGIN
    CHECK(pthread_join(thread, NULL) == 0);
    OFF_END;
}

static void threads(void)
{
    COUNT();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, writer, NULL) == 0);
    reads_pipe();
    reads_socket();
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, holder, NULL) == 0);
    CHECK(read(pipe_ends[0], &(char){0}, 1) == 1); /* the mutex is held */
    locks();
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, sleeper, NULL) == 0);
    joins(thread);
}

/* --- waits that end otherwise ----------------------------------------------------------------------------------------
 */

static jmp_buf out;

static void sleeps_and_jumps(void)
{
    COUNT();
    OFF_BEGIN
    sleep_ms(20);
    OFF_END;
    longjmp(out, 1);
}

static void sleeps_inside(int depth)
{
    COUNT();
    if (depth) {
        sleeps_inside(depth - 1);
        return;
    }
    OFF_BEGIN
    sleep_ms(20);
    OFF_END;
}

static void jumps(void)
{
    COUNT();
    if (!setjmp(out))
        sleeps_and_jumps();
    sleeps_inside(5);
    EXPECT("abandoned 1");
}

static void *never_ends(void *unused)
{
    struct pollfd nothing = {.fd = -1};
    COUNT();
    CHECK(write(pipe_ends[1], "x", 1) == 1);
    poll(&nothing, 1, -1);
    return unused;
}

int main(void)
{
    COUNT();
    pthread_t thread;
    CHECK(pipe(pipe_ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    serves_often();
    serves_much();
    serves_little();
    serves_nobody();
    threads();
    jumps();
    CHECK(pthread_create(&thread, NULL, never_ends, NULL) == 0);
    CHECK(read(pipe_ends[0], &(char){0}, 1) == 1);
    sleep_ms(60);
    EXPECT("off never_ends 50 1000000");
    EXPECT("open never_ends 1");
    return 0;
}
