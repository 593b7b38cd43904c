/* Names and limits that the library, the command and the documents share: each once. Options of pcomp-record(1) reach
 * the library by PCOMP_OPTIONS; a name's index is its value. */
#ifndef PCOMP_NAMES_H
#define PCOMP_NAMES_H

#include "profiler/format/profile_format.h"

/* As elements of an array, and as the choices of an option. */
#define PCOMP_CLOCK_NAMES     "unknown", "tsc", "tsc-serial", "monotonic", "cntvct" /* enum pcomp_clock */
#define PCOMP_CLOCK_CHOICES   "tsc|tsc-serial|monotonic|cntvct"                     /* from PCOMP_CLOCK_TSC on */
#define PCOMP_MODEL_CHOICES   "none|paper|split"
#define PCOMP_MODE_NAMES      "auto", "full"
#define PCOMP_MODE_CHOICES    "auto|full"
#define PCOMP_COUNTS_NAMES    "auto", "exact"
#define PCOMP_COUNTS_CHOICES  "auto|exact"
#define PCOMP_SAMPLER_NAMES   "auto", "perf", "timer", "off"
#define PCOMP_SAMPLER_CHOICES "auto|perf|timer|off"

enum pcomp_mode { PCOMP_MODE_AUTO, PCOMP_MODE_FULL };
enum pcomp_counts { PCOMP_COUNTS_AUTO, PCOMP_COUNTS_EXACT };
enum pcomp_sampler_option {
    PCOMP_SAMPLER_OPTION_AUTO,
    PCOMP_SAMPLER_OPTION_PERF,
    PCOMP_SAMPLER_OPTION_TIMER,
    PCOMP_SAMPLER_OPTION_OFF
};

#define PCOMP_MIN_TRACE_LIMIT   65536u       /* bytes */
#define PCOMP_MIN_TRACE_RATE    65536u       /* bytes a second */
#define PCOMP_MAX_TRACE_RATE    (1ull << 40) /* that one not included */
#define PCOMP_MIN_MEMORY_BUDGET (1u << 20)   /* bytes */

/* Why measurement stopped, by bit of header.stopped. */
#define PCOMP_STOPPED_REASONS                                                                                          \
    {                                                                                                                  \
        {PCOMP_STOPPED_NO_SPACE, "the file system was full"},                                                          \
            {PCOMP_STOPPED_FILE_SIZE, "the limit of file size was reached (ulimit -f)"},                               \
            {PCOMP_STOPPED_NODES, "the limit of call paths was reached"},                                              \
            {PCOMP_STOPPED_DEPTH, "the limit of depth was reached"},                                                   \
            {PCOMP_STOPPED_THREADS, "there was no memory for another thread"},                                         \
            {PCOMP_STOPPED_TRACE, "the trace had grown to --trace-limit"},                                             \
            {PCOMP_STOPPED_MEMORY, "the profile had grown to --budget-memory"},                                        \
        {                                                                                                              \
            PCOMP_STOPPED_LOCKED_IN, "the program restricted its system calls (seccomp) or its clock"                  \
        }                                                                                                              \
    }

struct pcomp_stopped_reason {
    uint32_t bit;
    const char *why;
};

#endif
