/* What a kill_target says about itself, in memory shared with kill_runner: it survives the target's death. */
#ifndef PCOMP_BENCH_KILL_RECORD_H
#define PCOMP_BENCH_KILL_RECORD_H

#include <stdint.h>

enum kill_function { KILL_OUTER, KILL_MIDDLE, KILL_LEAF_A, KILL_LEAF_B, KILL_FUNCTIONS };

struct kill_record {
    volatile int64_t started_ns;                 /* CLOCK_MONOTONIC of main's first statement; 0: not reached */
    volatile int64_t alive_ns;                   /* the last sign of life of main */
    volatile int64_t ended_ns;                   /* main's last statement; 0: not reached */
    volatile uint64_t completed[KILL_FUNCTIONS]; /* calls whose exit hook has returned */
};

#endif
