/* Measuring the costs of this machine: the library calibrates in a helper program, as in any measured program, and what
 * it found is read out of the profile. */
#ifndef PCOMP_CALIBRATE_RUN_H
#define PCOMP_CALIBRATE_RUN_H

#include "profiler/format/profile_format.h"

#include <stdbool.h>
#include <stddef.h>

/* Runs helper (helper_path_find) with `options` of pcomp record, its data directory being SCRATCH/NUMBER. False after a
 * message, which begins with `command`. */
bool calibrate_helper_run(const char *command, const char *helper, const char *scratch, const char *options,
                          size_t number, struct pcomp_header *header);

#endif
