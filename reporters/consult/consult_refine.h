/* Which hypotheses there are, and what a sample says of them. */
#ifndef PCOMP_CONSULT_REFINE_H
#define PCOMP_CONSULT_REFINE_H

#include "reporters/consult/consult_state.h"

/* Queues the hypotheses at the root. False: no memory. */
bool consult_begin_roots(struct consult *consult);

/* A sample of the stream has begun. Evidence for foci is gathered from the first sample with a known focus on. */
void consult_begin_sample(struct consult *consult, uint32_t stream);

/* Gives what one thread was seen in to the hypotheses, as `weight` of a sample; adds such as have become possible. */
void consult_feed(struct consult *consult, const struct observation *seen, double weight);

/* Share of the time that the calls of a function cost. */
void consult_feed_cost(struct consult *consult, uint32_t function, double share);

/* Hypothesis `index` has become true: queues what refines it, with the foci of the samples so far. */
void consult_refine(struct consult *consult, uint32_t index, double now);

#endif
