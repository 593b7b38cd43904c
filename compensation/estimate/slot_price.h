/* Price of a call counted in place in a trace: that of count_price.h, from samples whose program counter lies in code
 * that counts, a kernel, and windows where functions were off between them; and what none of these has: registers that
 * are kept around hook calls. Pure arithmetic in double precision. */
#ifndef PCOMP_SLOT_PRICE_H
#define PCOMP_SLOT_PRICE_H

#include "compensation/estimate/window_reference.h"

#include <stdbool.h>

/* Hits are Poisson distributed. Few of them say that the price is low, too: half a hit more than there were. */
#define PCOMP_SLOT_PRICE_FIRST 0.5

/* A round trip to the stack: the part that a program waits for; its standard deviation over programs. */
#define PCOMP_SLOT_PRICE_KEPT       0.45
#define PCOMP_SLOT_PRICE_KEPT_ERROR 0.4

/* Standard deviations over programs of what is in no sample, seconds a call: what gcc lost around a hook call, but for
 * the registers above; what a sled does to the code around it. */
#define PCOMP_SLOT_PRICE_LOST      0.5e-9
#define PCOMP_SLOT_PRICE_LOST_SLED 0.2e-9

struct pcomp_slot_price_sources {
    double kernel;  /* seconds a call, above 0 */
    double hits;    /* samples in code that counts ... */
    double seconds; /* ... and what each stands for; 0: no samples */
    double calls;   /* that were counted meanwhile */
    bool hooks;     /* sites are hook calls, not sleds alone */
    double kept; /* round trips of vector registers to the stack, around the hook calls of one call, in the mean ... */
    double trip; /* ... and what one takes at most, seconds */
    struct pcomp_price windows;
};

struct pcomp_slot_price {
    double price; /* seconds a call */
    double error; /* relative standard error */
};

struct pcomp_slot_price pcomp_slot_price(const struct pcomp_slot_price_sources *from);

#endif
