/* What the user asked for: the options of `pcomp record` as the run-time library sees them.
 * Filled once, before the first measurement; read-only afterwards. */
#ifndef PCOMP_PROFILER_CONFIG_H
#define PCOMP_PROFILER_CONFIG_H

#include "profiler/format/profile_format.h"

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
    uint64_t trace_limit;   /* bytes of a location's trace file; 0 none */
    uint64_t trace_budget;  /* --budget-trace: bytes a second that all threads may record; 0 none */
    bool trace;             /* --trace: events are recorded, nothing else */
    bool trace_all;         /* --trace-all: functions that are called often, too */
    bool trace_ring;        /* at the limit the oldest records give way */
    bool full;              /* --mode full: every call is timed */
    bool custom;            /* the fast path does not serve this configuration */
    bool counts;            /* calls are counted in place, and those of rare functions timed, too */
    bool in_place;          /* slots count calls: `counts`, or a trace that leaves out what is called often */
    bool exact;             /* --counts exact: all of them, whatever it costs */
    bool sampler_off;       /* --sampler off */
    bool sampler_perf;      /* --sampler perf, or auto: by the kernel where it allows that */
    bool sampler_timer;     /* --sampler timer, or auto */
    bool automatic;         /* --mode auto, or none */
    double budget;          /* --budget: share of the program's own time that measuring may cost; 0 none */
    uint64_t memory_budget; /* --budget-memory: bytes of the profile, above which no call paths are added; 0 none */
};

extern struct config config;

/* Reads PCOMP_DATA, PCOMP_OPTIONS and PCOMP_RUN_ID. Async-signal-safe, allocates nothing. Returns NULL, or what is
 * wrong (static text, for "pcomp: PCOMP_OPTIONS: ..."). */
const char *config_read(void);
extern const char config_data_too_long[]; /* one of its texts: it is of PCOMP_DATA, as a rule */

#endif
