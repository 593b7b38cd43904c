/* Threads that do everything to each other as fast as they can, for SECONDS or for ROUNDS; the results are right. */
#include "expect.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 16
#endif
#ifndef ROUNDS
#define ROUNDS 300
#endif

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, spare = PTHREAD_MUTEX_INITIALIZER, nested;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static sem_t slots, tokens;
static long counted, nested_counted, pair[2], queue, produced, consumed, signals, unsignalled;
static atomic_long inside, born;
static atomic_bool stop;

static void *child(void *p)
{
    atomic_fetch_add(&born, 1);
    return p;
}

static void produce_or_consume(long me)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    if (me % 2) {
        queue++;
        produced++;
        signals++;
        CHECK((produced % 3 ? pthread_cond_signal(&filled) : pthread_cond_broadcast(&filled)) == 0);
    } else {
        while (!queue) {
            struct timespec soon;
            clock_gettime(CLOCK_REALTIME, &soon);
            soon.tv_nsec = (soon.tv_nsec + 2000000) % 1000000000;
            long before = signals;
            int result =
                consumed % 2 ? pthread_cond_timedwait(&filled, &mutex, &soon) : pthread_cond_wait(&filled, &mutex);
            CHECK(result == 0 || result == ETIMEDOUT);
            unsignalled += result == 0 && signals == before; /* POSIX allows that */
        }
        queue--;
        consumed++;
    }
    CHECK(pthread_mutex_unlock(&mutex) == 0);
}

static long one_round(long me, unsigned *random)
{
    pthread_t thread;
    int result;
    *random = *random * 1103515245 + 12345;
    CHECK(pthread_mutex_lock(&nested) == 0 && pthread_mutex_lock(&nested) == 0);
    nested_counted++;
    CHECK(pthread_mutex_unlock(&nested) == 0 && pthread_mutex_unlock(&nested) == 0);
    if ((result = pthread_mutex_trylock(&spare)) == 0)
        CHECK(pthread_mutex_unlock(&spare) == 0);
    else
        CHECK(result == EBUSY);
    CHECK(sem_wait(&slots) == 0);
    CHECK(atomic_fetch_add(&inside, 1) < 3);
    atomic_fetch_sub(&inside, 1);
    CHECK(sem_post(&slots) == 0);
    if (sem_trywait(&tokens) == 0)
        CHECK(sem_post(&tokens) == 0);
    else
        CHECK(errno == EAGAIN);
    if (*random >> 28 == 0) {
        CHECK(pthread_rwlock_wrlock(&rwlock) == 0);
        pair[0]++;
        pair[1]++;
    } else {
        CHECK(pthread_rwlock_rdlock(&rwlock) == 0);
        CHECK(pair[0] == pair[1]);
    }
    CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    produce_or_consume(me);
    if (*random >> 27 == 1) {
        CHECK(pthread_create(&thread, NULL, child, NULL) == 0);
        CHECK(pthread_join(thread, NULL) == 0);
        return 1;
    }
    return 0;
}

static void *work(void *argument)
{
    long me = (long)argument, children = 0;
    unsigned random = (unsigned)me * 7919;
    COUNT();
    for (long i = 0; !atomic_load(&stop); i++) {
        children += one_round(me, &random);
        CHECK(pthread_mutex_lock(&mutex) == 0);
        counted++;
        CHECK(pthread_mutex_unlock(&mutex) == 0);
        /* all stop in the same round: the first says so between two barriers */
        pthread_barrier_wait(&barrier);
#ifdef SECONDS
        static time_t begin;
        if (me == 0) {
            if (!begin)
                begin = time(NULL);
            atomic_store(&stop, time(NULL) - begin >= SECONDS);
        }
#else
        if (me == 0)
            atomic_store(&stop, i + 1 == ROUNDS);
#endif
        pthread_barrier_wait(&barrier);
    }
    return (void *)children;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_mutexattr_t attributes;
    long children = 0;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&nested, &attributes);
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&slots, 0, 3);
    sem_init(&tokens, 0, 5);
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (long i = 0; i < THREADS; i++) {
        void *result;
        CHECK(pthread_join(threads[i], &result) == 0);
        children += (long)result;
    }
    CHECK(counted == nested_counted && counted % THREADS == 0);
    CHECK(produced == consumed && produced == counted / 2 && queue == 0);
    CHECK(children == born && pair[0] == pair[1] && inside == 0);
#ifndef SECONDS
    EXPECT("events BARRIER_EXIT %d", 2 * ROUNDS * THREADS);
    EXPECT("events JOIN_END %ld", children + THREADS);
#endif
    EXPECT("unsignalled %ld", unsignalled);
    expect_untouched();
    return 0;
}
