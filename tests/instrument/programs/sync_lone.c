/* Mutexes of the only thread are in no trace, but those that it holds when a second thread comes, which may wait for
 * them; from then on all are. The counts fit however many there were before. */
#include "expect.h"

#include <pthread.h>

enum { BEFORE = 1000, TAKEN = 3, AFTER = 100, DEEP = 40 };

static pthread_mutex_t locks[DEEP], again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

__attribute__((noinline)) void lock_and_unlock(int i)
{
    COUNT();
    CHECK(pthread_mutex_lock(&locks[i]) == 0);
    CHECK(pthread_mutex_lock(&again) == 0 && pthread_mutex_trylock(&again) == 0);
    CHECK(pthread_mutex_trylock(&locks[i]) == EBUSY);
    CHECK(pthread_mutex_unlock(&again) == 0 && pthread_mutex_unlock(&again) == 0);
    CHECK(pthread_mutex_unlock(&locks[i]) == 0);
}

void *wait_for_all(void *unused)
{
    for (int i = 0; i < TAKEN; i++) {
        CHECK(pthread_mutex_lock(&locks[i]) == 0);
        CHECK(pthread_mutex_unlock(&locks[i]) == 0);
    }
    return unused;
}

int main(void)
{
    COUNT();
    pthread_t t;
    for (int i = 0; i < DEEP; i++)
        CHECK(pthread_mutex_init(&locks[i], NULL) == 0);
    for (int i = 0; i < BEFORE; i++)
        lock_and_unlock(i % DEEP);
    int taken = 0;
#ifdef MANY_TAKEN
    taken = DEEP; /* more than the library keeps in mind */
    for (int i = 0; i < taken; i++)
        CHECK(pthread_mutex_lock(&locks[i]) == 0);
    for (int i = 0; i < taken; i++)
        CHECK(pthread_mutex_unlock(&locks[i]) == 0);
#endif
    EXPECT("events LOCK_ACQUIRED %d", taken + TAKEN + TAKEN + 2 * AFTER);
    EXPECT("events LOCK_RELEASE %d", taken + TAKEN + TAKEN + 2 * AFTER);
    EXPECT("events LOCK_FAILED %d", BEFORE + AFTER);
    for (int i = TAKEN - 1; i >= 0; i--)
        CHECK(pthread_mutex_lock(&locks[i]) == 0);
    CHECK(pthread_create(&t, NULL, wait_for_all, NULL) == 0);
    expect_spin(5);
    for (int i = 0; i < TAKEN; i++)
        CHECK(pthread_mutex_unlock(&locks[i]) == 0);
    pthread_join(t, NULL);
    for (int i = 0; i < AFTER; i++)
        lock_and_unlock(i % DEEP);
    expect_counts();
    return 0;
}
