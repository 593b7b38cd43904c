/* Enter and exit off the hot path: paths looked up or new, stacks that grow or change, jumps, signals, pauses, limits.
 * Each is called by the hooks of instrument/ with the arguments of the hook and its stack address. errno is kept. */
#ifndef PCOMP_CALLSTACK_H
#define PCOMP_CALLSTACK_H

#include "profiler/base/thread_state.h"

#include <stdbool.h>

/* The hook has published the frame, unless its budget is not used up. `unused` puts h into a register in which neither
 * the clock nor a shift needs it. */
void callstack_enter(uint64_t function, uint64_t site, uint64_t sp, uint64_t unused, struct thread_state *h);

/* The same of a call that its slot has counted (instrument/probes/probes.c); the hook has published the frame. */
void callstack_enter_counted(uint64_t function, uint64_t site, uint64_t sp, uint64_t unused, struct thread_state *h);

/* The same where a trace is recorded. */
void callstack_enter_traced(uint64_t function, uint64_t site, uint64_t sp);

/* The same where the path is known and nothing else is to be done; else false, and nothing was done. It uses general
 * registers alone, so that a sled need not save the others. */
bool callstack_enter_known(uint64_t function, uint64_t site, uint64_t sp, uint64_t unused, struct thread_state *h);

/* `now`: the hook's clock reading. */
void callstack_exit(uint64_t function, uint64_t site, uint64_t sp, struct thread_state *h, uint64_t now);

/* Manual regions: the address of `name` is the function. */
void callstack_enter_region(const char *name, uint64_t sp);
void callstack_exit_region(const char *name, uint64_t sp, uint64_t now);

/* Ends the activations below stack address `sp` of the calling thread, which a jump or an exception has left. */
void callstack_unwind(uint64_t sp);

/* The same where an exception is caught. */
void callstack_caught(uint64_t sp);

/* Depth of the calling thread's shadow stack at a call at stack address `sp`, to give to callstack_restore; 0 where
 * nothing is measured. */
uint64_t callstack_depth(uint64_t sp);
void callstack_restore(uint64_t depth);

/* Stops and restarts measuring in the calling thread; nests. */
void callstack_pause(void);
void callstack_resume(void);

/* Ends all open activations of a thread that ends, or runs exit; it is above the depth limit. */
void callstack_close_all(struct thread_state *h, uint64_t now);

#endif
