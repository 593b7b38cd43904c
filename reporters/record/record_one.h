/* One run of a program, as pcomp record does it: into a data directory, with a line about what came of it. */
#ifndef PCOMP_RECORD_ONE_H
#define PCOMP_RECORD_ONE_H

#include "reporters/base/options.h"
#include "reporters/launch/record_environment.h"
#include "reporters/launch/run_launch.h"

#define RECORD_DEFAULT_DIR "pcomp.data"

struct record_program {
    const char *path, *library; /* of the program; what is preloaded */
    bool silent;                /* no line about what was recorded; failures have theirs */
};

struct recorded {
    struct run_result run;
    bool any; /* there is a profile; else the directory is gone again */
};

/* The operands are the program's arguments; there is room for one more. Returns the exit status: the program's, or
 * after a message. */
int record_one(const struct record_options *options, const struct operands *operands,
               const struct record_program *tools, const char *dir, struct recorded *result);

#endif
