/* Levels of functions where calls are counted in place: a function that is called rarely is timed, one that turns hot
 * is only counted from then on, and one that is too hot for the limit is sampled (windows.h;
 * compensation/control/level_machine.h says which). The threads themselves look at that, in a timed probe or a sample
 * now and then; there is no helper thread.
 *
 * A function whose level falls has no frames any more: of those that are open the time until then is kept, and they
 * stand on the shadow stack without times until they end. One that has called a function which is timed stays for as
 * long as that runs: its time contains the other's. */
#ifndef PCOMP_PROFILER_LEVELS_H
#define PCOMP_PROFILER_LEVELS_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* Whether samples look at levels, too: not where the library's code cannot be told from the program's. Set by the
 * sampler (sampler.h). */
extern bool levels_sampled;

/* What records timed calls, and what it does when functions no longer are timed. */
struct levels_recorder {
    double limit;       /* share of the program's own time that measuring may cost, without --budget */
    double burst, rate; /* calls of a function that stays timed, whatever the time, and more in each second */
    bool keeps_fallen;  /* what timed calls of functions that fell have cost counts, too */
    uint32_t variant;   /* enum pcomp_variant: a timed call costs its descendants' part of that delta, ... */
    double (*in_context)(double loop); /* ... of `loop` seconds, and so many in this program; NULL: as many */
    uint64_t (*operations)(void);      /* that the program made besides calls; NULL: none are known */
    void (*falls)(uint32_t function); /* with the lock of the levels; the function's sites are turned afterwards, ... */
    void (*fell)(void);               /* ... and then this is called, once for all of them */
};
extern const struct levels_recorder levels_of_frames; /* shadow stacks: levels_poll */

/* Once a session, before levels_start of that recorder. */
void level_frames_start(void);

/* Once a session. may_sample: too hot ones may be sampled (windows.h). False: no memory; then all functions stay timed.
 */
bool levels_start(bool may_sample, const struct levels_recorder *recorder);

/* The profile ends. Signals blocked. */
void levels_end(void);

/* Whether it is time for levels_poll; by the owning thread, in a timed probe. */
static inline bool levels_are_due(struct thread_state *h, uint64_t now)
{
    return now >= __atomic_load_n(&h->poll_at, __ATOMIC_RELAXED) || --h->probes_left < 0;
}

/* The same in a sample, where windows (windows.h) may be due, too. */
bool levels_are_due_at_sample(struct thread_state *h, uint64_t now);

/* Looks at the levels where that is due, or `at_once`. at_sample: windows may open and close. may_fall: levels may
 * change. Returns whether it did; another thread may be looking. Signals blocked. */
bool levels_look(uint64_t now, bool at_sample, bool at_once, bool may_fall);

/* Tick from which that is due. */
uint64_t levels_next_look(void);

/* Lets levels fall, and takes the times out of the thread's frames of functions whose level fell, where nothing but
 * calls lies between those frames and what runs now: a hook with stack address `sp`, or (0) functions that are known to
 * have called each other up to the stack address `reach` (UINT64_MAX: all). Signals blocked. */
void levels_poll(struct thread_state *h, uint64_t now, uint64_t reach, uint64_t sp);

/* The level of the function fell, or it is filtered out: exits of it may come, or not. The same of a manual region,
 * which has no sites; and of a function's id, which stays when its module is unloaded. Any thread; need no lock. */
bool levels_leave_out(uint64_t function);
bool levels_leave_out_id(uint32_t function);
bool levels_leave_out_region(uint64_t name);

/* Exits of the function do not all run the hook: it is timed no more, from the next look on. Any thread. */
void levels_distrust(uint32_t function);

/* Resolves the sites that were reached, with counters for all functions. Signals blocked. */
void levels_resolve(void);

#endif
