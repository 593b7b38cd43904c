/* Recording begins with the first instrumented function, here of a thread, while others synchronise: main, which is not
 * instrumented, has posted a semaphore and is in a barrier by then, and a thread creates and joins others all along. */
#include "expect.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

static sem_t early, passed;
static pthread_barrier_t barrier;
static bool about_to_meet, done;

static PLAIN bool is_set(bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static PLAIN void set(bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

__attribute__((noinline)) static void work(void)
{
    COUNT();
    CHECK(sem_wait(&early) == 0);
    CHECK(sem_wait(&early) == 0);
}

static PLAIN void *first_to_be_recorded(void *p)
{
    while (!is_set(&about_to_meet))
        usleep(100);
    usleep(2000); /* main is in the barrier, as a rule */
    work();
    for (int i = 0; i < 3; i++)
        pthread_barrier_wait(&barrier);
    return p;
}

static PLAIN void *pass(void *p)
{
    CHECK(sem_post(&passed) == 0);
    return p;
}

static PLAIN void *create_all_along(void *p)
{
    for (int more = 20; more; more -= is_set(&done)) {
        pthread_t t;
        CHECK(pthread_create(&t, NULL, pass, NULL) == 0);
        CHECK(sem_wait(&passed) == 0);
        CHECK(pthread_join(t, NULL) == 0);
    }
    return p;
}

PLAIN int main(void)
{
    pthread_t first, creator;
    CHECK(sem_init(&early, 0, 1) == 0 && sem_init(&passed, 0, 0) == 0);
    CHECK(sem_post(&early) == 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    CHECK(pthread_create(&creator, NULL, create_all_along, NULL) == 0);
    CHECK(pthread_create(&first, NULL, first_to_be_recorded, NULL) == 0);
    set(&about_to_meet);
    for (int i = 0; i < 3; i++)
        pthread_barrier_wait(&barrier);
    CHECK(pthread_join(first, NULL) == 0);
    set(&done);
    CHECK(pthread_join(creator, NULL) == 0);
    EXPECT("least BARRIER_ENTER 5");
    EXPECT("least CREATE 15");
    return 0;
}
