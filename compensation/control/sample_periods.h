/* How often to sample: perf's signals (beats) as often as their cost allows, and the kernel's ticks beside them, whose
 * interrupts come anyway, where that is less than once a millisecond. */
#ifndef PCOMP_SAMPLE_PERIODS_H
#define PCOMP_SAMPLE_PERIODS_H

#include <stdbool.h>

#define PCOMP_SAMPLE_PERIOD     997331e-9  /* seconds of a thread's processor time; ... */
#define PCOMP_SAMPLE_PERIOD_MAX 3989323e-9 /* ... of beats that cost much, as on virtual machines */
#define PCOMP_SAMPLE_SHARE      0.02       /* of the time, for beats; a handler takes a third as much */
#define PCOMP_SAMPLE_PROGRAM    1.5        /* times what a beat costs a loop, it costs a program; 1.1 to 2.2 */
#define PCOMP_SAMPLE_TICKS      0.8        /* samples of ticks alone, where they are so many of those that are wanted */

struct pcomp_sample_costs { /* seconds */
    double beat, tick;      /* of a beat, in a loop; of a signal of a tick */
    double tick_period;     /* distance of ticks; 0: they cannot sample */
};

struct pcomp_sample_periods { /* seconds */
    bool ticks;
    double beat, all; /* distance of beats, 0: none; of all samples */
    double cost;      /* of a sample, in the mean */
};

/* beat > 0. Thread-safe. */
struct pcomp_sample_periods pcomp_sample_periods(const struct pcomp_sample_costs *costs);

#endif
