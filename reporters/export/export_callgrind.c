/* Callgrind's profile format: KCachegrind, callgrind_annotate. A function's cost is its exclusive time;
 * a call's cost is the callee's inclusive time under this caller, without recursion (call_edges.h), so that the
 * inclusive column of callgrind_annotate is ours. Calls that were counted in place, whose callers are not known, have
 * the caller [counting in place] and cost nothing. Threads begin in a function [root], which costs nothing itself. The
 * file's total is the sum of the costs in it. */
#include "reporters/base/sorted_indices.h"
#include "reporters/base/text.h"
#include "reporters/export/export.h"
#include "reporters/report/report_how.h"
#include "reporters/tree/call_edges.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Texts that are given a number: written as "(number) text" once and as "(number)" later. */
struct numbered {
    const char **texts; /* per function: module, or file */
    uint32_t *numbers;  /* per function, from 1 */
    bool *written;      /* by number */
};

struct callgrind {
    const struct export_request *request;
    struct export_result *result;
    FILE *out;
    struct numbered modules, files, names;
    struct callgrind_cost *costs; /* exclusive, per function */
    bool no_memory;
};

struct callgrind_cost {
    struct export_times times;
    uint64_t calls;
};

static void cost_add(struct callgrind_cost *sum, const struct callgrind_cost *part)
{
    sum->times.time += part->times.time;
    sum->times.computing += part->times.computing;
    sum->times.waiting += part->times.waiting;
    sum->times.raw += part->times.raw;
    sum->calls += part->calls;
}

/* In the order of `events:`, to the end of the line. */
static void callgrind_cost(const struct callgrind *export, struct callgrind_cost cost)
{
    fprintf(export->out, " %" PRIu64, cost.times.time);
    if (export->request->tree->knows_waiting)
        fprintf(export->out, " %" PRIu64 " %" PRIu64, cost.times.computing, cost.times.waiting);
    if (!export->request->raw)
        fprintf(export->out, " %" PRIu64, cost.times.raw);
    fprintf(export->out, " %" PRIu64 "\n", cost.calls);
}

static void callgrind_events(const struct callgrind *export)
{
    FILE *out = export->out;
    bool raw = export->request->raw, waiting = export->request->tree->knows_waiting;
    fprintf(out, "event: ns : %s time, ns\n", raw ? "Raw" : "Compensated");
    if (waiting)
        fputs("event: computing : Computing, ns\nevent: waiting : Waiting, ns\n", out);
    if (!raw)
        fputs("event: raw : Raw time, ns\n", out);
    fputs("event: calls : Calls\n", out);
    fprintf(out, "events: ns%s%s calls\n", waiting ? " computing waiting" : "", raw ? "" : " raw");
}

static int text_order(const void *a, const void *b, void *texts)
{
    const char *const *list = texts;
    return strcmp(list[*(const uint32_t *)a], list[*(const uint32_t *)b]);
}

/* Equal texts get equal numbers. texts has one of each function and is owned from here. */
static bool numbered_make(struct numbered *numbered, const char **texts, size_t count)
{
    uint32_t *order = texts ? sorted_indices(count, text_order, texts) : NULL;
    *numbered = (struct numbered){texts, calloc(count + 1, sizeof(uint32_t)), calloc(count + 2, sizeof(bool))};
    if (!order || !numbered->numbers || !numbered->written) {
        free(order);
        return false;
    }
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(texts[order[i]], texts[order[i - 1]]) != 0)
            number++;
        numbered->numbers[order[i]] = number;
    }
    free(order);
    return true;
}

static void numbered_free(struct numbered *numbered)
{
    free(numbered->texts);
    free(numbered->numbers);
    free(numbered->written);
}

static void callgrind_name(struct callgrind *export, const char *key, struct numbered *numbered, uint32_t function)
{
    uint32_t number = numbered->numbers[function];
    if (numbered->written[number]) {
        fprintf(export->out, "%s=(%u)\n", key, number);
        return;
    }
    char *clean = text_clean(numbered->texts[function]);
    export->no_memory |= !clean;
    fprintf(export->out, "%s=(%u) %s\n", key, number, clean ? clean : "");
    free(clean);
    numbered->written[number] = true;
}

