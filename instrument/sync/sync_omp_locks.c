/* Locks of OpenMP, its critical and ordered sections, of gcc's and of clang's runtime library: as mutexes. Of these
 * only locks can be tried; of the others LOCK_WAIT is recorded always, by which the replay has their time right whether
 * they waited or not. Ordered sections of a team are one lock, which its threads get in the order of the iterations. */
#include "instrument/exported.h"
#include "instrument/real_functions.h"
#include "instrument/sync/openmp_team.h"
#include "profiler/base/waiting.h"
#include "profiler/trace/trace.h"

#define ORDERED_NAME(token) ((uint64_t)1 << 53 | (token) << 1) /* no address, and no reader */

static char unnamed, atomics; /* whose addresses name the sections that have none */

static uint64_t name_of(const void *lock)
{
    return (uint64_t)(uintptr_t)lock & ~(uint64_t)1;
}

/* The call acquires the lock `object`, after a try if there is one that succeeded. */
#define ACQUIRE(object, tried, call)                                                                                   \
    do {                                                                                                               \
        uint64_t acquired = object;                                                                                    \
        struct pcomp_thread *waits = waiting_begin(PCOMP_WAITING_LOCK, acquired, __builtin_return_address(0));         \
        bool recorded = trace_on && acquired && trace_event(PCOMP_EVENT_LOCK_REQUEST, acquired);                       \
        if (recorded)                                                                                                  \
            trace_mute();                                                                                              \
        if (!recorded || !(tried)) {                                                                                   \
            if (recorded) {                                                                                            \
                trace_unmute();                                                                                        \
                trace_event(PCOMP_EVENT_LOCK_WAIT, acquired);                                                          \
                trace_mute();                                                                                          \
            }                                                                                                          \
            call;                                                                                                      \
        }                                                                                                              \
        if (recorded) {                                                                                                \
            trace_unmute();                                                                                            \
            trace_event(PCOMP_EVENT_LOCK_ACQUIRED, acquired);                                                          \
        }                                                                                                              \
        waiting_end(waits);                                                                                            \
    } while (0)

#define RELEASE(object, call)                                                                                          \
    do {                                                                                                               \
        uint64_t released = object;                                                                                    \
        bool recorded = trace_on && released && trace_event(PCOMP_EVENT_LOCK_RELEASE, released);                       \
        if (recorded)                                                                                                  \
            trace_mute();                                                                                              \
        call;                                                                                                          \
        if (recorded)                                                                                                  \
            trace_unmute();                                                                                            \
    } while (0)

static uint64_t ordered_name(void)
{
    return openmp_team.token ? ORDERED_NAME(openmp_team.token) : 0;
}

/* --- gcc -----------------------------------------------------------------------------------------------------------
 */

