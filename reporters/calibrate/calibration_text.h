/* Writes the file that --calibration reads: a head, then a line for each kind of call (see pcomp-calibrate(1)). */
#ifndef PCOMP_CALIBRATION_TEXT_H
#define PCOMP_CALIBRATION_TEXT_H

#include "compensation/numeric/delta.h"
#include "reporters/tree/call_tree.h"

#include <stdio.h>

/* clock: "tsc", ... */
void calibration_text_begin(FILE *out, const char *clock);

/* All in nanoseconds. */
void calibration_text_variant(FILE *out, enum pcomp_variant variant, const struct tree_delta *costs);

#endif
