/* A comparison for the people who review a change: a table in Markdown, and annotations for GitHub's actions.
 *
 * Names of functions are data: they stand in code spans, and are escaped in annotations. */
#ifndef PCOMP_DIFF_MARKDOWN_H
#define PCOMP_DIFF_MARKDOWN_H

#include "reporters/diff/diff_match.h"

#include <stdio.h>

struct diff_line { /* nanoseconds */
    const char *name, *file;
    unsigned line;
    double values[2], halves[2]; /* before and after, with ±; NAN: not in this run */
    double change, half;
    double share;     /* of the first total */
    bool significant; /* of a function that was tested */
    bool failed;      /* grew past --fail-above */
};

struct diff_document {
    const char *sides[2]; /* what was run, how often */
    struct diff_line total;
    const struct diff_line *lines; /* in the order to show */
    size_t count;
    const char *rule; /* what significant means */
    char **notes;
    size_t note_count;
};

/* Writes to out; an exit status. */
int diff_markdown_write(FILE *out, const struct diff_document *document, bool github);

#endif
