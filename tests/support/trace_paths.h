/* Traces of a data directory followed event by event: call paths, counts, times, by a plain stack of the tests' own.
 * Calls that were held back (--budget-trace) count as their functions'. Not thread-safe; ends the program when memory
 * is short. */
#ifndef PCOMP_TEST_TRACE_PATHS_H
#define PCOMP_TEST_TRACE_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct path_node {
    const char *name;
    struct path_node *parent, *children, *next, *before; /* before: in the list of all */
    uint64_t calls, open, ticks; /* ticks: of activations that no other of the function encloses */
    int pid;
};

struct trace_walk { /* of one location */
    int pid, tid;
    uint64_t enters_and_exits, hash;
};

struct trace_paths {
    struct path_node *nodes; /* all, without the roots */
    struct trace_walk *locations;
    size_t location_count;
    uint64_t kinds[256];
    uint64_t abandoned, unmatched, steps, wrong_steps;
    uint64_t held, unrecorded; /* calls that SUPPRESSED tells of, enters and exits that UNRECORDED does */
    uint64_t lost, late, stopped, processes, closed; /* of the profiles' headers; lost: of the traces' */
    int *forked;                                     /* pids, ended by 0 */
    double tick_ns;
};

/* Reads all traces of `dir`; breaches of the laws are told to `miss`: time that steps back, a thread whose events are
 * not in START .. END, a LOST record that does not agree with the header. */
struct trace_paths *trace_paths_load(const char *dir, void (*miss)(const char *format, ...));

enum path_sum { PATH_NAMED, PATH_CALLS, PATH_OPEN, PATH_ELAPSED /* ms */ };

/* Of functions (or with PATH_CALLS call paths "a>b") called `name`, in all processes or in that of `pid`. False: cannot
 * be told. */
bool trace_paths_sum(const struct trace_paths *paths, enum path_sum what, int pid, const char *name, double *sum);

/* By key (check_trace.c). False: not known. */
bool trace_paths_value(const struct trace_paths *paths, const char *key, double *value);

#endif
