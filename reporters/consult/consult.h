/* The search for bottlenecks of a running program: takes samples at random moments (observer.h), gives them to the
 * hypotheses under test (compensation/search/search.h), refines what is true, and stays within the budget.
 *
 * Streams of samples: what threads do (EVERYWHERE), what calls cost (COSTS).
 * Not thread-safe. */
#ifndef PCOMP_CONSULT_H
#define PCOMP_CONSULT_H

#include "reporters/consult/consult_state.h"

/* `dir`: the data directory of the run, which begins now; must outlive. False: no memory. */
bool consult_open(struct consult *consult, const struct consult_options *options, const char *dir);
void consult_close(struct consult *consult);

/* Waits for the next random moment, takes a sample, and does what is due. */
void consult_step(struct consult *consult);

/* The program has ended: the last samples count, too. */
void consult_end(struct consult *consult);

/* True when something was sampled. */
bool consult_has_evidence(const struct consult *consult);

#endif
