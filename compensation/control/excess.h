/* Times at which the last second had more than a budget allows: how many, how long, and why.
 *
 * Pure arithmetic in integers with time as a parameter, as it runs inside hooks; not thread-safe. Times are ticks. */
#ifndef PCOMP_EXCESS_H
#define PCOMP_EXCESS_H

#include <stdbool.h>
#include <stdint.h>

struct pcomp_excess {
    uint64_t since;          /* it began; 0: not over the budget */
    uint64_t ticks, longest; /* of all such times; of the longest */
    uint32_t count;
    uint32_t cause, longest_cause; /* of the present one; of the longest */
};

/* It is over the budget at `now`, or is not. passed: ticks since this was said last, of which the budget knows.
 * True: that has just begun, and the caller says why (pcomp_excess_because). */
bool pcomp_excess_note(struct pcomp_excess *e, uint64_t now, uint64_t passed, bool over);

void pcomp_excess_because(struct pcomp_excess *e, uint32_t cause);

#endif
