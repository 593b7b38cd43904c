/* What comparing runs needs whatever their number: which functions are the same, and how a change is told. */
#ifndef PCOMP_DIFF_MATCH_H
#define PCOMP_DIFF_MATCH_H

#include "reporters/base/emitter.h"
#include "reporters/tree/call_tree.h"

enum diff_format { DIFF_TEXT, DIFF_JSON, DIFF_CSV, DIFF_MARKDOWN, DIFF_GITHUB };
#define DIFF_FORMATS "text|json|csv|markdown|github" /* in this order */

struct diff_options {
    uint64_t limit;    /* UINT64_MAX: not given */
    double fail_above; /* percent; below 0: not asked */
    int format;        /* enum diff_format */
};

/* Functions with calls or time, sorted by call_tree_match; malloc'ed. NULL: out of memory. */
const struct tree_function **diff_functions(const struct call_tree *tree, size_t *count);

/* "+12.3 %", into TEXT_NUMBER bytes; "-" where `before` is not above its uncertainty, or so small that a percentage
 * says nothing. */
char *diff_relative(char *text, double change, double before, double uncertainty);

/* A note where the runs are of programs of different names, or of different arguments. */
void diff_programs_note(struct emitter *emitter, const char *before, const char *after);

/* The command line of the main process, "" where it is not known. */
const char *diff_program(const struct call_tree *tree);

/* The same as text: true where they differ. malloc'ed text, NULL: they do not, or out of memory. */
char *diff_programs(const char *before, const char *after);

#endif