static bool callgrind_prepare(struct callgrind *export)
{
    const struct call_tree *tree = export->request->tree;
    size_t count = tree->function_count;
    const char **modules = calloc(count + 1, sizeof *modules), **files = calloc(count + 1, sizeof *files),
               **names = calloc(count + 1, sizeof *names);
    export->costs = calloc(count + 1, sizeof *export->costs);
    for (size_t i = 0; modules && files && names && i < count; i++) {
        const struct tree_function *function = &tree->functions[i];
        modules[i] = function->module ? function->module : "???";
        files[i] = function->file ? function->file : "???";
        names[i] = function->name;
    }
    bool good = numbered_make(&export->modules, modules, count);
    good = numbered_make(&export->files, files, count) && good;
    return numbered_make(&export->names, names, count) && good && export->costs;
}

static void callgrind_head(struct callgrind *export, struct callgrind_cost total)
{
    FILE *out = export->out;
    char clamped[200];
    fprintf(out, "# callgrind format\nversion: 1\ncreator: pcomp\n");
    char *command = text_clean(export_command(export->request));
    export->no_memory |= !command;
    fprintf(out, "cmd: %s\n", command ? command : "");
    free(command);
    char line[REPORT_HOW], *how = text_clean(report_how(export->request->tree, line));
    export->no_memory |= !how;
    fprintf(out, "desc: How: %s\n", how ? how : "");
    free(how);
    fprintf(out, "desc: Times: %s\n", export->request->raw ? "raw, with the measurement" : "compensated");
    if (export_clamp_text(export->result, clamped, sizeof clamped))
        fprintf(out, "desc: Note: %s\n# %s\n", clamped, clamped);
    fputs("positions: line\n", out);
    callgrind_events(export);
    fputs("summary:", out);
    callgrind_cost(export, total);
    putc('\n', out);
}

static bool callgrind_is_root(const struct call_tree *tree, uint32_t function)
{
    return tree->node_count && function == tree->nodes[0].function;
}

/* The function whose module and file a call is written from. */
static uint32_t callgrind_place(const struct call_tree *tree, const struct call_edge *edge)
{
    return callgrind_is_root(tree, edge->caller) ? edge->callee : edge->caller;
}

static struct tree_times edge_times(const struct call_edge *edge)
{
    return (struct tree_times){
        .raw = edge->raw, .compensated = edge->compensated, .waiting = edge->waiting, .ready = edge->ready};
}

/* Before the head, which tells of them. */
static void count_clamped_calls(struct callgrind *export, const struct call_edges *edges)
{
    for (size_t i = 0; i < edges->count; i++) {
        struct tree_times times = edge_times(&edges->list[i]);
        export_call_times(export->request, &times, export->result);
    }
}

static void callgrind_call(struct callgrind *export, const struct call_edge *edge)
{
    const struct call_tree *tree = export->request->tree;
    if (!edge->calls)
        return;
    struct tree_times times = edge_times(edge);
    struct callgrind_cost cost = {export_call_times(export->request, &times, &(struct export_result){0}),
                                  edge->calls_within};
    /* Left out where it is the caller's: callgrind_annotate shortens paths of callers only, and would see two files. */
    uint32_t place = callgrind_place(tree, edge);
    if (export->modules.numbers[edge->callee] != export->modules.numbers[place])
        callgrind_name(export, "cob", &export->modules, edge->callee);
    if (export->files.numbers[edge->callee] != export->files.numbers[place])
        callgrind_name(export, "cfi", &export->files, edge->callee);
    callgrind_name(export, "cfn", &export->names, edge->callee);
    fprintf(export->out, "calls=%" PRIu64 " %u\n%u", edge->calls, tree->functions[edge->callee].line,
            tree->functions[edge->caller].line);
    callgrind_cost(export, cost);
}

