/* A report for tools and assistants: one sentence, the functions that matter, the notes; some 2,000 tokens at most. */
#ifndef PCOMP_REPORT_BRIEF_H
#define PCOMP_REPORT_BRIEF_H

#include "reporters/report/report_common.h"

#include <stdio.h>

#define BRIEF_BYTES 6000 /* at most: some 2,000 tokens */

/* Plain text, a line a function, tabs between the fields. Returns an exit status. */
int report_brief(FILE *out, const struct call_tree *tree, const struct report_options *options);

#endif
