/* Calls at times when the library is not ready: before any constructor, in the child of a fork, in destructors of a
 * thread's data, at exit. */
#include "expect.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t semaphore;
static int destroyed;

static PLAIN void use_all(void)
{
    struct timespec past = {1, 0};
    CHECK(pthread_mutex_lock(&mutex) == 0);
    CHECK(pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT);
    CHECK(pthread_cond_signal(&condition) == 0);
    CHECK(pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0);
    CHECK(pthread_rwlock_unlock(&rwlock) == 0);
    CHECK(sem_init(&semaphore, 0, 1) == 0);
    CHECK(sem_wait(&semaphore) == 0);
    CHECK(sem_post(&semaphore) == 0);
    CHECK(sem_trywait(&semaphore) == 0);
    CHECK(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
}

static PLAIN void before_constructors(void)
{
    use_all();
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit)(void) = before_constructors;

static __attribute__((no_instrument_function, destructor)) void after_main(void)
{
    use_all();
}

static void destroy(void *p)
{
    COUNT();
    (void)p;
    use_all();
    destroyed++;
}

static void *work(void *p)
{
    COUNT();
    use_all();
    pthread_setspecific(key, p);
    pthread_barrier_wait(&barrier);
    return p;
}

static void thread(void)
{
    pthread_t t;
    COUNT();
    CHECK(pthread_create(&t, NULL, work, &key) == 0);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_join(t, NULL) == 0);
}

static PLAIN void in_fork(void (*call)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        use_all();
        call();
        use_all();
        _exit(7);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void)
{
    COUNT();
    CHECK(pthread_atfork(use_all, use_all, use_all) == 0);
    CHECK(pthread_key_create(&key, destroy) == 0);
    use_all();
    thread();
    CHECK(destroyed == 1);
    in_fork(thread);
    in_fork(use_all);
    EXPECT("most BARRIER_ENTER 4");
    EXPECT("least BARRIER_ENTER 2");
    return 0;
}
