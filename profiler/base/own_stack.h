/* A stack for slow work in hooks: the program's may have room for the kernel's signal frame and 512 bytes more. One for
 * each thread that needs it, x86-64 alone; elsewhere, under a sanitizer, and without memory, work is done where the
 * thread is. */
#ifndef PCOMP_OWN_STACK_H
#define PCOMP_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* Calls work(argument) there, with signals blocked: a handler of the program must not run on this stack. Where the
 * thread is on it already, at once. Keeps errno, unless `work` changes it. */
void own_stack_run(void (*work)(void *argument), void *argument);

/* The two halves of it, for code that keeps registers: where the stack pointer is to be set, 0: it stays; and the end,
 * back on the stack of before, where a frame that waits for it starts (struct unstarted). Use general registers
 * alone. */
uint64_t own_stack_enter(uint64_t *mask);
void own_stack_leave(const uint64_t *mask);

/* The tick at which the thread entered the stack of ours that it is on; 0: it is on none, or its clock is read by a
 * call, which takes stack. What is done from now on counts from tick `now`. */
uint64_t own_stack_entered(void);
void own_stack_enter_anew(uint64_t now);

/* The end of the stack of ours that the thread is on; 0: it is on none. The stack pointer of the program; here, where
 * the thread is on no stack of ours. */
uint64_t own_stack_top(void);
uint64_t own_stack_program(void);

/* An address of the thread's, where it was on a stack of ours. */
bool own_stack_holds(uint64_t address);

/* The thread ends; a child of a fork begins (other threads' stacks are not its own). */
void own_stack_free(void);
void own_stack_forget(void);

#endif
