/* Price of an event among the work of a program, from samples whose program counter lies in code that records, with the
 * loop that alpha is measured in as the guess before any was taken.
 *
 * Hits are Poisson distributed with the mean events * price / seconds. The guess is a gamma distribution around the
 * loop, whose shape is that of PCOMP_EVENT_PRICE_SHAPE hits: hooks that are rare find the caches cold, and cost up to
 * eight times as much as in a loop. Pure arithmetic in double precision. */
#ifndef PCOMP_EVENT_PRICE_H
#define PCOMP_EVENT_PRICE_H

#define PCOMP_EVENT_PRICE_SHAPE 0.5

/* Relative standard deviation over programs of what samples say, however many. */
#define PCOMP_EVENT_PRICE_ERROR 0.25

struct pcomp_event_price_sources {
    double loop;    /* seconds an event in the loop, above 0 */
    double hits;    /* samples in code that records ... */
    double seconds; /* ... and what each stands for; 0: no samples */
    double events;  /* that were recorded meanwhile */
};

struct pcomp_event_price {
    double more;  /* seconds an event, than in the loop; may be below 0 */
    double error; /* its standard deviation, seconds */
};

struct pcomp_event_price pcomp_event_price(const struct pcomp_event_price_sources *from);

#endif
