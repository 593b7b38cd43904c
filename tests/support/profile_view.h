/* A profile file read by the tests' own plain reader: walks the chunks as profiler/format/profile_format.h describes
 * them, checks them, and resolves names. Not thread-safe. */
#ifndef PCOMP_TEST_PROFILE_VIEW_H
#define PCOMP_TEST_PROFILE_VIEW_H

#include "profiler/format/profile_format.h"

#include <stdbool.h>
#include <stddef.h>

#define VIEW_NONE          UINT32_MAX
#define FRAME_NOT_MEASURED UINT64_MAX

struct view_node {
    struct pcomp_node record;
    struct pcomp_node_extra extra;
    struct pcomp_node_exclusive exclusive; /* PCOMP_FLAG_FOLD_RECURSION */
    int64_t counter_raw[PCOMP_COUNTERS_MAX];
    struct pcomp_node_off_cpu off_cpu; /* PCOMP_FLAG_COUNTS */
    uint64_t link;
    uint32_t thread, parent; /* indices; VIEW_NONE for the parent of a root */
    const char *name;
    int64_t greatest;    /* compensated inclusive of one activation, fixed-point */
    uint64_t in_buckets; /* activations in struct pcomp_spread */
    uint64_t open;       /* activations that have not ended, inherited ones left out */
    uint64_t inherited;  /* open ones that the parent of a fork counts */
    uint64_t open_raw;   /* ticks of both kinds so far */
};

struct view_function {
    const char *name;
    uint32_t flags;          /* enum pcomp_function_flags */
    uint64_t calls, inexact; /* PCOMP_FLAG_COUNTS: of all threads' own counters; of counters that threads share */
};

struct view {
    const char *map;
    size_t size;
    struct pcomp_header header;
    struct pcomp_thread *threads;
    uint32_t thread_count;
    struct view_node *nodes;
    uint32_t node_count;
    struct view_function *functions; /* by id */
    uint32_t function_count;
    uint64_t in_no_bucket; /* activations that memory was not used for, all threads */
    uint64_t weights;      /* periods that sampled stacks stand for, all threads */
    char path[4096];
};

/* Reads `path`; a file that breaks a rule of the format ends the program with a message and status 1. */
struct view view_load(const char *path);
void view_free(struct view *v);

/* "main>f>g" for a node; [root] is left out. Valid until the next call. */
const char *view_path(const struct view *v, uint32_t node);

/* Whether the thread of this index has not ended, as far as its record tells. */
bool view_is_unfinished(const struct view *v, uint32_t thread);

/* Nanoseconds of `ticks`. */
double view_ns(const struct view *v, uint64_t ticks);

#endif
