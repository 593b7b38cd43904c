/* The executions that a data directory stands for: the measured one and, after `pcomp replay`, the approximated ones
 * (DIR/replay says of what; where bounds differ they are DIR/lower, DIR/model and DIR/upper). */
#ifndef PCOMP_TRACE_EXECUTIONS_H
#define PCOMP_TRACE_EXECUTIONS_H

#include "reporters/trace/trace_directory.h"

enum { TRACE_EXECUTIONS_MAX = 4 };

struct trace_execution {
    char title[120]; /* "measured", "approximated, event-based", "approximated, lower bound", ... */
    bool approximated;
    struct trace_directory traces;
};

struct trace_executions {
    struct trace_execution list[TRACE_EXECUTIONS_MAX]; /* the measured one first, where it is there */
    uint32_t count;
    char missing[512]; /* one line: why the measured, or the approximated, execution is not among them; "" nothing */
};

/* Opens all of them. False after writing one line to error. */
bool trace_executions_open(const char *path, bool salvage, struct trace_executions *executions, char *error,
                           size_t error_size);

/* Says on standard error what is missing, and what could not be read. */
void trace_executions_note(const struct trace_executions *executions, const char *command);
void trace_executions_close(struct trace_executions *executions);

#endif
