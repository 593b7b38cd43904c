/* Every way in which synchronisation fails, printed: the output must be the same whether the program is traced,
 * measured or left alone. Deterministic. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define SHOW(call)                                                                                                     \
    do {                                                                                                               \
        errno = 12345;                                                                                                 \
        int result_ = (call);                                                                                          \
        printf("%s = %d, errno %d\n", #call, result_, errno);                                                          \
    } while (0)

static const struct timespec past = {1, 0}, odd = {1, 1000000000}, negative = {1, -1};
static struct timespec soon_, *soon = &soon_;

static struct timespec *in_ms(clockid_t clock, long ms)
{
    clock_gettime(clock, &soon_);
    soon_.tv_nsec += ms * 1000000;
    soon_.tv_sec += soon_.tv_nsec / 1000000000;
    soon_.tv_nsec %= 1000000000;
    return soon;
}

static void interrupted(int number)
{
    (void)number;
}

static void semaphores(void)
{
    sem_t s;
    char name[60];
    SHOW(sem_init(&s, 0, (unsigned)INT_MAX + 1));
    SHOW(sem_init(&s, 0, SEM_VALUE_MAX));
    SHOW(sem_post(&s));
    SHOW(sem_init(&s, 0, 1));
    SHOW(sem_trywait(&s));
    SHOW(sem_trywait(&s));
    SHOW(sem_timedwait(&s, &past));
    SHOW(sem_timedwait(&s, &odd));
    SHOW(sem_timedwait(&s, &negative));
    SHOW(sem_timedwait(&s, in_ms(CLOCK_REALTIME, 20)));
    SHOW(sem_clockwait(&s, CLOCK_MONOTONIC, in_ms(CLOCK_MONOTONIC, 20)));
    SHOW(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(sem_post(&s));
    SHOW(sem_timedwait(&s, &odd)); /* refused although it is free */
    SHOW(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(sem_timedwait(&s, &past));
    SHOW(sem_post(&s));
    SHOW(sem_wait(&s));
    struct sigaction act = {.sa_handler = interrupted};
    sigaction(SIGALRM, &act, NULL);
    timer_t timer;
    struct itimerspec again = {{0, 20000000}, {0, 20000000}};
    timer_create(CLOCK_MONOTONIC, NULL, &timer);
    timer_settime(timer, 0, &again, NULL);
    SHOW(sem_wait(&s));
    timer_delete(timer);
    SHOW(sem_destroy(&s));
    snprintf(name, sizeof(name), "/pcomp-errors-%d", (int)getpid());
    SHOW(sem_open(name, 0) == SEM_FAILED);
    SHOW(sem_open("", O_CREAT, 0600, 1) == SEM_FAILED);
    SHOW(sem_open(name, O_CREAT, 0600, (unsigned)INT_MAX + 1) == SEM_FAILED);
    sem_t *a;
    SHOW((a = sem_open(name, O_CREAT, 0600, 2)) == SEM_FAILED);
    SHOW(sem_open(name, O_CREAT | O_EXCL, 0600, 2) == SEM_FAILED);
    SHOW(sem_open(name, O_CREAT, 0600, 7) == a);
    int value = 0;
    SHOW(sem_getvalue(a, &value));
    printf("value %d\n", value);
    SHOW(sem_close(a));
    SHOW(sem_close(a));
    SHOW(sem_unlink(name));
}

static void *other_locks(void *m)
{
    SHOW(pthread_mutex_unlock(m));
    SHOW(pthread_mutex_trylock(m));
    SHOW(pthread_mutex_timedlock(m, &past));
    SHOW(pthread_mutex_timedlock(m, &odd));
    SHOW(pthread_mutex_clocklock(m, CLOCK_MONOTONIC, in_ms(CLOCK_MONOTONIC, 20)));
    SHOW(pthread_mutex_clocklock(m, CLOCK_PROCESS_CPUTIME_ID, &past));
    return NULL;
}

static void *dies(void *m)
{
    SHOW(pthread_mutex_lock(m));
    return NULL;
}

static void in_thread(void *(*function)(void *), void *argument)
{
    pthread_t t;
    int created = pthread_create(&t, NULL, function, argument); /* shown when the thread has nothing more to show */
    int joined = pthread_join(t, NULL);
    printf("created %d, joined %d\n", created, joined);
}

