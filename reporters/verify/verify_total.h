/* From pairs of runs to how far the total is off: pure arithmetic on the times of `pcomp verify`. Thread-safe. */
#ifndef PCOMP_VERIFY_TOTAL_H
#define PCOMP_VERIFY_TOTAL_H

#include "reporters/verify/sample_statistics.h"

#include <stddef.h>
#include <stdint.h>

#define VERIFY_PAIRS_MAX 1000

struct verify_pair {    /* ns */
    double plain;       /* T: the uninstrumented program, main's entry to its end */
    double raw;         /* T_m: the profile's raw total */
    double compensated; /* T_a: its compensated total, and the half-width of the 95 % interval printed with it */
    double uncertainty;
    uint64_t calls; /* N: in that total */
};

struct verify_quantity {
    struct sample_interval time; /* ns */
    double spread;               /* difference of the quartiles, as a share of the median */
};

struct verify_total {
    size_t runs;
    struct verify_quantity plain, raw, compensated;
    struct sample_interval dilation;                     /* T_m / T, of pairs */
    struct sample_interval raw_error, compensated_error; /* as shares of T, of pairs */
    uint64_t calls;                                      /* median */
    double error_ns_per_call;                            /* (T_a - T) / N, median of pairs */
    size_t inside;                                       /* runs whose printed interval holds the median of T */
    double half_width; /* median of the printed half-widths, as a share of the median of T */
};

/* `count` from 1 to VERIFY_PAIRS_MAX. */
void verify_total_make(struct verify_total *total, const struct verify_pair *pairs, size_t count);

#endif
