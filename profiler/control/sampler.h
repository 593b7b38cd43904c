/* Where threads spend their processor time: samples of the call stack all along, from which the times of functions
 * come whose calls are only counted.
 *
 * Each thread gets a signal that the program does not use, from a timer of its processor time
 * (CLOCK_THREAD_CPUTIME_ID), which the kernel looks at once a tick (250 times a second in Debian). The handler runs on
 * a stack of ours and takes a sample (sampled_stack.h). Between ticks perf events sample, where the system allows them:
 * the kernel keeps registers and a part of the stack (perf_ring.h), and the handler fetches those. It looks at levels
 * and windows, too: so there is no helper thread.
 *
 * A waiting thread has no samples, and its waits are not disturbed: the signal comes only where the thread runs in the
 * program or returns to it, never while a system call sleeps.
 *
 * x86-64 unwinds stacks; elsewhere there are no samples. */
#ifndef PCOMP_SAMPLER_H
#define PCOMP_SAMPLER_H

#include "profiler/base/thread_state.h"
#include "profiler/control/stack_samples.h"

#include <signal.h>
#include <stdbool.h>

/* Once a session, when the profile is open; signals blocked. Takes some tenths of a millisecond. */
void sampler_start(void);

/* The calling thread's samples; signals blocked. They go on with *samples, which is empty then, unless there is no
 * sampler; and are left there. */
void sampler_begin_thread(struct thread_state *h, struct stack_samples *samples);
void sampler_end_thread(struct stack_samples *samples);

/* Whether samples of the kernel wait for the handler. */
bool sampler_is_behind(void);

/* Then: reads them, before the activation of frame `top` ends, or is no longer the innermost one. Returns the processor
 * time that it took, ns. Signals blocked, on a stack of ours. */
uint64_t sampler_catch_up(struct thread_state *h, struct pcomp_frame *top);

/* The same, before all activations of the thread end. Signals blocked, on a stack of ours. */
void sampler_finish(struct thread_state *h);

/* No sample is taken any more; what other threads have for it ends when their timers fire next. */
void sampler_stop(void);

/* The same, and deletes the timers of all threads; a perf event of another ends at its next slow probe. */
void sampler_end_all(void);

/* Around exec of the calling thread: no signal of ours may meet the new program. In a process that shares this memory
 * (vfork) nothing happens. sampler_resume: it failed. */
void sampler_pause(void);
void sampler_resume(void);

/* The signal that must reach the handler; 0: none. */
int sampler_signal(void);

/* The program takes that signal for itself: there are no more samples. Its action is to be set next. In a process that
 * shares this memory (vfork) nothing happens. Signal-safe. */
void sampler_yield_signal(void);

/* Takes that signal out of a mask that a thread begins with: one from before there were samples, or of the program that
 * called exec. */
void sampler_unblock(void);

/* Called with each sample of a traced thread, which stands for so many nanoseconds. A pointer, since what records is
 * above this. In the handler; by trace_process_start. */
extern void (*sampler_reports)(struct thread_state *h, uint64_t pc, uint64_t ns);

/* Child of a fork. */
void sampler_forget(void);

#endif
