#include "reporters/live/live_snapshot.h"

#include "reporters/report/report_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct live_snapshot *live_snapshot_take(const struct live_source *source, char *error, size_t error_size)
{
    struct call_tree_options options = {.process = source->process,
                                        .thread = source->thread,
                                        .rank = -1,
                                        .model = -1,
                                        .names = (enum name_form)source->names};
    struct live_snapshot *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, error_size, "%s: out of memory", source->dir);
        return NULL;
    }
    s->taken = clock_seconds(CLOCK_MONOTONIC);
    s->real = clock_seconds(CLOCK_REALTIME);
    s->tree = report_read(source->dir, &options, error, error_size);
    if (!s->tree) {
        if (!*error)
            snprintf(error, error_size, "%s: its traces cannot be read", source->dir);
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < s->tree->process_count; i++) {
        s->running += s->tree->processes[i].live;
        s->killed += s->tree->processes[i].killed;
    }
    return s;
}

void live_snapshot_free(struct live_snapshot *s)
{
    if (!s)
        return;
    if (s->has_edges)
        call_edges_free(&s->edges);
    call_tree_free(s->tree);
    free(s);
}

bool live_snapshot_edges(struct live_snapshot *s)
{
    s->has_edges = s->has_edges || call_edges_make(&s->edges, s->tree);
    return s->has_edges;
}
