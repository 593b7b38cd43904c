/* One sample: unwinds the machine stack by the unwind tables, ties it to the timed activations that are open on the
 * shadow stack, and puts it into the profile (stack_samples.h). By the thread that was sampled, signals blocked. */
#ifndef PCOMP_SAMPLED_STACK_H
#define PCOMP_SAMPLED_STACK_H

#include "profiler/code/sites/call_frames.h"
#include "profiler/control/stack_samples.h"
#include "profiler/stack/shadow.h"

#include <stdbool.h>
#include <ucontext.h>

#define SAMPLED_FRAMES_MAX 160u

struct sampled_stacks { /* of a thread */
    struct stack_samples samples;
    struct stack_place places[SAMPLED_FRAMES_MAX + 1];
    struct frame_place live[SAMPLED_FRAMES_MAX]; /* of the stack that the thread is on, ... */
    unsigned live_count;                         /* ... as long as nothing else runs */
};

/* Once a session: finds the code of this library. */
void sampled_stack_start(void);

/* Whether it can be told from the program's code, and whether `pc` lies in it. */
bool sampled_stack_has_library(void);
bool sampled_stack_in_library(uint64_t pc);

#if defined(__x86_64__)

/* The thread's frames as they are now, in place of those of before; without registers, none. */
void sampled_stack_look(struct sampled_stacks *to, const struct frame_registers *r, const struct frame_stack *stack);

/* A sample that stands for `weight` periods: what was looked at, in the place with registers `r`. top: the innermost
 * activation that there may be. */
void sampled_stack_add(struct sampled_stacks *to, struct thread_state *h, struct pcomp_frame *top,
                       const struct frame_registers *r, uint64_t tick, uint32_t weight);

/* One from tick `tick`, whose registers and innermost part of the stack the kernel kept. Its outer frames are those
 * that the thread still has. Needs 8 KiB of stack. */
void sampled_stack_add_kept(struct sampled_stacks *to, struct thread_state *h, struct pcomp_frame *top,
                            const struct frame_registers *r, const struct frame_stack *stack, uint64_t tick,
                            uint32_t weight);

/* Where a signal interrupted the program; the stack is empty where it is not the one that the hooks know. */
void sampled_stack_context(const struct thread_state *h, const greg_t *registers, struct frame_registers *r,
                           struct frame_stack *stack);

/* The stack address up to which functions called each other: there a signal came, or nothing more is known. */
uint64_t sampled_stack_reach(const struct frame_registers *r, const struct frame_stack *stack);

/* Where the program called the timed probe that is under way. False: not known. */
bool sampled_stack_of_probe(const struct thread_state *h, struct frame_registers *r, struct frame_stack *stack);

/* The reach from there. 0: not known. Needs 8 KiB of stack. */
uint64_t sampled_stack_reach_of_probe(const struct thread_state *h);

#endif

#endif
