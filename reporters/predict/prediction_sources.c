/* Where the frequencies of a prediction come from: an earlier profile, or the program's functions alone. */
#include "reporters/base/message.h"
#include "reporters/calibrate/call_prices.h"
#include "reporters/filter/filter_match.h"
#include "reporters/filter/hooked_functions.h"
#include "reporters/filter/loaded_libraries.h"
#include "reporters/filter/module_sites.h"
#include "reporters/predict/prediction.h"
#include "reporters/symbols/demangle.h"

#include "profiler/format/profile_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text, bool *good)
{
    char *copy = text ? strdup(text) : NULL;
    *good &= !text || copy;
    return copy;
}

static bool is_filtered(const struct predict_request *request, const char *linkage, const char *file,
                        const char *module)
{
    const struct filter_function function = {.name = (char *)linkage, .file = (char *)file};
    return !filter_keeps(&function, module ? module : "", request->only, request->skip);
}

/* Bytes of a node in the profile of a mode. */
static double node_bytes(enum pcomp_predicted_mode mode)
{
    double bytes = sizeof(struct pcomp_node) + sizeof(struct pcomp_node_extra);
    return bytes + (mode == PCOMP_PREDICT_AUTO ? sizeof(struct pcomp_node_off_cpu) : 0);
}

static double profile_bytes(enum pcomp_predicted_mode mode, size_t paths, size_t threads)
{
    if (mode == PCOMP_PREDICT_TRACE)
        return NAN;
    return (double)sizeof(struct pcomp_header) + (double)paths * node_bytes(mode) +
           (double)threads * (4096 + 64 * (sizeof(struct pcomp_frame) + sizeof(struct pcomp_frame_pending)));
}

/* --- An earlier profile ------------------------------------------------------------------------------------------- */

/* Whether the profile was measured in the mode: then its costs are known, and need not be calibrated anew. */
static bool is_same_mode(const struct call_tree *tree, int mode)
{
    static const char *const modes[] = {
        [PCOMP_PREDICT_AUTO] = "auto", [PCOMP_PREDICT_FULL] = "full", [PCOMP_PREDICT_TRACE] = "replayed"};
    return !strcmp(tree->mode, modes[mode]);
}

/* The prices that a profile of the same mode has. */
static void prices_of_tree(struct prediction *p, const struct call_tree *tree)
{
    p->prices.counted = tree->counting.price;
    p->prices.timed = tree->delta[PCOMP_VARIANT_LOOKUP].descendant;
    p->prices.recorded = tree->delta[PCOMP_VARIANT_REPEAT].descendant;
    p->prices.filtered = tree->delta[PCOMP_VARIANT_SKIP].descendant;
    p->prices.allowance = INFINITY; /* its rows have prices; and a replay has recorded calls alone */
}

static double price_of(const struct prediction *p, const struct call_tree *tree, const struct tree_cost *row,
                       bool filtered, bool same)
{
    if (same && row->filtered == filtered && row->calls > 0)
        return (pcomp_cost_total(&row->cost) - row->cost.of[PCOMP_COST_NEW_PATHS]) / row->calls;
    if (filtered)
        return p->prices.filtered;
    return pcomp_predicted_calls(&p->prices, p->mode, row->calls, tree->threads[row->thread].compensated) / row->calls;
}

static bool copy_functions(struct prediction *p, const struct call_tree *tree, const struct predict_request *request)
{
    bool good = true, asked = request->only->count || request->skip->count;
    for (size_t f = 0; f < tree->function_count; f++) {
        const struct tree_function *from = &tree->functions[f];
        struct predicted_function *to = &p->functions[f];
        to->name = copy_of(from->name, &good);
        to->file = copy_of(from->file, &good);
        to->module = copy_of(from->module, &good);
        to->filtered = asked && is_filtered(request, from->linkage_name, from->file, from->module);
    }
    p->function_count = tree->function_count;
    for (size_t i = 0; !asked && i < tree->cost_count; i++) /* as it was recorded */
        p->functions[tree->costs[i].function].filtered |= tree->costs[i].filtered;
    return good;
}

static void copy_threads(struct prediction *p, const struct call_tree *tree, double once, bool same)
{
    for (size_t t = 0; t < tree->thread_count; t++) {
        struct predicted_thread *to = &p->threads[t];
        const struct tree_thread *from = &tree->threads[t];
        *to = (struct predicted_thread){.pid = from->pid, .tid = from->tid, .own = from->compensated};
        memcpy(to->name, from->name, sizeof to->name);
        if (from->first && !same)
            to->once = once;
    }
    p->thread_count = tree->thread_count;
    for (size_t i = 0; same && i < tree->process_count; i++)
        for (size_t t = 0; t < tree->thread_count; t++)
            if (tree->threads[t].first && tree->threads[t].pid == tree->processes[i].pid) {
                p->threads[t].once += tree->processes[i].startup + tree->processes[i].closing;
                break;
            }
}

