/* Threads whose synchronisation is known event by event: what must be in the trace is counted here. Prints nothing that
 * depends on the order. */
#include "expect.h"

#include <fcntl.h>
#include <pcomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>

#define THREADS 4
#define ROUNDS  100

static struct counts {
    unsigned long create, join, enter, init, post, taken, refused, acquired, failed, wait, signal, broadcast, advance,
        await;
} n;
#define DID(what) __atomic_fetch_add(&n.what, 1, __ATOMIC_RELAXED)

static pthread_barrier_t barrier;
static sem_t items, room, *named;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, nested, checked;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, start = PTHREAD_COND_INITIALIZER;
static mtx_t c11_mutex;
static cnd_t c11_more;
static long in_mutex, in_nested, in_store, stored, started, taken, c11_stored;
static _Atomic unsigned long line;

static void lock(pthread_mutex_t *m)
{
    CHECK(pthread_mutex_lock(m) == 0);
    DID(acquired);
}

static void unlock(pthread_mutex_t *m)
{
    CHECK(pthread_mutex_unlock(m) == 0);
}

static void barriers(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        int result = pthread_barrier_wait(&barrier);
        CHECK(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
        DID(enter);
    }
}

static void semaphores(long me)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (me % 2) {
            CHECK(sem_wait(&room) == 0);
            DID(taken);
            CHECK(sem_post(&items) == 0);
        } else {
            CHECK(sem_wait(&items) == 0);
            DID(taken);
            CHECK(sem_post(&room) == 0);
        }
        DID(post);
        CHECK(sem_wait(named) == 0);
        DID(taken);
        CHECK(sem_post(named) == 0);
        DID(post);
    }
}

static void mutexes(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        lock(&mutex);
        CHECK(in_mutex++ == 0);
        if (i % 10 == 0)
            sched_yield();
        in_mutex--;
        unlock(&mutex);

        lock(&nested); /* held until the last of three is undone */
        CHECK(pthread_mutex_lock(&nested) == 0);
        CHECK(pthread_mutex_trylock(&nested) == 0);
        CHECK(in_nested++ == 0);
        in_nested--;
        CHECK(pthread_mutex_unlock(&nested) == 0);
        CHECK(pthread_mutex_unlock(&nested) == 0);
        unlock(&nested);

        lock(&checked);
        CHECK(pthread_mutex_lock(&checked) == EDEADLK);
        DID(failed);
        unlock(&checked);
        CHECK(pthread_mutex_unlock(&checked) == EPERM); /* releases nothing */

        switch (pthread_mutex_trylock(&mutex)) {
        case 0:
            DID(acquired), unlock(&mutex);
            break;
        case EBUSY:
            DID(failed);
            break;
        default:
            CHECK(!"trylock");
        }
    }
}

static void rwlocks(long me)
{
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(pthread_rwlock_rdlock(&rwlock) == 0);
        DID(acquired);
        CHECK(stored == in_store);
        CHECK(pthread_rwlock_unlock(&rwlock) == 0);
        if (i % THREADS == me) {
            CHECK(pthread_rwlock_wrlock(&rwlock) == 0);
            DID(acquired);
            stored++;
            in_store++;
            CHECK(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
            DID(failed);
            CHECK(pthread_rwlock_unlock(&rwlock) == 0);
        }
    }
}

/* The last to come starts all; then half of them hand numbers to the other half, who wait for them. */
static void conditions(long me)
{
    static long queue;
    lock(&mutex);
    if (++started == THREADS) {
        CHECK(pthread_cond_broadcast(&start) == 0);
        DID(broadcast);
    }
    while (started < THREADS) {
        CHECK(pthread_cond_wait(&start, &mutex) == 0);
        DID(wait);
    }
    unlock(&mutex);
    for (int i = 0; i < ROUNDS; i++) {
        lock(&mutex);
        if (me % 2) {
            queue++;
            if (i % 2) {
                unlock(&mutex);
                CHECK(pthread_cond_signal(&more) == 0); /* without the mutex */
            } else {
                CHECK(pthread_cond_signal(&more) == 0);
                unlock(&mutex);
            }
            DID(signal);
        } else {
            while (!queue) {
                CHECK(pthread_cond_wait(&more, &mutex) == 0);
                DID(wait);
            }
            queue--;
            taken++;
            unlock(&mutex);
        }
    }
}

static void c11(long me)
{
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(mtx_lock(&c11_mutex) == thrd_success);
        DID(acquired);
        if (me % 2) {
            c11_stored++;
            CHECK(cnd_signal(&c11_more) == thrd_success);
            DID(signal);
        } else {
            while (!c11_stored) {
                CHECK(cnd_wait(&c11_more, &c11_mutex) == thrd_success);
                DID(wait);
            }
            c11_stored--;
        }
        CHECK(mtx_unlock(&c11_mutex) == thrd_success);
    }
}

