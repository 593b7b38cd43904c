/* One sample: unwinds the machine stack by the unwind tables, ties it to the timed activations that are open on the
 * shadow stack, and puts it into the profile (stack_samples.h). By the thread that was sampled, signals blocked. */
#ifndef PCOMP_SAMPLED_STACK_H
#define PCOMP_SAMPLED_STACK_H

#include "profiler/code/sites/frame_rules.h"
#include "profiler/control/stack_samples.h"
#include "profiler/stack/shadow.h"

#include <stdbool.h>
#include <ucontext.h>

#define SAMPLED_FRAMES_MAX 160u

struct sampled_stacks { /* of a thread */
    struct stack_samples samples;
    struct stack_place places[SAMPLED_FRAMES_MAX + 1];
};

/* Once a session: finds the code of this library. */
void sampled_stack_start(void);

/* Whether it can be told from the program's code, and whether `pc` lies in it. */
bool sampled_stack_has_library(void);
bool sampled_stack_in_library(uint64_t pc);

#if defined(__x86_64__)

/* A sample from tick `tick`, which stands for `weight` periods. top: the innermost activation that there may have been.
 * Needs 8 KiB of stack. */
void sampled_stack_add(struct sampled_stacks *to, struct thread_state *h, struct pcomp_frame *top,
                       const struct frame_registers *r, const struct frame_stack *stack, uint64_t tick,
                       uint32_t weight);

/* Where a signal interrupted the program; the stack is empty where it is not the one that the hooks know. */
void sampled_stack_context(const struct thread_state *h, const greg_t *registers, struct frame_registers *r,
                           struct frame_stack *stack);

/* The stack address up to which functions called each other: there a signal came, or nothing more is known. */
uint64_t sampled_stack_reach(const struct frame_registers *r, const struct frame_stack *stack);

/* The same, from the timed probe that is under way. 0: not known. Needs 8 KiB of stack. */
uint64_t sampled_stack_reach_of_probe(const struct thread_state *h);

#endif

#endif
