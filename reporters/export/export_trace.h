/* Other tools' formats of traces: the executions of a data directory as slices and links, told to a writer one by one.
 * Memory grows with locations and functions, not with events. */
#ifndef PCOMP_EXPORT_TRACE_H
#define PCOMP_EXPORT_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct export_window { /* ns since the beginning of an execution */
    double from, to;   /* slices are cut there */
    double least;      /* shorter slices are left out; 0: none */
    const char *asked; /* from as it was given; NULL: not */
};

/* Processes have numbers of their own, because those of the measured and the approximated execution are the same. */
struct export_location {
    uint32_t pid, tid;               /* from 1; tid over all processes of one execution */
    const char *process_name, *name; /* clean UTF-8 */
    bool first;                      /* of its process */
};

enum export_category { EXPORT_FUNCTION, EXPORT_OPERATION };

/* Locations are numbered over all executions. Times are ns, and do not step back in a location, but those of links.
 * False: out of memory. */
struct export_trace_writer {
    void *context;
    /* Names of slices are numbers; all are told first. */
    bool (*begin)(void *context, FILE *out, const char *directory, const char *const *names, uint32_t count);
    bool (*location)(void *context, uint32_t location, const struct export_location *about);
    bool (*enter)(void *context, uint32_t location, uint64_t time, uint32_t name, enum export_category category);
    bool (*leave)(void *context, uint32_t location, uint64_t time);
    /* An event at the one end let the one at the other happen; both lie in the window. */
    bool (*link)(void *context, uint64_t number, const char *kind, uint32_t from, uint64_t from_time, uint32_t to,
                 uint64_t to_time);
    bool (*end)(void *context);
    void (*close)(void *context); /* also after a failure, once */
};

/* Writes the file; "-" is standard output. Returns the exit status, after a message where it is not STATUS_DONE. */
int export_trace(const char *dir, bool salvage, const struct export_window *window, const char *path,
                 const struct export_trace_writer *writer);

/* Chrome's Trace Event Format (JSON), and Perfetto's own format. */
int export_chrome(const char *dir, bool salvage, const struct export_window *window, const char *path);
int export_perfetto(const char *dir, bool salvage, const struct export_window *window, const char *path);

#endif
