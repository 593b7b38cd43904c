/* pcomp record --repeat: several runs of one program, each into a data directory of its own: a set (run_set.h). */
#ifndef PCOMP_RECORD_REPEAT_H
#define PCOMP_RECORD_REPEAT_H

#include "reporters/record/record_one.h"

#define RECORD_ONCE UINT64_MAX /* no set */

/* 0, or an exit status after the message. */
int record_check_repeat(uint64_t repeats);

/* Runs the program that often, into DIR/1 and so on of options->dir; stops where it was killed, could not be started or
 * left no profile. Returns the exit status of the first run that failed. */
int record_repeat(const struct record_options *options, const struct operands *operands,
                  const struct record_program *tools, uint64_t repeats);

#endif
