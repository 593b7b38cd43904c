/* Where every call is timed: samples of the program counter tell how much of the processor time the probes took, which
 * prices them in this program (compensation/estimate/probe_price.h). What later exits subtract follows the price; the
 * command derives the sums of the whole run from the last one. */
#ifndef PCOMP_PROBE_SAMPLES_H
#define PCOMP_PROBE_SAMPLES_H

#include "profiler/base/thread_state.h"

struct probes_accounted { /* of a thread, at its last sample */
    int64_t overhead;     /* fixed-point ticks */
    uint64_t slow_ticks;
};

/* Why the program counter of samples would not tell; NULL: it does. After sampled_stack_start. */
const char *probe_samples_hindered(void);

/* Once a session. */
void probe_samples_start(void);

/* A sample of the calling thread at `pc`, which stands for `periods`. Signals blocked. */
void probe_samples_add(struct thread_state *h, uint64_t pc, uint32_t periods, struct probes_accounted *accounted);

/* What a sample took is overhead of all activations that are open. Ticks, fixed-point. */
void probe_samples_charge(struct thread_state *h, int64_t took, struct probes_accounted *accounted);

#endif
