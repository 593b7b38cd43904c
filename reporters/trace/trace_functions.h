/* Names of the functions in traces: the same function has one number in all processes of all directories looked at,
 * whatever its address there. Not thread-safe. */
#ifndef PCOMP_TRACE_FUNCTIONS_H
#define PCOMP_TRACE_FUNCTIONS_H

#include "reporters/trace/trace_directory.h"

struct trace_functions;

/* NULL: out of memory. */
struct trace_functions *trace_functions_open(void);
void trace_functions_close(struct trace_functions *functions);

/* Adds the processes of a directory, with the modules that their profile files list; a process whose profile cannot
 * be read has addresses for names. Returns the number of its first process here, UINT32_MAX: out of memory. */
uint32_t trace_functions_add(struct trace_functions *functions, const struct trace_directory *directory);

/* Number of the function that an ENTER in a process (first process + index in its directory) has as its value.
 * UINT32_MAX: out of memory. */
uint32_t trace_functions_find(struct trace_functions *functions, uint32_t process, uint64_t value);

/* Finds all functions of a directory, whose first process is `process`, and its first and last tick (0 without events).
 * Reads all traces; their files are at their first records then, as before. False after writing to error. */
bool trace_functions_gather(struct trace_functions *functions, uint32_t process, struct trace_directory *directory,
                            uint64_t *first, uint64_t *last, char *error, size_t error_size);

/* Sets counted[number], of `count`, of functions whose calls a process counted in place, from some time on. False: out
 * of memory. */
bool trace_functions_mark_counted(struct trace_functions *functions, bool *counted, uint32_t count);

/* How many there are: numbers lie below it. */
uint32_t trace_functions_count(const struct trace_functions *functions);

/* Finds the names of all functions found so far. False: out of memory. `warn` gets one line for each module whose
 * names are missing or doubtful. */
bool trace_functions_resolve(struct trace_functions *functions, void (*warn)(void *context, const char *text),
                             void *context);

/* Command line of a process, words separated by spaces: as it was run, not quoted. malloc'ed; NULL: not known. */
char *trace_functions_command(const struct trace_functions *functions, uint32_t process);

/* After trace_functions_resolve. Valid until the next one, or close. */
const char *trace_functions_name(const struct trace_functions *functions, uint32_t function);

#endif
