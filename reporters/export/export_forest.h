/* The call paths of a profile as other tools see them: a tree for each thread, of frames. Uninstrumented frames between
 * a function and its caller (--native-frames) are frames like others. */
#ifndef PCOMP_EXPORT_FOREST_H
#define PCOMP_EXPORT_FOREST_H

#include "reporters/export/export.h"

#define EXPORT_NONE UINT32_MAX
/* A path deeper than this is written without its middle where a format has whole paths: it is quadratic in depth. */
#define EXPORT_DEPTH 1024

struct export_frame {
    char *name;                           /* clean UTF-8 */
    const struct tree_function *function; /* NULL: of native frames, or "[calls left out]" */
};

struct export_node {
    uint32_t parent; /* index in nodes; EXPORT_NONE: outermost of its thread */
    uint32_t frame;
    const struct tree_node *node; /* NULL: of a native frame, which has no time of its own */
};

struct export_thread {
    const struct tree_process *process; /* NULL: of all */
    const struct tree_thread *thread;   /* NULL: of all, what counting in place cost */
    char *process_name;                 /* "shop (pid 12)", "rank 3 (pid 12)" */
    char *name;                         /* "worker (tid 13)"; "[all threads]" */
    uint32_t first, count;              /* its nodes, in depth-first order: parents before their children */
};

struct export_forest {
    struct export_frame *frames; /* those of functions first, in the order of tree.functions */
    size_t frame_count, frame_room;
    struct export_node *nodes;
    size_t node_count, node_room;
    struct export_thread *threads; /* those with calls or time, in the order of tree.threads */
    size_t thread_count;
    uint32_t left_out; /* frame "[calls left out]" */
};

/* Of a tree that was loaded by thread, which must outlive the forest. False: out of memory. */
bool export_forest_make(struct export_forest *forest, const struct call_tree *tree);
void export_forest_free(struct export_forest *forest);

/* Counts what all nodes have below zero, also those that no thread lists: their time is a cost that none of them has.
 */
void export_forest_clamps(const struct export_forest *forest, const struct export_request *request,
                          struct export_result *result);

/* Frames of the path to a node, outermost first, into path (EXPORT_DEPTH + 1 of them); returns how many. A longer path
 * has the frame left_out in place of its middle; *left_out: how many are missing. */
size_t export_forest_path(const struct export_forest *forest, uint32_t node, uint32_t *path, size_t *left_out);

#endif
