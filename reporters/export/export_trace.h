/* Other tools' formats of traces. */
#ifndef PCOMP_EXPORT_TRACE_H
#define PCOMP_EXPORT_TRACE_H

#include "reporters/trace/trace_slices.h"

#include <stdio.h>

struct export_window {
    struct trace_window window;
    const char *asked; /* `from` as it was given; NULL: not */
};

/* A sink's context, and what comes before and behind its events. False: out of memory. */
struct export_trace_writer {
    struct trace_slice_sink sink;
    bool (*begin)(void *context, FILE *out, const char *directory, const char *const *names, uint32_t count);
    bool (*end)(void *context);
    void (*close)(void *context); /* also after a failure, once, if it began */
};

/* Writes the file; "-" is standard output. Returns the exit status, after a message where it is not STATUS_DONE. */
int export_trace(const char *dir, bool salvage, const struct export_window *window, const char *path,
                 const struct export_trace_writer *writer);

/* Chrome's Trace Event Format (JSON), and Perfetto's own format. */
#define EXPORT_TRACE_FORMATS(FORMAT) FORMAT(perfetto) FORMAT(chrome)
#define EXPORT_TRACE_FUNCTION(name)                                                                                    \
    int export_##name(const char *dir, bool salvage, const struct export_window *window, const char *path);
EXPORT_TRACE_FORMATS(EXPORT_TRACE_FUNCTION)

#endif
