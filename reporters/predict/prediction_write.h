/* A prediction as it is shown: head, budget, functions. */
#ifndef PCOMP_PREDICTION_WRITE_H
#define PCOMP_PREDICTION_WRITE_H

#include "reporters/base/emitter.h"
#include "reporters/predict/prediction.h"

#include <stdint.h>

struct prediction_shown {
    const char *subject; /* the program, or the data directory */
    double budget;       /* share; below 0: none was given */
    uint64_t limit;      /* of functions; 0: all */
};

/* Writes everything but the schema. The prediction was fitted where there is a budget. */
void prediction_emit(struct emitter *emitter, const struct prediction *prediction,
                     const struct prediction_shown *shown);

#endif
