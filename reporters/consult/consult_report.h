/* What a search found: a tree of hypotheses with their evidence, what was not tested, and the cost. */
#ifndef PCOMP_CONSULT_REPORT_H
#define PCOMP_CONSULT_REPORT_H

#include "reporters/base/emitter.h"
#include "reporters/consult/consult.h"

#include <stdio.h>

struct consult_run {
    const char *program;
    double seconds; /* from start to end */
    int exit_status;
    double measuring; /* share of the calls' time that was measurement, from the profile; NAN not known */
};

/* all: false hypotheses below the roots, too (JSON and CSV have them always). Returns an exit status. */
int consult_report(const struct consult *consult, const struct consult_run *run, enum emit_format format, FILE *out,
                   bool all);

#endif
