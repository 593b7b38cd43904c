/* Chrome's Trace Event Format (JSON), which Perfetto opens: the executions of a data directory, not its profile. */
#ifndef PCOMP_EXPORT_CHROME_H
#define PCOMP_EXPORT_CHROME_H

#include <stdbool.h>

/* Writes the file; "-" is standard output. Returns the exit status, after a message where it is not STATUS_DONE.
 *
 * Processes are processes, the measured ones above the approximated ones; locations are threads; functions and the
 * operations in which a location may wait are B and E events, links (trace_links.h) flows. Times are microseconds since
 * the beginning of the execution, with nanoseconds behind the point. Streamed: memory does not depend on the length. */
int export_chrome(const char *dir, bool salvage, const char *path);

#endif
