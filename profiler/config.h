/* What the user asked for: the options of `pcomp record` as the run-time library sees them.
 * Filled once, before the first measurement; read-only afterwards. */
#ifndef PCOMP_PROFILER_CONFIG_H
#define PCOMP_PROFILER_CONFIG_H

#include "profiler/profile_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_PATTERNS_MAX 64

struct config_pattern {
    const char *text; /* glob */
    enum { PATTERN_FUNCTION, PATTERN_MODULE, PATTERN_FILE } what;
    bool only; /* --only, else --skip */
};

struct config {
    char data[4096];         /* data directory, absolute */
    char run_id[33];         /* from the environment; empty: none */
    char options_text[256];  /* as given, cut */
    uint32_t clock;          /* enum pcomp_clock */
    uint32_t model;          /* enum pcomp_model */
    uint32_t flags;          /* enum pcomp_flags */
    const char *counters;    /* comma list or NULL */
    const char *calibration; /* file or NULL */
    struct config_pattern patterns[CONFIG_PATTERNS_MAX];
    size_t pattern_count;
    uint64_t node_limit;
    uint64_t depth_limit;
    bool full;    /* --mode full: every call is timed */
    bool general; /* the fast path does not serve this configuration */
    bool sampled; /* every call is counted, a random few are timed; decided when the clock is known */
};

extern struct config config;

/* Reads PCOMP_DATA, PCOMP_OPTIONS and PCOMP_RUN_ID. Async-signal-safe, allocates nothing. Returns NULL, or what is
 * wrong (static text, for "pcomp: PCOMP_OPTIONS: ..."). */
const char *config_read(void);

#endif