#define SECTION(start, end, object)                                                                                    \
    REAL(void, start, (void), ());                                                                                     \
    REAL(void, end, (void), ());                                                                                       \
    EXPORT void start(void);                                                                                           \
    EXPORT void end(void);                                                                                             \
    void start(void)                                                                                                   \
    {                                                                                                                  \
        ACQUIRE(object, false, real_##start());                                                                        \
    }                                                                                                                  \
    void end(void)                                                                                                     \
    {                                                                                                                  \
        RELEASE(object, real_##end());                                                                                 \
    }

SECTION(GOMP_critical_start, GOMP_critical_end, name_of(&unnamed))
SECTION(GOMP_atomic_start, GOMP_atomic_end, name_of(&atomics))
SECTION(GOMP_ordered_start, GOMP_ordered_end, ordered_name())

REAL(void, GOMP_critical_name_start, (void **name), (name));
REAL(void, GOMP_critical_name_end, (void **name), (name));
EXPORT void GOMP_critical_name_start(void **name);
EXPORT void GOMP_critical_name_end(void **name);

void GOMP_critical_name_start(void **name)
{
    ACQUIRE(name_of(name), false, real_GOMP_critical_name_start(name));
}

void GOMP_critical_name_end(void **name)
{
    RELEASE(name_of(name), real_GOMP_critical_name_end(name));
}

/* --- clang ---------------------------------------------------------------------------------------------------------
 */

struct ident;
REAL(void, __kmpc_critical, (struct ident * place, int32_t thread, void *name), (place, thread, name));
REAL(void, __kmpc_critical_with_hint, (struct ident * place, int32_t thread, void *name, uint32_t hint),
     (place, thread, name, hint));
REAL(void, __kmpc_end_critical, (struct ident * place, int32_t thread, void *name), (place, thread, name));
REAL(void, __kmpc_ordered, (struct ident * place, int32_t thread), (place, thread));
REAL(void, __kmpc_end_ordered, (struct ident * place, int32_t thread), (place, thread));
EXPORT void __kmpc_critical(struct ident *place, int32_t thread, void *name);
EXPORT void __kmpc_critical_with_hint(struct ident *place, int32_t thread, void *name, uint32_t hint);
EXPORT void __kmpc_end_critical(struct ident *place, int32_t thread, void *name);
EXPORT void __kmpc_ordered(struct ident *place, int32_t thread);
EXPORT void __kmpc_end_ordered(struct ident *place, int32_t thread);

void __kmpc_critical(struct ident *place, int32_t thread, void *name)
{
    ACQUIRE(name_of(name), false, real___kmpc_critical(place, thread, name));
}

void __kmpc_critical_with_hint(struct ident *place, int32_t thread, void *name, uint32_t hint)
{
    ACQUIRE(name_of(name), false, real___kmpc_critical_with_hint(place, thread, name, hint));
}

void __kmpc_end_critical(struct ident *place, int32_t thread, void *name)
{
    RELEASE(name_of(name), real___kmpc_end_critical(place, thread, name));
}

void __kmpc_ordered(struct ident *place, int32_t thread)
{
    ACQUIRE(ordered_name(), false, real___kmpc_ordered(place, thread));
}

void __kmpc_end_ordered(struct ident *place, int32_t thread)
{
    RELEASE(ordered_name(), real___kmpc_end_ordered(place, thread));
}

/* --- Locks of both -------------------------------------------------------------------------------------------------
 */

REAL(void, omp_set_lock, (void *lock), (lock));
REAL(void, omp_unset_lock, (void *lock), (lock));
REAL(int, omp_test_lock, (void *lock), (lock));
REAL(void, omp_set_nest_lock, (void *lock), (lock));
REAL(void, omp_unset_nest_lock, (void *lock), (lock));
REAL(int, omp_test_nest_lock, (void *lock), (lock));
EXPORT void omp_set_lock(void *lock);
EXPORT void omp_unset_lock(void *lock);
EXPORT int omp_test_lock(void *lock);
EXPORT void omp_set_nest_lock(void *lock);
EXPORT void omp_unset_nest_lock(void *lock);
EXPORT int omp_test_nest_lock(void *lock);

void omp_set_lock(void *lock)
{
    ACQUIRE(name_of(lock), real_omp_test_lock(lock), real_omp_set_lock(lock));
}

void omp_unset_lock(void *lock)
{
    RELEASE(name_of(lock), real_omp_unset_lock(lock));
}

int omp_test_lock(void *lock)
{
    int acquired = real_omp_test_lock(lock);
    if (acquired && trace_on && trace_event(PCOMP_EVENT_LOCK_REQUEST, name_of(lock)))
        trace_event(PCOMP_EVENT_LOCK_ACQUIRED, name_of(lock));
    return acquired;
}

/* How often the calling task holds it with what a successful try adds, which is taken back; 0: another task has it. */
static int nesting(void *lock)
{
    int depth = real_omp_test_nest_lock(lock);
    if (depth)
        real_omp_unset_nest_lock(lock);
    return depth;
}

/* As a recursive mutex: held from its first lock to its last unlock. */
void omp_set_nest_lock(void *lock)
{
    if (!trace_on || nesting(lock) > 1)
        real_omp_set_nest_lock(lock);
    else
        ACQUIRE(name_of(lock), real_omp_test_nest_lock(lock), real_omp_set_nest_lock(lock));
}

void omp_unset_nest_lock(void *lock)
{
    if (!trace_on || nesting(lock) > 2)
        real_omp_unset_nest_lock(lock);
    else
        RELEASE(name_of(lock), real_omp_unset_nest_lock(lock));
}

int omp_test_nest_lock(void *lock)
{
    int depth = real_omp_test_nest_lock(lock);
    if (depth == 1 && trace_on && trace_event(PCOMP_EVENT_LOCK_REQUEST, name_of(lock)))
        trace_event(PCOMP_EVENT_LOCK_ACQUIRED, name_of(lock));
    return depth;
}
