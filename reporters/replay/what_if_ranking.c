#include "reporters/replay/what_if_ranking.h"

#include "compensation/numeric/delta.h"
#include "reporters/base/message.h"
#include "reporters/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIED_MAX = 12 };
#define UNRECORDED                                                                                                     \
    " were counted and not recorded: they are in no row, and their time is in their callers' own code (pcomp record "  \
    "--trace --trace-all records every call)"
#define SPEED     2.0
#define SHARE_NOT 0.005 /* of all own time: a function of less is not tried */

struct candidate {
    uint32_t function;
    double own;           /* ns, all locations */
    int64_t approximated; /* fixed-point ticks: T_a with it faster */
};

/* Ticks that a location computes in each function: inclusive times less those of callees and of waits. */
static bool add_own(const struct path_tree *tree, uint32_t process, struct trace_functions *functions, double *own)
{
    for (uint32_t n = PATH_BEYOND + 1; n < tree->node_count; n++) {
        const struct path_node *node = &tree->nodes[n];
        uint32_t number = trace_functions_find(functions, process, node->function);
        if (number == UINT32_MAX)
            return false;
        own[number] += (double)node->approximated;
        for (uint32_t w = node->waits; w != PATH_NONE; w = tree->waits[w].next)
            own[number] -= (double)tree->waits[w].approximated / (1 << PCOMP_FIX_SHIFT);
        if (node->parent > PATH_BEYOND)
            own[trace_functions_find(functions, process, tree->nodes[node->parent].function)] -=
                (double)node->approximated;
    }
    return true;
}

static int by_own(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->own < y->own ? 1 : x->own > y->own ? -1 : (x->function > y->function) - (x->function < y->function);
}

static int by_gain(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->approximated != y->approximated
               ? (x->approximated > y->approximated) - (x->approximated < y->approximated)
               : by_own(a, b);
}

/* The functions to try, those with most own time first; of calls that were not recorded it is not known. Returns how
 * many; *all: own time of all, ns. -1: no memory. */
static int find_candidates(const struct replay_job *job, const struct replay_outcome *outcome,
                           struct candidate *candidates, double *all)
{
    uint32_t count = trace_functions_count(job->functions);
    double *own = calloc((size_t)count + 1, sizeof *own);
    struct candidate *found = calloc((size_t)count + 1, sizeof *found);
    bool good = own && found;
    int tried = 0;
    for (uint32_t i = 0; good && i < job->traces.count; i++)
        good = add_own(&outcome->trees[i], job->traces.locations[i].process, job->functions, own);
    *all = 0;
    for (uint32_t i = 0; good && i < count; i++) {
        found[i] = (struct candidate){.function = i, .own = own[i] * job->traces.tick_ns};
        *all += own[i] > 0 ? found[i].own : 0;
        if (job->what_if.unrecorded[i])
            found[i].own = 0;
    }
    if (good)
        qsort(found, count, sizeof *found, by_own);
    while (good && tried < TRIED_MAX && (uint32_t)tried < count && found[tried].own > SHARE_NOT * *all) {
        candidates[tried] = found[tried];
        tried++;
    }
    free(own);
    free(found);
    return good ? tried : -1;
}

static void note_unrecorded(const struct replay_job *job, struct emitter *emitter)
{
    char names[256] = "";
    size_t used = 0;
    uint32_t more = 0;
    for (uint32_t i = 0; i < job->what_if.count; i++) {
        const char *name = trace_functions_name(job->functions, i);
        if (!job->what_if.unrecorded[i])
            continue;
        if (used + strlen(name) + 2 < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
        else
            more++;
    }
    if (more)
        emitter_note(emitter, "calls of %s and %u more functions" UNRECORDED, names, more);
    else if (used)
        emitter_note(emitter, "calls of %s" UNRECORDED, names);
}

static int print_ranking(const struct replay_job *job, const struct candidate *candidates, int count, double all,
                         double without, enum emit_format format)
{
    static const struct emit_column columns[] = {
        {"function", NULL, NULL, EMIT_NAME, 0},           {"own_time", "own code", "time", EMIT_TIME, 0},
        {"share", "own code", "share", EMIT_SHARE, 0},    {"approximated", "twice as fast", "T_a", EMIT_TIME, 0},
        {"gain", "twice as fast", "gain", EMIT_SHARE, 0}, {NULL, NULL, "function", EMIT_NAME, 0},
    };
    double fixed_ns = job->traces.tick_ns / (1 << PCOMP_FIX_SHIFT);
    char text[TEXT_NUMBER];
    struct emitter *emitter = emitter_open(format, stdout, "pcomp-what-if/1");
    if (!emitter)
        return message_no_memory("replay");
    emitter_field_real(emitter, "without", without * fixed_ns);
    emitter_text(emitter, "%s: T_a %s; each function's own code twice as fast, one at a time", job->dir,
                 text_time(text, without * fixed_ns));
    emitter_text(emitter, "%s", "");
    emitter_table(emitter, "functions", columns, sizeof columns / sizeof *columns, false);
    for (int i = 0; i < count; i++) {
        const char *name = trace_functions_name(job->functions, candidates[i].function);
        emitter_row(emitter);
        emit_name(emitter, name);
        emit_time(emitter, candidates[i].own);
        emit_share(emitter, all > 0 ? candidates[i].own / all : NAN);
        emit_time(emitter, (double)candidates[i].approximated * fixed_ns);
        emit_share(emitter, without > 0 ? 1 - (double)candidates[i].approximated / without : NAN);
        emit_name(emitter, name);
        emitter_row_end(emitter);
    }
    emitter_table_end(emitter);
    note_unrecorded(job, emitter);
    return emitter_close(emitter);
}

int what_if_ranking(struct replay_job *job, enum emit_format format)
{
    struct candidate candidates[TRIED_MAX];
    struct replay_outcome outcome;
    double all, without = 0;
    int count = 0, status = replay_job_total(job, NULL, &outcome);
    if (!status) {
        without = (double)outcome.result.approximated;
        count = find_candidates(job, &outcome, candidates, &all);
        status = count < 0 ? message_no_memory("replay") : STATUS_DONE;
    }
    replay_outcome_free(&outcome, job->traces.count);
    for (int i = 0; !status && i < count; i++) {
        job->what_if.factors[candidates[i].function] = 1 / SPEED;
        status = replay_job_total(job, &job->what_if, &outcome);
        candidates[i].approximated = outcome.result.approximated;
        job->what_if.factors[candidates[i].function] = 1;
        replay_outcome_free(&outcome, job->traces.count);
    }
    if (status)
        return status;
    qsort(candidates, (size_t)count, sizeof *candidates, by_gain);
    return print_ranking(job, candidates, count, all, without, format);
}
