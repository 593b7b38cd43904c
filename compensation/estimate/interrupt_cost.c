#include "compensation/estimate/interrupt_cost.h"

#include "compensation/numeric/extremes.h"

#define LOST_MAX       40u
#define WAITED_MAX     (4 * PCOMP_INTERRUPTS) /* periods */
#define INTERRUPTS_MIN 3u                     /* that tell enough */
#define LONG_PERIOD    (4 * PCOMP_INTERRUPT_PERIOD)
#define PAUSE_MIN      500e-9 /* seconds */
#define BEHIND_STEP    10     /* times a step: caches make none longer by more */
#define BEHIND_MAX     1.5    /* times the pause: what a program takes longer behind it */

static void insert(struct pcomp_interrupt_pauses *p, double pause)
{
    unsigned i = p->interrupts++;
    for (; i && p->pause[i - 1] > pause; i--)
        p->pause[i] = p->pause[i - 1];
    p->pause[i] = pause;
}

bool pcomp_interrupt_pauses_add(struct pcomp_interrupt_pauses *p, double passed, double step, bool interrupt)
{
    double longer = passed - step;
    if (longer > PCOMP_INTERRUPT_MAX)
        return ++p->lost < LOST_MAX;
    p->waited += passed;
    if (interrupt)
        insert(p, longer);
    else
        p->behind += pcomp_min(longer, BEHIND_STEP * step);
    return p->interrupts < PCOMP_INTERRUPTS && p->waited < WAITED_MAX * p->period;
}

double pcomp_interrupt_next_period(double period, double cost)
{
    return cost > period && period < LONG_PERIOD ? LONG_PERIOD : 0;
}

/* The pause, and what the program takes longer behind it, since caches and translations are another's then (on a
 * virtual machine half as much again). The lower quartile, since others disturb half of them on a busy machine. */
double pcomp_interrupt_cost(const struct pcomp_interrupt_pauses *p)
{
    if (!p->interrupts && p->lost < LOST_MAX)
        return 0;
    if (p->interrupts < INTERRUPTS_MIN) /* each is as long as others have a processor */
        return PCOMP_INTERRUPT_MAX;
    double pause = pcomp_max(p->pause[p->interrupts / 4], PAUSE_MIN);
    return pause + pcomp_min(pcomp_max(p->behind / p->interrupts, 0), BEHIND_MAX * pause);
}
