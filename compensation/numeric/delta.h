/* What one measurement costs: the deltas of a hook variant, and the fixed-point unit of all exact sums.
 *
 * Pure data; no locking. Produced by calibration (compensation/cost/calibration.h gives the statistics), consumed by
 * the online model (compensation/cost/online_model.h), stored as it is in the profile file. */
#ifndef PCOMP_DELTA_H
#define PCOMP_DELTA_H

#include <stdint.h>

#define PCOMP_FIX_SHIFT 10 /* fixed-point values: 1/1024 tick */

enum pcomp_model { PCOMP_MODEL_NONE = 0, PCOMP_MODEL_PAPER = 1, PCOMP_MODEL_SPLIT = 2 };

/* Hook variants: how an enter hook found its node. One set of deltas each. */
enum pcomp_variant {
    PCOMP_VARIANT_REPEAT = 0, /* same function as the last call of this parent activation */
    PCOMP_VARIANT_LOOKUP = 1, /* found by look-up in the path table */
    PCOMP_VARIANT_SKIP = 2,   /* function not measured (filtered): counted only */
    PCOMP_VARIANTS = 3
};

struct pcomp_delta {    /* fixed-point ticks */
    int64_t own;        /* part of one measurement between its own two clock reads */
    int64_t descendant; /* one whole measurement, as it lies in every ancestor */
    int64_t direct;     /* accounting of one child in its direct parent (the paper's delta_e) */
    int64_t own_spread; /* spreads: standard deviation over the repetitions of a batch mean */
    int64_t descendant_spread;
    int64_t direct_spread;
    uint64_t repetitions; /* 0: this variant was not calibrated */
    uint64_t batch;       /* calls a repetition */
};

#endif