#define ADVANCE(v, i) (DID(advance), pcomp_advance(&(v), (i)), atomic_store(&(v), (i) + 1))
#define AWAIT(v, i)   (pcomp_await_begin(&(v), (i)), await_index(i), pcomp_await_end(&(v), (i)), DID(await))

static void await_index(unsigned long i)
{
    while ((long)i >= 0 && atomic_load(&line) <= i)
        sched_yield();
}

/* Iteration i needs the two before it. */
static void pipeline(unsigned long me)
{
    for (unsigned long i = me; i < ROUNDS; i += THREADS) {
        AWAIT(line, i - 2);
        AWAIT(line, i - 1);
        ADVANCE(line, i);
    }
}

static void *work(void *argument)
{
    long me = (long)argument;
    COUNT();
    barriers();
    semaphores(me);
    mutexes();
    rwlocks(me);
    conditions(me);
    c11(me);
    pipeline((unsigned long)me);
    return argument;
}

static int work_c11(void *argument)
{
    return (int)(long)argument;
}

static void time_out(void)
{
    struct timespec past = {1, 0};
    CHECK(sem_timedwait(&items, &past) == -1 && errno == ETIMEDOUT);
    DID(refused);
    CHECK(sem_trywait(&items) == -1 && errno == EAGAIN);
    DID(refused);
    lock(&mutex);
    CHECK(pthread_cond_timedwait(&more, &mutex, &past) == ETIMEDOUT);
    DID(wait);
    unlock(&mutex);
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_mutexattr_t attributes;
    char name[60];
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&nested, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attributes);
    pthread_barrier_init(&barrier, NULL, THREADS);
    mtx_init(&c11_mutex, mtx_plain);
    cnd_init(&c11_more);
    snprintf(name, sizeof(name), "/pcomp-known-%d", (int)getpid());
    CHECK(sem_init(&items, 0, 0) == 0 && sem_init(&room, 0, 3) == 0);
    CHECK((named = sem_open(name, O_CREAT, 0600, 2)) != SEM_FAILED);
    CHECK(sem_open(name, O_CREAT, 0600, 9) == named && sem_open(name, 0) == named);
    CHECK(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    CHECK(sem_unlink(name) == 0);
    n.init = 3;
    time_out();
    for (long i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
        DID(create);
    }
    for (long i = 0; i < THREADS; i++) {
        void *result;
        CHECK(pthread_join(threads[i], &result) == 0 && (long)result == i);
        DID(join);
    }
    thrd_t thread;
    int result;
    CHECK(thrd_create(&thread, work_c11, (void *)5) == thrd_success);
    CHECK(thrd_join(thread, &result) == thrd_success && result == 5);
    DID(create), DID(join);
    CHECK(taken == THREADS / 2 * ROUNDS && stored == ROUNDS && c11_stored == 0);
    EXPECT("locations %d", THREADS + 2);
    EXPECT("events CREATE %lu", n.create);
    EXPECT("events START %lu", n.create);
    EXPECT("events END %lu", n.create);
    EXPECT("closed END %lu", n.create); /* closing the file is no time that a join waits for */
    EXPECT("events JOIN_BEGIN %lu", n.join);
    EXPECT("events JOIN_END %lu", n.join);
    EXPECT("events BARRIER_ENTER %lu", n.enter);
    EXPECT("events BARRIER_EXIT %lu", n.enter);
    EXPECT("events SEM_INIT %lu", n.init);
    EXPECT("events SEM_V %lu", n.post);
    EXPECT("events SEM_REQUEST %lu", n.taken + n.refused);
    EXPECT("events SEM_TAKEN %lu", n.taken);
    EXPECT("events SEM_FAILED %lu", n.refused);
    EXPECT("events LOCK_REQUEST %lu", n.acquired + n.failed);
    EXPECT("events LOCK_ACQUIRED %lu", n.acquired);
    EXPECT("events LOCK_FAILED %lu", n.failed);
    EXPECT("events LOCK_RELEASE %lu", n.acquired);
    EXPECT("events COND_WAIT %lu", n.wait);
    EXPECT("events COND_WOKEN %lu", n.wait);
    EXPECT("events COND_SIGNAL %lu", n.signal);
    EXPECT("events COND_BROADCAST %lu", n.broadcast);
    EXPECT("events ADVANCE %lu", n.advance);
    EXPECT("events AWAIT_BEGIN %lu", n.await);
    EXPECT("events AWAIT_END %lu", n.await);
    expect_untouched();
    return 0;
}
