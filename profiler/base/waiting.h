/* What a thread waits for, published for readers of the running profile (pcomp consult): three stores before a call
 * that may wait, one after it. Of nested calls the outermost counts (an MPI takes locks). An entry that a jump left
 * behind is recognised by its stack address, which is below that of any later call.
 *
 * Owning thread only; keeps errno; usable in signal handlers. */
#ifndef PCOMP_PROFILER_WAITING_H
#define PCOMP_PROFILER_WAITING_H

#include "profiler/base/thread_state.h"

#include <stddef.h>

/* Before the call that returns to `site`. object: as in struct pcomp_thread. The result is for waiting_end; NULL:
 * nothing was noted. */
static inline __attribute__((always_inline)) struct pcomp_thread *waiting_begin(enum pcomp_waiting kind,
                                                                                uint64_t object, const void *site)
{
    struct pcomp_thread *thread = current_thread->thread; /* none in a thread that is not measured, or a forked child */
    uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
    if (!thread || thread->waiting >> 8 > here)
        return NULL;
    thread->waiting_site = (uint64_t)(uintptr_t)site;
    thread->waiting_object = object;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread->waiting = here << 8 | kind;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return thread;
}

static inline void waiting_end(struct pcomp_thread *thread)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (thread)
        thread->waiting = 0;
}

/* The value of a call that returns int, and waits for the object at `address`. */
#define WAITING(kind, address, call)                                                                                   \
    __extension__({                                                                                                    \
        struct pcomp_thread *waiting_thread =                                                                          \
            waiting_begin(kind, (uint64_t)(uintptr_t)(address), __builtin_return_address(0));                          \
        int waiting_result = (call);                                                                                   \
        waiting_end(waiting_thread);                                                                                   \
        waiting_result;                                                                                                \
    })

#endif
