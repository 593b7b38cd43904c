/* What of an annotation is shown: which functions, and of each the lines with times in their surroundings. */
#ifndef PCOMP_LISTING_H
#define PCOMP_LISTING_H

#include "reporters/annotate/annotation.h"
#include "reporters/annotate/source_text.h"

struct listing_row {
    unsigned number;                   /* of the line; 0: lines were left out here */
    const struct annotated_line *line; /* NULL: no sample hit it */
    const char *source;                /* NULL: not to be had */
};

struct listing {         /* of one function */
    const char *file;    /* of its lines; NULL unknown */
    bool missing, newer; /* the source is not there; is newer than the run */
    struct listing_row *rows;
    size_t count;
    const struct annotated_line **inlined; /* code of others that is inlined, most computing first */
    size_t inlined_count;
    struct source_text text;
};

/* The lines of function `function` that samples hit, and `context` lines around each. False: out of memory. */
bool listing_make(struct listing *listing, const struct annotation *annotation, uint32_t function, unsigned context);
void listing_free(struct listing *listing);

/* Functions that `wanted` names, by name or by file, the most computing first; NULL: those that have `least` of all
 * computing, at most `most`. malloc'ed, *count of them; NULL: out of memory. */
uint32_t *listing_choose(const struct annotation *annotation, const char *wanted, double min, size_t max,
                         size_t *count);

#endif
