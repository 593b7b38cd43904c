/* How often to sample: by the kernel's ticks, whose interrupts come anyway, and between them by perf events, as often
 * as their cost allows. */
#ifndef PCOMP_SAMPLE_PERIODS_H
#define PCOMP_SAMPLE_PERIODS_H

#include <stdbool.h>

#define PCOMP_SAMPLE_PERIOD     997331e-9  /* seconds of a thread's processor time; ... */
#define PCOMP_SAMPLE_PERIOD_MAX 3989323e-9 /* ... of perf's samples that cost much, as on virtual machines */
#define PCOMP_SAMPLE_SHARE      0.02       /* of the time, for perf's samples but for reading them */
#define PCOMP_SAMPLE_PROGRAM    1.5        /* times what an interrupt costs a loop, it costs a program; 0.7 to 2.2 */
#define PCOMP_SAMPLE_TICKS      0.8        /* samples of ticks alone, where they are so many of those that are wanted */

/* Whenever a thread with a perf event leaves a processor, and comes back, the kernel sets a timer anew. It may cost
 * a thread PCOMP_SWITCH_FIRST seconds, and from then on PCOMP_SAMPLE_SHARE of its time. */
#define PCOMP_SWITCH_COST  0.13   /* times what an interrupt costs a loop */
#define PCOMP_SWITCH_FIRST 0.0003 /* seconds */
#define PCOMP_SWITCH_SAVED 0.003  /* seconds that it may save of that for later */

struct pcomp_sample_costs { /* seconds */
    double perf, tick;      /* of a sample of perf, in a loop; of a signal of a tick */
    double tick_period;     /* distance of ticks; 0: they do not sample */
};

struct pcomp_sample_periods { /* seconds */
    double perf, all;         /* distance of perf's samples, 0: none; of all samples */
    double cost;              /* of a sample, in the mean */
};

/* costs->perf > 0. Thread-safe. */
struct pcomp_sample_periods pcomp_sample_periods(const struct pcomp_sample_costs *costs);

struct pcomp_sample_switches { /* of a thread; {PCOMP_SWITCH_FIRST} at first */
    double left;               /* seconds that they may still cost */
};

/* So many switches came in `seconds` of processor time, each of which cost `cost` seconds more. False: the thread
 * switches too often for a perf event. Not thread-safe for one `s`. */
bool pcomp_sample_switches_add(struct pcomp_sample_switches *s, double switches, double seconds, double cost);

#endif