static void mutex_of(const char *name, int type, int robust, int protocol)
{
    pthread_mutex_t m;
    pthread_mutexattr_t a;
    printf("--- %s\n", name);
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, type);
    pthread_mutexattr_setrobust(&a, robust);
    pthread_mutexattr_setprotocol(&a, protocol);
    SHOW(pthread_mutex_init(&m, &a));
    SHOW(pthread_mutex_lock(&m));
    SHOW(pthread_mutex_trylock(&m));
    if (type == PTHREAD_MUTEX_RECURSIVE)
        SHOW(pthread_mutex_unlock(&m));
    if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE) {
        SHOW(pthread_mutex_lock(&m));
        SHOW(pthread_mutex_timedlock(&m, &past));
        in_thread(other_locks, &m);
    } else {
        SHOW(pthread_mutex_timedlock(&m, in_ms(CLOCK_REALTIME, 20)));
        SHOW(pthread_mutex_timedlock(&m, &odd));
    }
    if (type == PTHREAD_MUTEX_RECURSIVE) {
        SHOW(pthread_mutex_unlock(&m));
        SHOW(pthread_mutex_unlock(&m));
    }
    SHOW(pthread_mutex_unlock(&m));
    SHOW(pthread_mutex_timedlock(&m, &odd)); /* it is free: the time is not looked at */
    SHOW(pthread_mutex_unlock(&m));
    if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)
        SHOW(pthread_mutex_unlock(&m));
    if (robust == PTHREAD_MUTEX_ROBUST) {
        in_thread(dies, &m);
        SHOW(pthread_mutex_lock(&m));
        SHOW(pthread_mutex_consistent(&m));
        SHOW(pthread_mutex_unlock(&m));
        in_thread(dies, &m);
        SHOW(pthread_mutex_trylock(&m));
        SHOW(pthread_mutex_unlock(&m)); /* left inconsistent */
        SHOW(pthread_mutex_lock(&m));
        SHOW(pthread_mutex_trylock(&m));
    }
    SHOW(pthread_mutex_destroy(&m));
}

static void *other_rwlocks(void *l)
{
    SHOW(pthread_rwlock_tryrdlock(l));
    SHOW(pthread_rwlock_trywrlock(l));
    SHOW(pthread_rwlock_timedrdlock(l, &past));
    SHOW(pthread_rwlock_timedwrlock(l, in_ms(CLOCK_REALTIME, 20)));
    SHOW(pthread_rwlock_clockwrlock(l, CLOCK_MONOTONIC, in_ms(CLOCK_MONOTONIC, 20)));
    SHOW(pthread_rwlock_clockrdlock(l, CLOCK_PROCESS_CPUTIME_ID, &past));
    return NULL;
}

static void rwlocks(void)
{
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    SHOW(pthread_rwlock_wrlock(&l));
    SHOW(pthread_rwlock_wrlock(&l));
    SHOW(pthread_rwlock_rdlock(&l));
    SHOW(pthread_rwlock_tryrdlock(&l));
    SHOW(pthread_rwlock_timedwrlock(&l, &past));
    in_thread(other_rwlocks, &l);
    SHOW(pthread_rwlock_unlock(&l));
    SHOW(pthread_rwlock_timedrdlock(&l, &odd));
    SHOW(pthread_rwlock_rdlock(&l));
    SHOW(pthread_rwlock_rdlock(&l));
    SHOW(pthread_rwlock_trywrlock(&l));
    SHOW(pthread_rwlock_unlock(&l));
    SHOW(pthread_rwlock_unlock(&l));
    SHOW(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &past));
    SHOW(pthread_rwlock_unlock(&l));
}

