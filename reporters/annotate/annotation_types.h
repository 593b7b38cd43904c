/* Lines, calls and functions of an annotation (annotation.h). */
#ifndef PCOMP_ANNOTATION_TYPES_H
#define PCOMP_ANNOTATION_TYPES_H

#include "compensation/estimate/sample_split.h"
#include "reporters/tree/build/text_pool.h"
#include "reporters/tree/call_edges.h"

struct annotated_time {
    struct pcomp_sample_sums samples;
    struct pcomp_sampled_time time; /* ns */
};

struct annotated_call { /* of a function, at a line */
    uint32_t callee;    /* function of the tree */
    bool inlined;       /* in a sample its code stood in that of the caller */
    uint64_t calls;     /* of the callee by this function, at all of its lines; 0: not known */
    uint32_t lines;     /* of this function at which samples hit such calls */
    struct annotated_time inclusive;
    uint32_t next; /* call at the same line: index in calls; UINT32_MAX none */
    uint64_t seen; /* by the last sample of this number */
};

struct annotated_line {
    uint32_t function; /* of the tree: whose code it is, or into which the code is inlined */
    bool inlined;      /* code of a function that the profile does not know: its time is also that of the line of
                        * `function` where it is inlined */
    const char *name;  /* of that function, linkage name; NULL unknown */
    const char *file;  /* NULL unknown */
    unsigned line;
    struct annotated_time own, inclusive; /* computing; without and with what it calls */
    uint32_t first_call;                  /* index in calls; UINT32_MAX none */
    uint64_t seen;
};

struct annotated_function {
    struct pcomp_sample_sums own, inclusive;
    size_t first, count; /* its lines */
    uint64_t seen;
};

struct annotation {
    const struct call_tree *tree;
    struct annotated_line *lines; /* by function, then file and line */
    size_t line_count;
    struct annotated_call *calls;
    size_t call_count, call_room;
    struct annotated_function *functions; /* by function of the tree */
    uint32_t *order;                      /* functions, the most computing first */
    size_t order_count;
    double samples;  /* that hit a function of the tree */
    uint64_t ran_ns; /* CLOCK_REALTIME when the last process began; 0 unknown */
    char *note;      /* why lines are missing; NULL nothing */
    struct text_pool texts;
};

#endif
