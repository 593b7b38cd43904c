/* Many threads: joined, detached, cancelled, ended by pthread_exit inside nested calls, named. Also plain for TSan. */
#define _GNU_SOURCE
#include "expect.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#ifndef THREADS
#define THREADS 1000
#endif

static sem_t done, stuck;

long work(long n)
{
    COUNT();
    return n < 2 ? n : work(n - 1) + work(n - 2);
}

void *joined(void *p)
{
    COUNT();
    return (void *)work((long)p % 10);
}

void *detached(void *p)
{
    COUNT();
    work(5);
    sem_post(&done);
    return p;
}

void leave(int depth)
{
    COUNT();
    if (depth == 0)
        pthread_exit((void *)7);
    leave(depth - 1);
}

void *exits(void *p)
{
    COUNT();
    leave(5);
    return p;
}

void wait_for_cancel(void)
{
    COUNT();
    sem_post(&stuck);
    for (;;)
        pause();
}

void *cancelled(void *p)
{
    COUNT();
    wait_for_cancel();
    return p;
}

void *named(void *p)
{
    COUNT();
    pthread_setname_np(pthread_self(), "worker-bee");
    work(3);
    return p;
}

static pthread_key_t key;

void destructor(void *p)
{
    COUNT();
    (void)p;
    work(2);
}

void *with_destructor(void *p)
{
    COUNT();
    pthread_setspecific(key, p);
    return p;
}

int main(void)
{
    COUNT();
    static pthread_t t[THREADS];
    pthread_attr_t small, apart;
    sem_init(&done, 0, 0);
    sem_init(&stuck, 0, 0);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    for (long i = 0; i < THREADS; i++)
        CHECK(pthread_create(&t[i], &small, joined, (void *)i) == 0);
    for (long i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(t[i], &result);
        static const long fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
        CHECK((long)result == fib[i % 10]);
    }
    pthread_attr_init(&apart);
    pthread_attr_setdetachstate(&apart, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 50; i++)
        CHECK(pthread_create(&t[0], &apart, detached, NULL) == 0);
    for (int i = 0; i < 50; i++)
        sem_wait(&done);
    for (int i = 0; i < 20; i++) {
        void *result;
        CHECK(pthread_create(&t[i], NULL, exits, NULL) == 0);
        pthread_join(t[i], &result);
        CHECK(result == (void *)7);
    }
    for (int i = 0; i < 20; i++) {
        void *result;
        CHECK(pthread_create(&t[i], NULL, cancelled, NULL) == 0);
        sem_wait(&stuck);
        pthread_cancel(t[i]);
        pthread_join(t[i], &result);
        CHECK(result == PTHREAD_CANCELED);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_create(&t[i], NULL, named, NULL) == 0);
        pthread_join(t[i], NULL);
    }
    pthread_key_create(&key, destructor);
    for (int i = 0; i < 10; i++) {
        CHECK(pthread_create(&t[i], NULL, with_destructor, &key) == 0);
        pthread_join(t[i], NULL);
    }
    struct timespec settle = {0, 50000000}; /* the detached ones end */
    nanosleep(&settle, NULL);
    expect_counts();
    EXPECT("path exits>leave>leave>leave>leave>leave>leave 20");
    EXPECT("path joined>work %d", THREADS);
    EXPECT("path named>work>work 6");
    EXPECT("path cancelled>wait_for_cancel 20");
    EXPECT("path destructor>work 10");
    EXPECT("least threads %d", THREADS + 1 + 50 + 20 + 20 + 3 + 10);
    EXPECT("closed 1");
    EXPECT("named worker-bee 3");
    EXPECT("open work 0");
    expect_untouched();
    return 0;
}
