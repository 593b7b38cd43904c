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

#include "profiler/hot.h"

/* Once a session. may_sample: too hot ones may be sampled (windows.h). False: no memory; then all functions stay timed.
 */
bool levels_start(bool may_sample);

/* The profile ends. Signals blocked. */
void levels_end(void);

/* Whether it is time for levels_look; by the owning thread, in a timed probe. */
static inline bool levels_are_due(struct hot *h, uint64_t now)
{
    return now >= __atomic_load_n(&h->look_at, __ATOMIC_RELAXED) || --h->probes_left < 0;
}

/* Lets levels fall, and takes the times out of the thread's frames of functions whose level fell, unless the sampler
 * does that. Signals blocked. */
void levels_look(struct hot *h, uint64_t now);

/* Whether there are such frames; takes those out whose stack address is below `reach`. A handler of the program may
 * have interrupted a hook, which goes on with its frame: so the frames must be of functions that are known to have
 * called, without a signal between, what runs now. Signals blocked. */
bool levels_left(const struct hot *h);
void levels_take_out(struct hot *h, uint64_t now, uint64_t reach);

/* The level of the function fell, or it is filtered out: exits of it may come, or not. The same of a manual region,
 * which has no sites. Any thread; need no lock. */
bool levels_leave_out(uint64_t function);
bool levels_leave_out_region(uint64_t name);

/* Settles the sites that were reached, with counters for all functions. Signals blocked. */
void levels_settle(void);

#endif