static void conditions(void)
{
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    pthread_mutex_t m;
    pthread_mutexattr_t a;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&m, &a);
    SHOW(pthread_cond_wait(&c, &m)); /* not held */
    SHOW(pthread_cond_timedwait(&c, &m, &past));
    SHOW(pthread_mutex_lock(&m));
    SHOW(pthread_cond_timedwait(&c, &m, &past));
    SHOW(pthread_cond_timedwait(&c, &m, &odd));
    SHOW(pthread_cond_timedwait(&c, &m, in_ms(CLOCK_REALTIME, 20)));
    SHOW(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, in_ms(CLOCK_MONOTONIC, 20)));
    SHOW(pthread_cond_clockwait(&c, &m, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(pthread_cond_signal(&c));
    SHOW(pthread_cond_broadcast(&c));
    SHOW(pthread_mutex_unlock(&m));
    pthread_condattr_t ca;
    pthread_cond_t by_monotonic;
    pthread_condattr_init(&ca);
    pthread_condattr_setclock(&ca, CLOCK_MONOTONIC);
    SHOW(pthread_cond_init(&by_monotonic, &ca));
    SHOW(pthread_mutex_lock(&m));
    SHOW(pthread_cond_timedwait(&by_monotonic, &m, in_ms(CLOCK_MONOTONIC, 20)));
    SHOW(pthread_mutex_unlock(&m));
}

static void *sleeps(void *ms)
{
    usleep((unsigned)(long)ms * 1000);
    return ms;
}

static void joins(void)
{
    pthread_t t;
    void *result = NULL;
    SHOW(pthread_join(pthread_self(), NULL));
    SHOW(pthread_create(&t, NULL, sleeps, (void *)100));
    SHOW(pthread_tryjoin_np(t, &result));
    SHOW(pthread_timedjoin_np(t, &result, &past));
    SHOW(pthread_clockjoin_np(t, &result, CLOCK_MONOTONIC, in_ms(CLOCK_MONOTONIC, 5)));
    SHOW(pthread_clockjoin_np(t, &result, CLOCK_PROCESS_CPUTIME_ID, &past));
    SHOW(pthread_join(t, &result));
    printf("result %ld\n", (long)result);
    pthread_attr_t apart;
    pthread_attr_init(&apart);
    pthread_attr_setdetachstate(&apart, PTHREAD_CREATE_DETACHED);
    SHOW(pthread_create(&t, &apart, sleeps, (void *)200));
    SHOW(pthread_join(t, NULL));
    pthread_barrier_t b;
    SHOW(pthread_barrier_init(&b, NULL, 0));
    SHOW(pthread_barrier_init(&b, NULL, 1));
    SHOW(pthread_barrier_wait(&b));
    SHOW(pthread_barrier_destroy(&b));
}

static void c11(void)
{
    mtx_t m;
    cnd_t c;
    SHOW(mtx_init(&m, mtx_timed));
    SHOW(cnd_init(&c));
    SHOW(mtx_lock(&m));
    SHOW(mtx_trylock(&m));
    SHOW(mtx_timedlock(&m, &past));
    SHOW(mtx_timedlock(&m, &odd));
    SHOW(cnd_timedwait(&c, &m, &past));
    SHOW(cnd_timedwait(&c, &m, &odd));
    SHOW(cnd_signal(&c));
    SHOW(cnd_broadcast(&c));
    SHOW(mtx_unlock(&m));
    mtx_destroy(&m);
    SHOW(mtx_init(&m, mtx_plain | mtx_recursive));
    SHOW(mtx_lock(&m));
    SHOW(mtx_lock(&m));
    SHOW(mtx_trylock(&m));
    SHOW(mtx_unlock(&m));
    SHOW(mtx_unlock(&m));
    SHOW(mtx_unlock(&m));
    SHOW(mtx_unlock(&m));
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    semaphores();
    static const struct {
        const char *name;
        int type;
    } types[] = {{"normal", PTHREAD_MUTEX_NORMAL},
                 {"recursive", PTHREAD_MUTEX_RECURSIVE},
                 {"checked", PTHREAD_MUTEX_ERRORCHECK},
                 {"adaptive", PTHREAD_MUTEX_ADAPTIVE_NP}};
    for (int i = 0; i < 4; i++)
        for (int robust = 0; robust < 2; robust++)
            for (int protocol = 0; protocol < 2; protocol++) {
                char name[60];
                snprintf(name, sizeof(name), "%s%s%s", types[i].name, robust ? " robust" : "",
                         protocol ? " inheriting" : "");
                mutex_of(name, types[i].type, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED,
                         protocol ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE);
            }
    mutex_of("with a ceiling", PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT);
    rwlocks();
    conditions();
    joins();
    c11();
    return 0;
}
