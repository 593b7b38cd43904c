/* The merged tree of a data directory (call_tree.h): threads, functions, nodes, times. */
#ifndef PCOMP_CALL_TREE_TYPES_H
#define PCOMP_CALL_TREE_TYPES_H

#include "compensation/cost/observed_cost.h"
#include "compensation/numeric/delta.h"
#include "reporters/symbols/demangle.h"
#include "reporters/tree/build/function_level.h"
#include "reporters/tree/build/time_spread.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tree_times {                  /* nanoseconds */
    double raw;                      /* as measured */
    double compensated;              /* raw less the terms below */
    double uncertainty;              /* half-width of the 95 % interval of `compensated` */
    double own, descendants, direct; /* the three terms taken away: N*own, M*descendant, L*direct; of exclusive time:
                                      * N*own, 0, and what the direct children left in it */
    double waiting, ready;           /* of `compensated`: blocked; runnable but preempted. The rest is computing.
                                      * Only where call_tree.knows_waiting, else 0 */
};

/* Adds all but the uncertainty. */
static inline void tree_times_add(struct tree_times *sum, const struct tree_times *part)
{
    sum->raw += part->raw;
    sum->compensated += part->compensated;
    sum->own += part->own;
    sum->descendants += part->descendants;
    sum->direct += part->direct;
    sum->waiting += part->waiting;
    sum->ready += part->ready;
}

struct tree_counter { /* one --counters metric, counts */
    double raw_inclusive, raw_exclusive, compensated_inclusive, compensated_exclusive;
    double uncertainty_inclusive, uncertainty_exclusive;
};

struct tree_function {
    const char *name;            /* demangled; "[root]", "[beyond limit]", region name, or module+0xoffset */
    const char *linkage_name;    /* as in the symbol table; equals name where there is none */
    const char *file;            /* NULL unknown */
    const char *module;          /* path of the module; NULL for special functions */
    unsigned line;               /* 0 unknown */
    uint64_t calls;              /* N: all calls, open ones included */
    uint64_t suppressed;         /* of N: not recorded in the trace, in no node; their time is their callers' */
    double calls_deviation;      /* standard deviation of calls: 0 but where they were counted in windows */
    uint64_t outermost;          /* activations that were not inside another of the same function */
    uint64_t open;               /* of N: not ended when the process was killed or read */
    uint64_t descendants;        /* M: calls of any function while an outermost activation was active */
    uint64_t children;           /* L: direct calls made by outermost activations */
    struct tree_times inclusive; /* outermost activations only */
    struct tree_times exclusive;
    double min, max;            /* compensated inclusive of one activation; NAN unknown */
    struct time_spread *spread; /* of these times, all call paths; NULL unknown */
    bool resolved;              /* |compensated inclusive| above its uncertainty */
    enum function_level level;  /* lowest of the run; none where it is not known */
    bool exact;   /* no lost, suppressed or uncertain calls touch it, none is estimated or counted without locks */
    bool counted; /* its level fell, and no stacks were sampled: times are NAN, its later time is in its callers' */
    bool off;     /* filtered out: its calls are not counted, and its times are NAN */
    bool sum;     /* no function: stands for a sum of others */
    uint64_t in_place;        /* of N: counted alone, on no call path */
    uint64_t calls_inexact;   /* of N: counted without locks; of one thread: calls that may be its own */
    struct tree_times before; /* counted: exclusive, on its call paths, until its level fell */
    struct tree_counter *counters;
};

struct tree_node {
    uint32_t function; /* index into call_tree.functions */
    uint32_t parent;   /* index into call_tree.nodes; UINT32_MAX for the root */
    uint32_t first_child,
        next_sibling; /* indices; UINT32_MAX none; siblings sorted by compensated inclusive, greatest first */
    uint64_t calls, open, descendants, children;
    struct tree_times inclusive, exclusive;
    double min, max;
    struct time_spread *spread; /* NULL unknown */
    const char *native;         /* uninstrumented frames between parent and this, "a > b"; NULL none */
    const char *call_site;      /* "file:line" or module+0xoffset; NULL unless keyed by call site */
    struct tree_counter *counters;
};

struct tree_thread {
    int pid, tid;
    uint64_t threads; /* that it stands for: one after the other, tid and name being the last one's; 1 else */
    int rank;         /* -1 none */
    char name[32];
    char *creator; /* call path that created it; NULL unknown */
    bool main, live, killed;
    bool first;                      /* of its process to call a hook, which took the start-up of the library */
    double wall, cpu;                /* ns */
    double off_cpu_share;            /* 0..1 of wall; NAN unknown */
    uint64_t involuntary, voluntary; /* context switches */
    uint64_t calls, uncertain, abandoned, unmatched, backwards, beyond_depth, stack_switches;
    bool calls_partial; /* calls are those on call paths: of counters it is not known which thread's they are */
    double raw, compensated, overhead, uncertainty; /* sums over its root activations */
    double waiting, ready;                          /* of compensated, as in struct tree_times */
    double sampling;                                /* ns that taking its samples took */
};

struct tree_cost {             /* what measuring one function cost one thread; sums over its call paths */
    uint32_t function, thread; /* indices in call_tree.functions and .threads */
    bool filtered;             /* --only, --skip: not measured, and in no node of the tree */
    double calls;
    struct pcomp_cost cost; /* ns */
};

#define TREE_LONGEST 3 /* of a function */

struct tree_longest { /* one of the longest activations; others of about the same time may be missing */
    uint32_t function, node, thread;
    double time;  /* compensated inclusive, ns */
    double start; /* of its enter: CLOCK_REALTIME, ns */
};

