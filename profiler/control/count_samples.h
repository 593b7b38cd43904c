/* What calls counted in place, and events, cost the program of a trace: samples of the program counter that hit the
 * code that counts, and that records. Any thread, in a handler of the sampler. */
#ifndef PCOMP_COUNT_SAMPLES_H
#define PCOMP_COUNT_SAMPLES_H

#include "compensation/estimate/event_price.h"
#include "profiler/base/thread_state.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether what runs at pc now is the library's, and records nothing: a wrapper of what a trace need not have. NULL: no
 * such code is there. Set before the first sample. */
extern bool (*count_samples_records_nothing)(uint64_t pc);

/* Once a session. */
void count_samples_start(void);

/* A sample of a thread, which stands for so many periods. The first thread's tells how fast the machine is, too. Looks
 * at the levels (levels.h) where that is due. */
void count_samples_add(const struct thread_state *h, uint64_t pc, uint32_t periods);

struct count_samples {
    double hits;      /* samples in code that counts, */
    double recording; /* in hooks that record, and on the way there; of slow work in them, none */
    double seconds;   /* of processor time, that a sample stands for in the mean; 0: there are none */
    double share;     /* of the processor time that samples take, and code that records nothing */
};

/* Of all threads until now. */
struct count_samples count_samples_known(void);

/* The price of an event by these samples, after so many events of all threads, beside `loop` seconds in a loop. Zeros:
 * samples tell nothing of it, since the library is a part of the program, or its clock is a call. */
struct pcomp_event_price count_samples_event(double loop, double events);

#endif
