/* A handler that posts semaphores interrupts a thread at any instruction, while that thread and another wait for and
 * hold things: each post is a V, and nothing is torn. */
#include "expect.h"

#include <pthread.h>
#include <semaphore.h>

#define POSTS 2000

static sem_t posted, answered;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t posts;

static void handler(int number)
{
    COUNT();
    (void)number;
    if (posts == POSTS)
        return;
    posts++;
    sem_post(&posted);
}

static void *answer(void *p)
{
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    for (int i = 0; i < POSTS; i++) {
        CHECK(sem_wait(&posted) == 0);
        CHECK(pthread_mutex_lock(&mutex) == 0);
        CHECK(pthread_mutex_unlock(&mutex) == 0);
        CHECK(sem_post(&answered) == 0);
    }
    return p;
}

int main(void)
{
    pthread_t thread;
    struct sigaction act = {.sa_handler = handler}, before;
    struct itimerspec often = {{0, 100000}, {0, 100000}};
    timer_t timer;
    long interrupted = 0;
    sem_init(&posted, 0, 0);
    sem_init(&answered, 0, 0);
    CHECK(pthread_create(&thread, NULL, answer, NULL) == 0);
    sigaction(SIGALRM, &act, &before);
    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    timer_settime(timer, 0, &often, NULL);
    for (int i = 0; i < POSTS;) {
        CHECK(pthread_mutex_lock(&mutex) == 0);
        CHECK(pthread_mutex_unlock(&mutex) == 0);
        if (sem_wait(&answered) == 0) {
            i++;
        } else {
            CHECK(errno == EINTR);
            interrupted++;
        }
    }
    timer_delete(timer);
    sigaction(SIGALRM, &before, NULL);
    CHECK(pthread_join(thread, NULL) == 0);
    EXPECT("events SEM_V %d", 2 * POSTS);
    EXPECT("events SEM_TAKEN %d", 2 * POSTS);
    EXPECT("events SEM_FAILED %ld", interrupted);
    expect_untouched();
    return 0;
}
