/* Threads cancelled in each of the waits, and in computing next to them: the cleanup handlers find what POSIX promises,
 * and the trace is whole. */
#include "expect.h"

#include <pthread.h>
#include <semaphore.h>

#define ROUNDS 20

static sem_t ready, never;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_t sleeper;
static int cleaned;

static void wait_ready(void)
{
    while (sem_wait(&ready) != 0)
        CHECK(errno == EINTR);
}

static void clean(void *m)
{
    COUNT();
    if (m)
        CHECK(pthread_mutex_unlock(m) == 0); /* held again */
    cleaned++;
}

static void in_semaphore(void)
{
    COUNT();
    sem_post(&ready);
    sem_wait(&never);
}

static void in_timed_semaphore(void)
{
    struct timespec late = {2000000000, 0};
    COUNT();
    sem_post(&ready);
    sem_timedwait(&never, &late);
}

static void in_condition(void)
{
    CHECK(pthread_mutex_lock(&mutex) == 0);
    sem_post(&ready);
    pthread_cleanup_push(clean, &mutex);
    for (;;)
        pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(0);
}

static void in_timed_condition(void)
{
    struct timespec late = {2000000000, 0};
    CHECK(pthread_mutex_lock(&mutex) == 0);
    sem_post(&ready);
    pthread_cleanup_push(clean, &mutex);
    for (;;)
        pthread_cond_timedwait(&condition, &mutex, &late);
    pthread_cleanup_pop(0);
}

static void in_join(void)
{
    sem_post(&ready);
    pthread_join(sleeper, NULL);
}

/* Neither is a cancellation point: the thread passes them and ends at the next one. */
static void in_barrier(void)
{
    sem_post(&ready);
    pthread_barrier_wait(&barrier);
    pthread_testcancel();
}

static void in_mutex(void)
{
    sem_post(&ready);
    CHECK(pthread_mutex_lock(&other) == 0);
    CHECK(pthread_mutex_unlock(&other) == 0);
    pthread_testcancel();
}

/* Pending when the wait begins; the semaphore is free and must stay so. */
static void before_semaphore(void)
{
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL) == 0);
    sem_post(&ready);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL) == 0);
    sem_wait(&ready);
}

static void *run(void *what)
{
    COUNT();
    pthread_cleanup_push(clean, NULL);
    ((void (*)(void))what)();
    pthread_cleanup_pop(0);
    CHECK(!"cancelled");
    return NULL;
}

static void *sleeps(void *unused)
{
    sem_wait(&never);
    return unused;
}

static void cancel(void (*what)(void), int handlers)
{
    pthread_t thread;
    void *result;
    cleaned = 0;
    CHECK(pthread_create(&thread, NULL, run, (void *)what) == 0);
    wait_ready();
    if (what == in_condition || what == in_timed_condition) { /* it waits when the mutex is free */
        CHECK(pthread_mutex_lock(&mutex) == 0);
        CHECK(pthread_mutex_unlock(&mutex) == 0);
    }
    CHECK(pthread_cancel(thread) == 0);
    if (what == in_barrier || what == before_semaphore)
        pthread_barrier_wait(&barrier);
    if (what == in_mutex)
        CHECK(pthread_mutex_unlock(&other) == 0);
    if (what == before_semaphore)
        sem_post(&ready);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(cleaned == handlers);
    if (what == before_semaphore)
        CHECK(sem_trywait(&ready) == 0);
    if (what == in_mutex)
        CHECK(pthread_mutex_lock(&other) == 0);
}

int main(void)
{
    sem_init(&ready, 0, 0);
    sem_init(&never, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    CHECK(pthread_mutex_lock(&other) == 0);
    CHECK(pthread_create(&sleeper, NULL, sleeps, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        cancel(in_semaphore, 1);
        cancel(in_timed_semaphore, 1);
        cancel(in_condition, 2);
        cancel(in_timed_condition, 2);
        cancel(in_join, 1);
        cancel(in_barrier, 1);
        cancel(in_mutex, 1);
        cancel(before_semaphore, 1);
    }
    CHECK(pthread_mutex_trylock(&mutex) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    sem_post(&never);
    CHECK(pthread_join(sleeper, NULL) == 0);
    EXPECT("locations %d", 8 * ROUNDS + 2);
    EXPECT("events START %d", 8 * ROUNDS + 1);
    EXPECT("events END %d", 8 * ROUNDS + 1);
    EXPECT("events JOIN_END %d", 8 * ROUNDS + 1);
    EXPECT("least JOIN_BEGIN %d", 8 * ROUNDS + 1);
    EXPECT("most JOIN_BEGIN %d", 9 * ROUNDS + 1);
    expect_untouched();
    return 0;
}