/* Where threads begin: a function [root] in the file of each function that they begin with. */
static void callgrind_root(struct callgrind *export, const struct call_edges *edges, uint32_t root)
{
    for (size_t at = call_edges_of_caller(edges, root); at < edges->count && edges->list[at].caller == root; at++) {
        if (!edges->list[at].calls)
            continue;
        callgrind_name(export, "ob", &export->modules, edges->list[at].callee);
        callgrind_name(export, "fl", &export->files, edges->list[at].callee);
        callgrind_name(export, "fn", &export->names, root);
        putc('0', export->out);
        callgrind_cost(export, (struct callgrind_cost){0});
        callgrind_call(export, &edges->list[at]);
        putc('\n', export->out);
    }
}

/* Calls that were counted in place, as if the function that stands for their cost had made them. */
static bool callgrind_counted(struct callgrind *export, uint32_t function)
{
    const struct call_tree *tree = export->request->tree;
    if (!function || function != tree->counting.function)
        return false;
    callgrind_name(export, "ob", &export->modules, function);
    callgrind_name(export, "fl", &export->files, function);
    callgrind_name(export, "fn", &export->names, function);
    putc('0', export->out);
    callgrind_cost(export, (struct callgrind_cost){0});
    for (uint32_t i = 0; i < tree->function_count; i++) {
        uint64_t calls = tree->functions[i].in_place;
        if (calls)
            callgrind_call(export,
                           &(struct call_edge){.caller = function, .callee = i, .calls = calls, .calls_within = calls});
    }
    putc('\n', export->out);
    return true;
}

/* Exclusive; of a function that was only counted later, what it took until then. */
static struct callgrind_cost callgrind_own(struct callgrind *export, uint32_t function)
{
    const struct call_tree *tree = export->request->tree;
    const struct tree_function *f = &tree->functions[function];
    const struct tree_times *times = f->counted ? &f->before : &f->exclusive;
    if (callgrind_is_root(tree, function) || (function && function == tree->counting.before))
        return (struct callgrind_cost){0};
    return (struct callgrind_cost){export_times(export->request, times, export->result), f->calls};
}

static void callgrind_function(struct callgrind *export, const struct call_edges *edges, uint32_t function)
{
    size_t at = call_edges_of_caller(edges, function);
    if (callgrind_is_root(export->request->tree, function)) {
        callgrind_root(export, edges, function);
        return;
    }
    if (callgrind_counted(export, function) ||
        (!export->costs[function].calls && !export->costs[function].times.time && at == edges->count))
        return;
    callgrind_name(export, "ob", &export->modules, function);
    callgrind_name(export, "fl", &export->files, function);
    callgrind_name(export, "fn", &export->names, function);
    fprintf(export->out, "%u", export->request->tree->functions[function].line);
    callgrind_cost(export, export->costs[function]);
    for (; at < edges->count && edges->list[at].caller == function; at++)
        callgrind_call(export, &edges->list[at]);
    putc('\n', export->out);
}

bool export_callgrind(const struct export_request *request, FILE *out, struct export_result *result)
{
    const struct call_tree *tree = request->tree;
    struct callgrind export = {.request = request, .result = result, .out = out};
    struct call_edges edges = {NULL, 0, NULL};
    bool good = callgrind_prepare(&export) && call_edges_make(&edges, tree);
    if (good) {
        struct callgrind_cost total = {0};
        for (size_t i = 0; i < tree->function_count; i++) {
            export.costs[i] = callgrind_own(&export, (uint32_t)i);
            cost_add(&total, &export.costs[i]);
        }
        count_clamped_calls(&export, &edges);
        callgrind_head(&export, total);
        for (size_t i = 0; i < tree->function_count; i++)
            callgrind_function(&export, &edges, (uint32_t)i);
    }
    call_edges_free(&edges);
    numbered_free(&export.modules);
    numbered_free(&export.files);
    numbered_free(&export.names);
    free(export.costs);
    return good && !export.no_memory;
}