struct tree_process {
    int pid, rank;
    double startup, closing;           /* ns that the library took to start and to end, */
    double switching, sampling;        /* to turn sites off and on in windows, and to take samples */
    char *executable, *command, *file; /* file: its profile file */
    bool main, live, killed, closed;
    unsigned stopped; /* enum pcomp_stopped bits */
    uint64_t lost_calls, late_calls;
};

struct tree_totals {
    uint64_t calls, lost_events; /* lost_events: lost and late calls of all processes read */
    double calls_half;           /* half-width of the 95 % interval of calls */
    bool calls_partial;          /* as of the threads */
    double raw, compensated, overhead, uncertainty;
    double waiting, ready;
};

/* Share of the calls' time that was measurement; NAN: no time. */
static inline double tree_totals_measuring(const struct tree_totals *total)
{
    return total->raw > 0 ? total->overhead / total->raw : NAN;
}

struct tree_delta {
    double own, descendant, direct, own_spread, descendant_spread, direct_spread;
}; /* ns */

struct tree_trace_budget { /* --budget-trace: of the process that kept it worst */
    double rate;           /* bytes a second; 0: no budget */
    double worst;          /* bytes of the second that had most */
    unsigned violations;   /* times at which the last second had more than the budget */
    double longest, all;   /* ns: the longest, all together */
    const char *cause;     /* of the longest; NULL none */
};

struct tree_counting {            /* calls counted in place: modes with PCOMP_FLAG_COUNTS */
    bool any;                     /* a process counted so */
    uint32_t function;            /* that stands for the cost: index in call_tree.functions; 0 none */
    uint32_t before;              /* that stands for what counted functions took until their level fell; 0 none */
    uint32_t timed, counted, off; /* functions by level; sampled ones are counted in windows ... */
    uint32_t sampled;             /* ... and these are of the counted */
    uint64_t calls;               /* counted in place and not timed, in threads that have time in the profile */
    uint64_t inexact;             /* calls counted without locks */
    double limit;                 /* share of the program's own time that measuring may cost; 0 unknown */
    uint64_t windows;             /* in which sampled functions were counted ... */
    double window_time;           /* ... their lengths together, ns */
    uint64_t falls, bytes;        /* functions whose level fell; memory of the counters */
    double price, cost;           /* ns: of one call (the costliest process's), of all that was taken off, ... */
    double sites;                 /* ... in that what sites cost as no-ops, and its half-width */
    double sites_uncertainty;
    bool hook_sites;         /* some of these are hook calls */
    double cost_uncertainty; /* ns, half-width of the 95 % interval */
};

struct tree_how {                           /* how compensation was obtained */
    double stack_samples, sample_cost;      /* of call stacks, all along; ns of one of these. 0: none were taken */
    const char *no_samples;                 /* why there are none, or not of all threads; NULL unknown */
    double timed_share;                     /* of all calls, 0..1: 1 in mode "full" */
    double call_overhead, call_uncertainty; /* ns: what a timed call cost, 95 % */
    double price_samples;                   /* of the probes' code, which corrected that in the program; 0: none did */
    bool calibration_file;                  /* the costs are from --calibration, not measured by the run */
    const char *fitted;                     /* what the calibration was fitted to; NULL: to nothing */
    const char *replayed;                   /* "event, ...": compensated by a replay, its model; NULL: by none */
};

struct call_tree {
    struct tree_node *nodes; /* [0] is the root */
    size_t node_count;
    struct tree_function *functions; /* [0] is "[root]", the others by name, module and address */
    size_t function_count;
    struct tree_thread *threads;
    size_t thread_count;
    uint64_t threads_begun; /* those that rows stand for, too */
    struct tree_process *processes;
    size_t process_count;
    uint64_t begun;   /* when the main process began: CLOCK_REALTIME, ns; 0: not known */
    uint32_t *owners; /* options.by_thread: of each node directly below the root, index in threads, UINT32_MAX: of all
                       * of them; undefined of other nodes. Else NULL */
    struct tree_cost *costs; /* by function, then thread; none unless options.want_costs. Function 0 ("[root]"): what
                              * belongs to no function */
    size_t cost_count;
    struct tree_longest *longest; /* by function, longest first, at most TREE_LONGEST each */
    size_t longest_count;
    double spread_unit;       /* ns: 1/1024 tick of the first file */
    struct tree_totals total; /* main thread of the main process (or rank 0) */
    struct tree_totals total_all_threads;
    struct tree_delta delta[PCOMP_VARIANTS]; /* as used for `compensated` */
    double clock_pair;                       /* ns: two bare clock reads */
    enum pcomp_model model;
    const char *mode; /* "full": all calls timed; "auto": all counted in place, those of rare functions timed;
                       * "replayed": of a trace */
    struct tree_how how;
    struct tree_counting counting;
    bool knows_waiting; /* all processes that were read tell when they waited */
    struct tree_trace_budget trace_budget;
    const char *clock; /* "tsc", "tsc-serial", "monotonic", "cntvct" */
    size_t counter_count;
    const char **counter_names;
    char **warnings; /* texts for the user, one line each, without "pcomp: " */
    size_t warning_count;
};

struct call_tree_options {
    int process;          /* pid, or 0: all */
    int rank;             /* or -1: all */
    int thread;           /* tid, or 0: all */
    int model;            /* enum pcomp_model to re-derive under; -1: as recorded */
    bool salvage;         /* use what can be read safely of damaged files */
    enum name_form names; /* of C++ functions; short unless told */
    bool want_costs;      /* fill call_tree.costs */
    bool of_set;          /* one of several runs, which show themselves by how much runs differ: not in the ± */
    bool by_thread;       /* call paths of different threads stay apart: call_tree.owners */
    bool want_lines;      /* look file:line up for functions (DWARF); names always ... */
    bool totals_alone;    /* ... but here: as far as the profile itself has them; nor are there distributions */
};

#endif
