/* A profile at one moment, while its programs run. Reading does not disturb them: the files are copied. */
#ifndef PCOMP_LIVE_SNAPSHOT_H
#define PCOMP_LIVE_SNAPSHOT_H

#include "reporters/tree/call_edges.h"
#include "reporters/tree/call_tree.h"

struct live_snapshot {
    struct call_tree *tree;
    struct call_edges edges; /* made when they are asked for */
    bool has_edges;
    double taken;           /* CLOCK_MONOTONIC, seconds */
    double real;            /* CLOCK_REALTIME, seconds */
    size_t running, killed; /* processes */
};

struct live_source {
    const char *dir;
    int process, thread; /* 0: all */
    int names;           /* enum name_form */
};

/* NULL after writing one line to error. */
struct live_snapshot *live_snapshot_take(const struct live_source *source, char *error, size_t error_size);
void live_snapshot_free(struct live_snapshot *snapshot);

/* False: out of memory. */
bool live_snapshot_edges(struct live_snapshot *snapshot);

#endif
