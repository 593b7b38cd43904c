/* What one call costs on this machine in a mode of measuring, by running the calibration helper in it. */
#ifndef PCOMP_CALL_PRICES_H
#define PCOMP_CALL_PRICES_H

#include "compensation/cost/predicted_cost.h"

#include <stdbool.h>

/* Fills in what pcomp_predicted_calls needs for the mode, and *once: what starting and ending the library takes, ns.
 * False after a message. */
bool call_prices_measure(enum pcomp_predicted_mode mode, struct pcomp_call_prices *prices, double *once);

#endif
