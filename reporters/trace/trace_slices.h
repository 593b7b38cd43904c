/* The executions of a data directory as slices and links, told one by one: functions that are active, operations in
 * which a location may wait, and which event let which one happen. Memory grows with locations and functions, not with
 * events. Not thread-safe. */
#ifndef PCOMP_TRACE_SLICES_H
#define PCOMP_TRACE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_slices;

struct trace_window { /* ns since the beginning of an execution */
    double from, to;  /* slices are cut there; INFINITY: to the end */
    double min;       /* shorter slices are left out; 0: none */
};

/* Processes have numbers of their own, because those of the measured and the approximated execution are the same. */
struct trace_slice_location {
    uint32_t execution;              /* from 0: the measured one first, where it is there */
    uint32_t pid, tid;               /* from 1; tid over all processes of one execution */
    const char *title;               /* of the execution: "measured" */
    const char *process_name, *name; /* clean UTF-8; process_name begins with the title */
    bool first;                      /* of its process */
};

enum trace_slice_kind { TRACE_SLICE_FUNCTION, TRACE_SLICE_OPERATION, TRACE_SLICE_RECORDER };

/* Locations are numbered over all executions. Times are ns, and do not step back in a location, but those of links.
 * False: out of memory. */
struct trace_slice_sink {
    void *context;
    bool (*location)(void *context, uint32_t location, const struct trace_slice_location *about);
    bool (*enter)(void *context, uint32_t location, uint64_t time, uint32_t name, enum trace_slice_kind kind);
    bool (*leave)(void *context, uint32_t location, uint64_t time);
    /* An event at the one end let the one at the other happen; both lie in the window. */
    bool (*link)(void *context, uint64_t number, const char *kind, uint32_t from, uint64_t from_time, uint32_t to,
                 uint64_t to_time);
};

/* Opens the executions, and finds the names of their functions. `command` is for the notes on standard error. NULL
 * after writing one line to error. */
struct trace_slices *trace_slices_open(const char *dir, bool salvage, const char *command, char *error,
                                       size_t error_size);
void trace_slices_close(struct trace_slices *slices);

/* ns from the first to the last event of the longest execution. */
double trace_slices_longest(const struct trace_slices *slices);

/* Names of slices, which are numbers for the sink; clean UTF-8. */
const char *const *trace_slices_names(const struct trace_slices *slices, uint32_t *count);

/* Tells all, once. False after writing one line to error. */
bool trace_slices_report(struct trace_slices *slices, const struct trace_window *window,
                         const struct trace_slice_sink *sink, char *error, size_t error_size);

#endif
