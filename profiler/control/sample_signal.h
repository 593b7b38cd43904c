/* The signal that takes samples (profiler/control/sampler.h): one that the program does not use, what it costs, and
 * where it enters the library. All but timers and the last at the start of the session, by one thread. */
#ifndef PCOMP_SAMPLE_SIGNAL_H
#define PCOMP_SAMPLE_SIGNAL_H

#include "profiler/base/valgrind.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) /* which handles signals itself, later */
#define SAMPLE_SIGNAL_SUPPORTED (!runs_on_valgrind()) /* which ends programs that it finds no stack for a signal in */
#else
#define SAMPLE_SIGNAL_SUPPORTED false
#endif

typedef void (*sample_signal_handler)(int number, siginfo_t *info, void *context);

/* Gives the highest real-time signal that is free, but for the last one, its handler. Returns it; 0: there is none. */
int sample_signal_take_real_time(sample_signal_handler handler);
void sample_signal_give_back(int number);

/* What a signal of a timer takes beside the handler: ticks, fixed-point. The calling thread gets some. */
int64_t sample_signal_delivery(int number);

/* Whether this kernel's timers send their signal on the way back to the program, as since Linux 5.9: before, a system
 * call that was about to sleep returned early, and a signal could meet the program behind exec. */
bool sample_signal_of_timers_is_in_time(void);

/* Seconds from one tick of the kernel to the next, in which it looks at these timers. */
double sample_signal_tick(void);

#define SAMPLE_TIMER_NS   997331u /* of processor time: shorter than a tick, so that each sends a signal */
#define SAMPLE_TIMER_NONE (-1)

/* A timer that sends the calling thread, tid, the signal with `value`. Returns what timer_delete takes;
 * SAMPLE_TIMER_NONE: the system has none left. Any thread. */
int32_t sample_signal_timer(int number, int32_t tid, void *value);

#define SAMPLER_STACK_SIZE 65536 /* bytes; the assembler code shifts by 16 */

/* Where the stack of sampler_handler begins in the calling thread; NULL: it stays where it is. */
extern __thread char *sampler_stack __attribute__((tls_model("initial-exec"), visibility("hidden")));

void sampler_handler(int number, siginfo_t *info, void *context);

/* Called by it; sampler.c. */
void sampler_signalled(int number, const siginfo_t *info, const ucontext_t *context);

#endif
