/* The timeline of a page: the executions of a data directory with traces, as many of the longest slices as a page
 * holds, and what locations waited in all. */
#ifndef PCOMP_PAGE_TIMELINE_H
#define PCOMP_PAGE_TIMELINE_H

#include <jansson.h>
#include <stdbool.h>

#define TIMELINE_SLICES_MAX 20000u
#define TIMELINE_LINKS_MAX  2000u

/* An object, or null where there is no trace; NULL: out of memory. What cannot be read is said on standard error. */
json_t *page_timeline(const char *dir, bool salvage);

#endif
