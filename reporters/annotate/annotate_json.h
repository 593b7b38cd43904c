/* An annotation as JSON: of `pcomp annotate --format json`, and of a page. */
#ifndef PCOMP_ANNOTATE_JSON_H
#define PCOMP_ANNOTATE_JSON_H

#include "reporters/annotate/annotation.h"

#include <jansson.h>

/* Of the functions in the list. `context`: lines around each that samples hit. NULL: out of memory. */
json_t *annotate_json(const struct annotation *annotation, const uint32_t *functions, size_t count, unsigned context);

#endif
