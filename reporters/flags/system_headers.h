/* The directories in which a compiler looks for headers of its own accord, as gcc's option that keeps their functions
 * out of instrumentation. */
#ifndef PCOMP_SYSTEM_HEADERS_H
#define PCOMP_SYSTEM_HEADERS_H

#include "reporters/flags/compiler_probe.h"

/* "-finstrument-functions-exclude-file-list=DIR/,DIR/", malloc'ed; NULL where none can be named.
 *
 * gcc leaves out files whose name contains one of the texts, wherever in it. So directories end with a slash; those
 * that CC's arguments name (-I) are not in the list, nor is one whose name is part of the working directory's, where
 * the sources of the program may lie: a message says so. What contains another text of the list is redundant. */
char *system_headers_exclusion(const struct compiler *compiler);

#endif
