/* Probes (probes.c) that kernels of the calibration call as slots do (probe_kernels.c). x86-64. */
#ifndef PCOMP_PROBES_H
#define PCOMP_PROBES_H

#include <stdint.h>

#define PROBE __attribute__((visibility("hidden"))) void

PROBE hook_enter_timed(void);
PROBE hook_exit_timed(void *function, void *site);
PROBE sled_enter_timed(void);
PROBE sled_return_timed(void);
PROBE sled_enter_any(void);
PROBE sled_return_any(void);

#undef PROBE

#endif
