/* The first half of a liberal approximation (1991 §4, §4.4): from measured traces and their conservative approximation
 * to traces in which the units of a loop are where a known schedule puts them, for a second replay.
 *
 * Units are the outermost activations of one function; a phase of the loop has the locations with one common end: a
 * barrier, or the joins of threads that were all created before the first join. Units move
 * within a process. Memory is bounded by the events of one phase. */
#ifndef PCOMP_LIBERAL_REMAP_H
#define PCOMP_LIBERAL_REMAP_H

#include "reporters/liberal/liberal_phase.h"

struct liberal_option {
    char function[256];
    struct schedule schedule;
    const char *text; /* as given: "step=dynamic"; NULL: the approximation is a conservative one */
};

/* FUNCTION=dynamic[:CHUNK]|guided[:CHUNK]|static[:CHUNK]. False: is none. text is kept. */
bool liberal_option_parse(const char *text, struct liberal_option *option);

/* Re-maps the traces `measured`, whose conservative approximation lies in the directory `conservative`, into the
 * directory `to`, which exists, and opens what it has written as *remapped: its times are rank 0's, all else is that of
 * `measured`, which must outlive it. False after writing to error. In both cases liberal_remap_close. */
bool liberal_remap(const struct trace_directory *measured, struct trace_functions *functions, const char *conservative,
                   const struct liberal_option *option, const char *to, struct trace_directory *remapped,
                   struct liberal_counts *counts, char *error, size_t error_size);
void liberal_remap_close(struct trace_directory *remapped);

#endif
