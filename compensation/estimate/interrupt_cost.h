/* What an interrupt (in which a perf event samples) costs, from the pauses that a loop of equal steps makes while
 * interrupts come. */
#ifndef PCOMP_INTERRUPT_COST_H
#define PCOMP_INTERRUPT_COST_H

#include <stdbool.h>

#define PCOMP_INTERRUPTS       12u      /* to wait for */
#define PCOMP_INTERRUPT_PERIOD 50021e-9 /* seconds of the loop's processor time from one to the next, at first */
#define PCOMP_INTERRUPT_MAX    200e-6   /* seconds: in a longer pause the loop had no processor */

struct pcomp_interrupt_pauses {     /* all zero at first, but for `period`; seconds */
    double period;                  /* of the loop's processor time from one interrupt to the next */
    double pause[PCOMP_INTERRUPTS]; /* of steps with an interrupt, the shortest first */
    double behind, waited;          /* what other steps took longer; all steps */
    unsigned interrupts, lost;      /* pauses above; pauses longer than PCOMP_INTERRUPT_MAX */
};

/* A step that took `passed` seconds, in place of `step` where nothing comes in between. False: pcomp_interrupt_cost
 * knows enough, or will not know more. Not thread-safe for one `p`. */
bool pcomp_interrupt_pauses_add(struct pcomp_interrupt_pauses *p, double passed, double step, bool interrupt);

/* The period with which a cost has to be measured again that was found with `period`; 0: it is good. Where an interrupt
 * takes longer than a period, as on some virtual machines, pauses are those of several. Thread-safe. */
double pcomp_interrupt_next_period(double period, double cost);

/* Seconds; PCOMP_INTERRUPT_MAX where others had the processor; 0: there were no interrupts. Thread-safe. */
double pcomp_interrupt_cost(const struct pcomp_interrupt_pauses *p);

#endif