bool prediction_from_tree(struct prediction *p, const struct call_tree *tree, const struct predict_request *request)
{
    double once = 0;
    bool same = is_same_mode(tree, request->mode);
    *p = (struct prediction){
        .from = PREDICT_PROFILE,
        .mode = (enum pcomp_predicted_mode)request->mode,
        .functions = calloc(tree->function_count + 1, sizeof *p->functions),
        .threads = calloc(tree->thread_count + 1, sizeof *p->threads),
        .rows = calloc(tree->cost_count + 1, sizeof *p->rows),
        .decoded = true,
        .memory = profile_bytes((enum pcomp_predicted_mode)request->mode, tree->node_count, tree->thread_count)};
    if (!p->functions || !p->threads || !p->rows || !copy_functions(p, tree, request)) {
        message_no_memory("predict");
        return false;
    }
    if (same)
        prices_of_tree(p, tree);
    else if (!call_prices_measure(p->mode, &p->prices, &once))
        return false;
    p->prices.limit = request->limit;
    copy_threads(p, tree, once, same);
    for (size_t i = 0; i < tree->cost_count; i++) {
        const struct tree_cost *row = &tree->costs[i];
        struct predicted_thread *thread = &p->threads[row->thread];
        if (p->mode != PCOMP_PREDICT_TRACE)
            thread->once += row->cost.of[PCOMP_COST_NEW_PATHS];
        if (row->calls > 0)
            p->rows[p->row_count++] =
                (struct predicted_row){row->function, row->thread, row->calls,
                                       price_of(p, tree, row, p->functions[row->function].filtered, same)};
        else
            thread->once += same ? pcomp_cost_total(&row->cost) - row->cost.of[PCOMP_COST_NEW_PATHS] : 0;
    }
    prediction_sum(p);
    return true;
}

/* --- The program alone -------------------------------------------------------------------------------------------- */

struct gathering {
    struct prediction *prediction;
    const struct predict_request *request;
    double calls; /* of each function */
    bool want_files, good;
};

/* The library of the measurement itself, which calls no hooks but defines them. */
static bool is_ours(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !strncmp(slash ? slash + 1 : path, "libpcomp", 8);
}

static void gather_module(void *context, const char *path)
{
    struct gathering *g = context;
    struct prediction *p = g->prediction;
    struct filter_functions functions;
    bool decoded;
    if (!g->good || is_ours(path) || !module_sites_any(path))
        return;
    g->good = hooked_functions_read(&functions, path, g->want_files, &decoded);
    if (!g->good)
        return;
    p->decoded &= decoded;
    size_t count = p->function_count + functions.count;
    struct predicted_function *list = reallocarray(p->functions, count + 1, sizeof *list);
    if (list)
        p->functions = list;
    struct predicted_row *rows = list ? reallocarray(p->rows, count + 1, sizeof *rows) : NULL;
    if (rows)
        p->rows = rows;
    g->good = list && rows;
    for (size_t i = 0; g->good && i < functions.count; i++) {
        const struct filter_function *from = &functions.list[i];
        bool filtered = is_filtered(g->request, from->name, from->file, path);
        char *readable = demangle(from->name, NAMES_SHORT);
        p->rows[p->row_count++] = (struct predicted_row){
            .function = (uint32_t)p->function_count,
            .calls = g->calls,
            .price = filtered ? p->prices.filtered
                              : pcomp_predicted_calls(&p->prices, p->mode, g->calls, p->threads[0].own) / g->calls};
        p->functions[p->function_count++] =
            (struct predicted_function){.name = copy_of(readable ? readable : from->name, &g->good),
                                        .file = copy_of(from->file, &g->good),
                                        .module = copy_of(path, &g->good),
                                        .filtered = filtered};
        free(readable);
    }
    filter_functions_free(&functions);
}

static bool names_files(const struct option_list *patterns)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (!strncmp(patterns->texts[i], "file:", 5))
            return true;
    return false;
}

bool prediction_from_program(struct prediction *p, const char *program, const struct predict_request *request)
{
    double once;
    *p = (struct prediction){.from = PREDICT_STATIC,
                             .mode = (enum pcomp_predicted_mode)request->mode,
                             .threads = calloc(1, sizeof *p->threads),
                             .thread_count = 1,
                             .decoded = true};
    struct gathering g = {.prediction = p,
                          .request = request,
                          .calls = PCOMP_STATIC_USER_CALLS,
                          .want_files = names_files(request->only) || names_files(request->skip),
                          .good = p->threads};
    if (!g.good) {
        message_no_memory("predict");
        return false;
    }
    p->threads[0].own = 1e9; /* of one second: how long it will run is not known, nor how often a path is new */
    if (!call_prices_measure(p->mode, &p->prices, &once))
        return false;
    p->prices.limit = request->limit;
    gather_module(&g, program);
    g.calls = PCOMP_STATIC_LIBRARY_CALLS;
    loaded_libraries_each(program, gather_module, &g);
    if (!g.good) {
        message_no_memory("predict");
        return false;
    }
    if (!p->function_count) {
        message_failure("%s: has no instrumented function (build it with the arguments that pcomp flags prints)",
                        program);
        return false;
    }
    p->memory = profile_bytes(p->mode, p->function_count, 1);
    prediction_sum(p);
    return true;
}
