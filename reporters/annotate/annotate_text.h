/* An annotation for people. */
#ifndef PCOMP_ANNOTATE_TEXT_H
#define PCOMP_ANNOTATE_TEXT_H

#include "reporters/annotate/annotation.h"

#include <stdio.h>

/* Exit status, after a message where it is not 0. */
int annotate_text(const struct annotation *annotation, const uint32_t *functions, size_t count, unsigned context,
                  FILE *out);

#endif
