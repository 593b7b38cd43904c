/* Where threads run. */
#ifndef PCOMP_ELEMENT_PLACE_H
#define PCOMP_ELEMENT_PLACE_H

#include "bench_clock.h"

#include <sched.h>

/* Gives each of THREADS a processor, where there are enough: the models take it that each has one, and now and then a
 * scheduler puts two on one for some phases. */
BENCH_PLAIN static inline void element_place(unsigned thread, unsigned threads)
{
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || (unsigned)CPU_COUNT(&allowed) < threads)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && thread-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

#endif
