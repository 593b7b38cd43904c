/* What calls counted in place cost the program of a trace, from samples of the program counter that hit the code that
 * counts. Any thread, in a handler of the sampler. */
#ifndef PCOMP_COUNT_SAMPLES_H
#define PCOMP_COUNT_SAMPLES_H

#include <stdint.h>

/* Once a session. */
void count_samples_start(void);

/* A sample, which stands for so many periods and began at tick `begin`. */
void count_samples_add(uint64_t pc, uint32_t periods, uint64_t begin);

struct count_samples {
    double hits;    /* samples in code that counts, */
    double seconds; /* of processor time, that a sample stands for in the mean; 0: there are none */
    double share;   /* of the processor time that samples take */
};

/* Of all threads until now. */
struct count_samples count_samples_known(void);

#endif
