/* pcomp predict --from start: the program runs under measurement; its first 100 ms tell what measuring it costs, and
 * when it has ended, that is compared with what measuring it did cost. */
#ifndef PCOMP_PREDICT_START_H
#define PCOMP_PREDICT_START_H

#include "reporters/predict/prediction.h"

struct predict_start {
    const char *data;   /* the run's data directory */
    const char *output; /* for the result; NULL: as text on standard error, where the program's output is not */
    int format;
    double budget; /* share; below 0: none */
};

/* argv: the program and its arguments, NULL-terminated. Returns an exit status: not the program's. */
int predict_from_start(const struct predict_start *start, const struct predict_request *request, char **argv);

#endif
