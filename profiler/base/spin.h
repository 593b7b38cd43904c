/* A lock for cold paths inside the hooks: no system object, usable before libc is ready. Held with signals blocked, so
 * that a signal handler never waits for the thread it interrupted. */
#ifndef PCOMP_SPIN_H
#define PCOMP_SPIN_H

#include "profiler/base/raw_call.h"
#include "profiler/base/sanitizer.h"

#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

#define SPIN_TURNS    100
#define SPIN_YIELDS   1000
#define SPIN_SLEEP_NS 50000

struct spin {
    uint32_t taken;
};

/* Waits for the turn'th time. The owner of the lock may have a lower real-time priority and wait for this processor,
 * which sched_yield does not give it: later turns sleep. */
static inline void spin_wait(int turn)
{
    struct timespec moment = {0, SPIN_SLEEP_NS};
    if (turn > SPIN_TURNS + SPIN_YIELDS)
        raw_call(SYS_nanosleep, (long)(uintptr_t)&moment, 0, 0, 0);
    else if (turn > SPIN_TURNS)
        sched_yield();
}

static inline void spin_lock(struct spin *s)
{
    while (__atomic_exchange_n(&s->taken, 1, __ATOMIC_ACQUIRE))
        for (int turn = 0; __atomic_load_n(&s->taken, __ATOMIC_RELAXED); turn += turn <= SPIN_TURNS + SPIN_YIELDS)
            spin_wait(turn);
}

/* For locks that a forked child may find taken by a thread that it does not have. */
static inline int spin_try(struct spin *s)
{
    return !__atomic_exchange_n(&s->taken, 1, __ATOMIC_ACQUIRE);
}

static inline void spin_unlock(struct spin *s)
{
    __atomic_store_n(&s->taken, 0, __ATOMIC_RELEASE);
}

/* Not pthread_sigmask: the program's calls of that are ours (instrument/signals.c). The kernel knows 64 signals. */
static inline void signals_mask(int how, const void *set, sigset_t *before)
{
    raw_call(SYS_rt_sigprocmask, how, (long)(uintptr_t)set, (long)(uintptr_t)before, sizeof(uint64_t));
}

/* Blocks all signals but those that a fault raises. Not by sigfillset: a sanitizer of the program watches that, and the
 * stacks of the library that threads use one after the other are unknown to it. */
static inline void signals_block(sigset_t *saved)
{
#define SIGNAL_BIT(s) ((uint64_t)1 << ((s)-1))
    static const uint64_t blocked =
        ~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP));
#undef SIGNAL_BIT
    signals_mask(SIG_BLOCK, &blocked, saved);
    sanitizer_delivers();
}

static inline void signals_restore(const sigset_t *saved)
{
    signals_mask(SIG_SETMASK, saved, NULL);
}

#endif
