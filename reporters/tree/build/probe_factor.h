/* What timed probes cost in the program, by samples of its program counter (compensation/estimate/probe_price.h). */
#ifndef PCOMP_PROBE_FACTOR_H
#define PCOMP_PROBE_FACTOR_H

#include "reporters/profile/profile_file.h"

#include <stdbool.h>

/* Multiplies the deltas in file->header by what the samples say, once. False: the profile has none that apply, and
 * nothing is changed. *error: relative standard error of the factor. */
bool probe_factor_apply(struct profile_file *file, double *error);

#endif
