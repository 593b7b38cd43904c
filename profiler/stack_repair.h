/* The shadow stack after a time in which the hooks were off: activations on it may have ended, others may have begun.
 *
 * The machine's own stack tells which functions are active (profiler/code/sites/call_frames.h). The outermost frames of
 * the shadow stack that agree with it stay; the others are taken off, and the functions that are missing are opened, as
 * such whose enter was not seen. An inlined function has no frame in the machine: it stays where the function around it
 * does, and where its call path never ended before; one that is called again and again is taken to have ended, and one
 * that is known to be inlined nowhere has. Where the machine's stack cannot be walked (no unwind tables), frames below
 * the stack address are taken off. */
#ifndef PCOMP_STACK_REPAIR_H
#define PCOMP_STACK_REPAIR_H

#include "profiler/frames.h"

/* For the hook of `function` at stack address `sp`, in a slow hook. What follows belongs to the path on top. */
void stack_repair(struct slow *s, uint64_t function, uint64_t sp, bool exit);

/* While hooks are off, in the slow enter hook of a held function that was never met: opens its path, as that of an
 * activation whose enter was not seen. */
void stack_meet(struct slow *s, uint64_t function, uint64_t sp);

/* An enter hook while hooks are off: a held function is counted, whatever the thread. False: nothing is to be done with
 * this process's profile here. */
bool enter_while_off(uint64_t function, uint64_t sp, struct hot *h);

#endif
