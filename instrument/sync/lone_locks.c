#include "instrument/sync/lone_locks.h"

#include "profiler/control/count_samples.h"
#include "profiler/trace/trace.h"

/* The linker's: where LONE_LOCKS_CODE begins and ends. */
extern const char __start_pcomp_locks[] __attribute__((visibility("hidden")));
extern const char __stop_pcomp_locks[] __attribute__((visibility("hidden")));

struct lone_locks lone_locks;

static bool records_nothing(uint64_t pc)
{
    uint64_t begin = (uint64_t)(uintptr_t)__start_pcomp_locks, end = (uint64_t)(uintptr_t)__stop_pcomp_locks;
    return !lone_locks_have_ended() && pc - begin < end - begin;
}

static __attribute__((constructor(101))) void prepare(void)
{
    count_samples_records_nothing = records_nothing;
}

static void record(uint64_t object)
{
    trace_event(PCOMP_EVENT_LOCK_REQUEST, object);
    trace_event(PCOMP_EVENT_LOCK_ACQUIRED, object);
}

void lone_locks_end(void)
{
    if (__atomic_exchange_n(&lone_locks.ended, true, __ATOMIC_RELAXED))
        return;
    for (unsigned i = 0; i < lone_locks.count && pthread_equal(lone_locks.holder, pthread_self()); i++)
        record(lone_locks.taken[i]);
    lone_locks.count = 0;
}

void lone_locks_end_with(uint64_t object)
{
    lone_locks_end();
    record(object);
}
