/* The data of a page as JSON, which its script reads (page_data.js). */
#ifndef PCOMP_PAGE_JSON_H
#define PCOMP_PAGE_JSON_H

#include "reporters/page/page_prune.h"

#include <jansson.h>

struct page_request {
    const struct page_tree *tree;
    const struct page_pruned *pruned;
    const char *dirs[2];  /* one profile: [1] alone */
    size_t functions_max; /* of those that no call path of the page has */
    size_t name_max;      /* bytes of a name; longer ones lose their middle */
};

/* NULL: out of memory. */
json_t *page_json(const struct page_request *request);

#endif
