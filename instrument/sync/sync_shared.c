/* Mutexes, reader-writer locks and condition variables in memory that several processes have: one object each
 * (shared_objects.h), known from where they are initialised. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/lone_locks.h"
#include "instrument/sync/mutex_state.h"
#include "instrument/sync/shared_objects.h"

#include <pthread.h>

#if defined(__x86_64__)
#define TODAY "GLIBC_2.3.2" /* an older version makes a condition of another shape */
#else
#define TODAY NULL
#endif

REAL(int, pthread_mutex_init, (pthread_mutex_t * m, const pthread_mutexattr_t *a), (m, a));
REAL_VERSION(TODAY, int, pthread_cond_init, (pthread_cond_t * c, const pthread_condattr_t *a), (c, a));
REAL(int, pthread_rwlock_init, (pthread_rwlock_t * l, const pthread_rwlockattr_t *a), (l, a));

/* What glibc keeps in them, by the static initialisers a part of its ABI. */
enum { MUTEX_SHARED = 128, CONDITION_SHARED = 1 };

static struct address_table names;

LONE_LOCKS_CODE bool mutex_is_shared(const pthread_mutex_t *m)
{
    return __atomic_load_n(&m->__data.__kind, __ATOMIC_RELAXED) & MUTEX_SHARED;
}

static bool condition_is_shared(const pthread_cond_t *c)
{
    return __atomic_load_n(&c->__data.__wrefs, __ATOMIC_RELAXED) & CONDITION_SHARED;
}

LONE_LOCKS_CODE uint64_t mutex_object(const pthread_mutex_t *m)
{
    return mutex_is_shared(m) ? address_table_get(&names, m) : (uint64_t)(uintptr_t)m;
}

uint64_t condition_object(const pthread_cond_t *c)
{
    return condition_is_shared(c) ? address_table_get(&names, c) : (uint64_t)(uintptr_t)c;
}

uint64_t rwlock_object(const pthread_rwlock_t *l)
{
    return l->__data.__shared ? address_table_get(&names, l) : (uint64_t)(uintptr_t)l;
}

EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
    int failed = real_pthread_mutex_init(m, a);
    if (!failed && mutex_is_shared(m))
        address_table_put(&names, m, shared_object_new_lock());
    return failed;
}

EXPORT int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict a)
{
    int failed = real_pthread_cond_init(c, a);
    if (!failed && condition_is_shared(c))
        address_table_put(&names, c, shared_object_new_lock());
    return failed;
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *restrict l, const pthread_rwlockattr_t *restrict a)
{
    int failed = real_pthread_rwlock_init(l, a);
    if (!failed && l->__data.__shared)
        address_table_put(&names, l, shared_object_new_lock());
    return failed;
}
