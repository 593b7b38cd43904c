/* Writes the page of a profile, or of two compared: one HTML file that needs no network and no other file. */
#ifndef PCOMP_PAGE_WRITE_H
#define PCOMP_PAGE_WRITE_H

#include "reporters/tree/call_tree.h"

#include <jansson.h>

#define PAGE_BYTES_MAX 2000000u /* of a page: beyond that, call paths of small shares are left out */
#define PAGE_PATHS_MAX 100000u

struct page_subject {
    const struct call_tree *before, *after; /* before: NULL for one profile */
    const char *dirs[2];                    /* of before and after */
    json_t *sources;                        /* annotated source (annotate_json.h), borrowed; NULL none */
    json_t *timeline;                       /* of its traces (page_timeline.h), borrowed; NULL none */
};

/* Exit status, after a message where it is not 0. */
int page_write(const struct page_subject *subject, const char *path);

#endif
