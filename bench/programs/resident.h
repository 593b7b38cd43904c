/* Memory of this process as the kernel counts it. */
#ifndef PCOMP_BENCH_RESIDENT_H
#define PCOMP_BENCH_RESIDENT_H

#include "bench/programs/bench_clock.h"

#include <stdio.h>
#include <string.h>

/* KiB resident now: anonymous, file and shared memory pages; -1 when unknown. */
BENCH_PLAIN static long bench_resident_kib(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kib = -1;
    if (!status)
        return -1;
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    fclose(status);
    return kib;
}

#endif
