/* What calls counted in place, and events, cost the program of a trace: samples of the program counter that hit the
 * code that counts, and that records. Any thread, in a handler of the sampler. */
#ifndef PCOMP_COUNT_SAMPLES_H
#define PCOMP_COUNT_SAMPLES_H

#include "profiler/base/thread_state.h"

#include <stdint.h>

/* Once a session. */
void count_samples_start(void);

/* A sample of a thread, which stands for so many periods. The first thread's tells how fast the machine is, too. Looks
 * at the levels (levels.h) where that is due. */
void count_samples_add(const struct thread_state *h, uint64_t pc, uint32_t periods);

struct count_samples {
    double hits;      /* samples in code that counts, */
    double recording; /* in hooks that record, and on the way there; of slow work in them, none */
    double seconds;   /* of processor time, that a sample stands for in the mean; 0: there are none */
    double share;     /* of the processor time that samples take */
};

/* Of all threads until now. */
struct count_samples count_samples_known(void);

#endif
