#include "reporters/page/page_json.h"

#include "reporters/base/json_list.h"
#include "reporters/base/sorted_indices.h"
#include "reporters/base/text.h"
#include "reporters/page/page_columns.h"
#include "reporters/page/page_text.h"
#include "reporters/report/report_common.h"
#include "reporters/report/report_counts.h"
#include "reporters/report/report_how.h"

#include "pcomp_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX   0x1p31 /* of time in the longest side: what is less than one is not told apart */
#define THREADS_MAX 500
#define NOT_SHOWN   UINT32_MAX

struct writing {
    const struct page_request *request;
    const struct page_tree *tree;
    uint32_t *number; /* by function of the page: index in the JSON; NOT_SHOWN */
    json_t *files;    /* names of source files; objects and functions refer to them by index */
    json_t *file_of;  /* index by name */
    double unit;      /* ns */
};

/* A whole number of nanoseconds; null where it is not known. */
static json_t *json_ns(double ns)
{
    return isfinite(ns) && fabs(ns) < 0x1p62 ? json_integer(llround(ns)) : json_null();
}

static json_t *json_text(const char *text, size_t max_size)
{
    char *clean = text ? page_text(text, max_size) : NULL;
    json_t *json = clean ? json_string(clean) : text ? NULL : json_null();
    free(clean);
    return json;
}

/* --- Functions ---------------------------------------------------------------------------------------------------- */

static json_t *json_file(struct writing *w, const char *file)
{
    if (!file)
        return json_null();
    json_t *known = json_object_get(w->file_of, file), *text;
    if (known)
        return json_integer(json_integer_value(known));
    size_t index = json_array_size(w->files);
    if (!(text = json_text(file, 400)) || json_array_append_new(w->files, text))
        return NULL;
    json_object_set_new(w->file_of, file, json_integer((json_int_t)index)); /* not UTF-8: it is listed again */
    return json_integer((json_int_t)index);
}

enum { FLAG_RESOLVED = 1, FLAG_EXACT = 2, FLAG_COUNTED = 4, FLAG_SUM = 8, FLAG_EXCEEDED = 16, FLAG_IN_PLACE = 32 };

/* What one profile says of a function, in the order that page_data.js names. */
static json_t *function_side(const struct writing *w, int side, const struct tree_function *f)
{
    if (!f)
        return json_null();
    double unit = w->tree->profiles[side]->spread_unit;
    int flags = (f->resolved ? FLAG_RESOLVED : 0) | (f->exact ? FLAG_EXACT : 0) | (f->counted ? FLAG_COUNTED : 0) |
                (f->sum ? FLAG_SUM : 0) | (report_exceeds(f, f->exclusive.compensated) ? FLAG_EXCEEDED : 0) |
                (f->in_place ? FLAG_IN_PLACE : 0);
    const struct tree_times *own = &f->exclusive, *all = &f->inclusive;
    return json_pack("[I,I,i,s?,o,o,o,o,o,o,o,o,o,o,o,I,o,o]", (json_int_t)f->calls,
                     (json_int_t)fmin((double)report_calls_uncertainty(f), 0x1p53), flags,
                     function_level_name(f->level), json_ns(own->compensated), json_ns(own->uncertainty),
                     json_ns(own->waiting), json_ns(own->ready), json_ns(all->compensated), json_ns(all->uncertainty),
                     json_ns(all->waiting), json_ns(all->ready), json_ns(own->raw), json_ns(all->raw), json_ns(f->max),
                     (json_int_t)f->open, json_ns(time_spread_quantile(f->spread, unit, 0.5, f->min, f->max)),
                     json_ns(time_spread_quantile(f->spread, unit, 0.99, f->min, f->max)));
}

static json_t *function_row(struct writing *w, const struct page_function *function)
{
    const struct tree_function *named = page_function_named(function);
    json_t *row = json_array(), *before;
    bool ok = row && !json_array_append_new(row, json_text(named->name, w->request->name_max)) &&
              !json_array_append_new(row, json_file(w, named->file)) &&
              !json_array_append_new(row, json_integer(named->line)) &&
              !json_array_append_new(row, named->file
                                              ? json_null()
                                              : json_text(named->module ? text_basename(named->module) : NULL, 100)) &&
              !json_array_append_new(row, function_side(w, 1, function->side[1]));
    if (ok && w->tree->profiles[0])
        ok = (before = function_side(w, 0, function->side[0])) && !json_array_append_new(row, before);
    if (ok)
        return row;
    json_decref(row);
    return NULL;
}

static double computing_of(const struct page_function *function)
{
    double greatest = -INFINITY;
    for (int s = 0; s < 2; s++)
        if (function->side[s])
            greatest = fmax(greatest, report_computing(&function->side[s]->exclusive));
    return greatest;
}

static int by_computing(const void *a, const void *b, void *context)
{
    const struct page_function *functions = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    double x = computing_of(&functions[i]), y = computing_of(&functions[j]);
    return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

static bool is_listed(const struct writing *w, uint32_t function)
{
    for (int s = 0; s < 2; s++) {
        const struct call_tree *profile = w->tree->profiles[s];
        const struct tree_function *f = w->tree->functions[function].side[s];
        if (f && report_is_listed(profile, (size_t)(f - profile->functions)))
            return true;
    }
    return false;
}

/* Marks what the call paths of the page need; then those that need no more than their row, the greatest first. */
static json_t *functions_json(struct writing *w, size_t *left_out)
{
    size_t count = w->tree->function_count, others = 0, depth = 0;
    uint32_t *order = sorted_indices(count, by_computing, w->tree->functions);
    bool *needed = calloc(count + 1, sizeof *needed);
    json_t *list = json_array();
    bool ok = order && needed && list;
    for (uint32_t at = 0; ok && at != PAGE_NONE && w->tree->node_count; at = page_tree_next(w->tree, at, &depth))
        if (w->tree->nodes[at].function != PAGE_NONE)
            needed[w->tree->nodes[at].function] = true;
    *left_out = 0;
    for (size_t i = 0; ok && i < count; i++) {
        bool listed = is_listed(w, order[i]), room = needed[order[i]] || others < w->request->functions_max;
        if (!needed[order[i]] && (!listed || !room)) {
            *left_out += listed;
            continue;
        }
        others += !needed[order[i]];
        w->number[order[i]] = (uint32_t)json_array_size(list);
        ok = !json_array_append_new(list, function_row(w, &w->tree->functions[order[i]]));
    }
    free(order);
    free(needed);
    if (ok)
        return list;
    json_decref(list);
    return NULL;
}

/* --- Call paths, depth first -------------------------------------------------------------------------------------- */

enum { NODE_UNKNOWN = 1, NODE_OPEN = 2 };

/* A sixteenth of a power of 2: within 2.2 %. 0: none. */
static int64_t uncertainty_code(double ns)
{
    return ns > 0 ? 1 + (int64_t)fmax(0, round(16 * log2(ns))) : 0;
}

struct node_columns {
    struct page_column up, function, calls, calls_before, flags;
    struct page_column exclusive[2], rest[2], waiting[2], uncertainty[2]; /* rest: inclusive less what is below it */
};

static int64_t units(const struct writing *w, double ns)
{
    return llround(ns / w->unit);
}

/* Inclusive times are sums: of the node's own, of its children, and of a rest that is 0 but where sums do not close. */
static int64_t *sums_below(const struct writing *w, int side)
{
    const struct page_tree *t = w->tree;
    int64_t *below = calloc(t->node_count + 1, sizeof *below);
    for (size_t i = 1; below && i < t->node_count; i++)
        if (!t->nodes[i].left_out)
            below[t->nodes[i].parent] += units(w, t->nodes[i].side[side].inclusive);
    return below;
}

static void node_side(struct node_columns *c, const struct writing *w, const struct page_node *n, int side,
                      int64_t below)
{
    const struct page_times *t = &n->side[side];
    int64_t own = units(w, t->exclusive);
    page_column_add(&c->exclusive[side], own - (side == 0 ? units(w, n->side[1].exclusive) : 0));
    page_column_add(&c->rest[side], units(w, t->inclusive) - own - below);
    page_column_add(&c->waiting[side], units(w, t->waiting));
    page_column_add(&c->uncertainty[side], uncertainty_code(t->uncertainty));
}

static bool columns_end(struct node_columns *c, json_t *nodes)
{
    bool ok = page_column_end(&c->up, nodes, "up");
    ok = page_column_end(&c->function, nodes, "function") && ok;
    ok = page_column_end(&c->calls, nodes, "calls") && ok;
    ok = page_column_end(&c->calls_before, nodes, "calls0") && ok;
    ok = page_column_end(&c->flags, nodes, "flags") && ok;
    for (int s = 0; s < 2; s++) {
        ok = page_column_end(&c->exclusive[s], nodes, s ? "exclusive1" : "exclusive0") && ok;
        ok = page_column_end(&c->rest[s], nodes, s ? "rest1" : "rest0") && ok;
        ok = page_column_end(&c->waiting[s], nodes, s ? "waiting1" : "waiting0") && ok;
        ok = page_column_end(&c->uncertainty[s], nodes, s ? "uncertainty1" : "uncertainty0") && ok;
    }
    return ok;
}

static json_t *nodes_json(struct writing *w)
{
    struct node_columns c = {0};
    bool compared = w->tree->profiles[0];
    size_t depth = 0, last = 0, count = 0;
    int64_t *below[2] = {sums_below(w, 0), sums_below(w, 1)};
    json_t *nodes = json_object();
    bool ok = nodes && below[0] && below[1];
    for (uint32_t at = 0; ok && at != PAGE_NONE && w->tree->node_count;) {
        const struct page_node *n = &w->tree->nodes[at];
        page_column_add(&c.up, count ? (int64_t)(last + 1 - depth) : 0);
        page_column_add(&c.function, n->function == PAGE_NONE ? 0 : 1 + (int64_t)w->number[n->function]);
        page_column_add(&c.calls, n->function == PAGE_NONE ? (int64_t)n->paths : llround(n->calls[1]));
        page_column_add(&c.calls_before, compared ? llround(n->calls[0]) : 0);
        page_column_add(&c.flags, (n->unknown ? NODE_UNKNOWN : 0) | (n->open ? NODE_OPEN : 0));
        for (int s = 0; s < 2; s++)
            node_side(&c, w, n, s, below[s][at]);
        last = depth;
        count++;
        at = page_tree_next(w->tree, at, &depth);
    }
    free(below[0]);
    free(below[1]);
    ok = columns_end(&c, nodes) && ok;
    ok = ok && !json_object_set_new(nodes, "count", json_integer((json_int_t)count)) &&
         !json_object_set_new(nodes, "unit", json_real(w->unit));
    if (ok)
        return nodes;
    json_decref(nodes);
    return NULL;
}

/* --- What ran ----------------------------------------------------------------------------------------------------- */

static json_t *totals_json(const struct tree_totals *t)
{
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "raw", json_ns(t->raw), "compensated", json_ns(t->compensated),
                     "uncertainty", json_ns(t->uncertainty), "waiting", json_ns(t->waiting), "ready", json_ns(t->ready),
                     "calls", t->calls_partial ? json_null() : json_integer((json_int_t)t->calls));
}

static json_t *threads_json(const struct call_tree *tree)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < tree->thread_count && i < THREADS_MAX; i++) {
        const struct tree_thread *t = &tree->threads[i];
        json_t *row = json_pack(
            "{s:o,s:i,s:i,s:o,s:b,s:b,s:b,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", json_text(t->name, 64), "pid",
            t->pid, "tid", t->tid, "rank", t->rank >= 0 ? json_integer(t->rank) : json_null(), "main", t->main, "live",
            t->live, "killed", t->killed, "calls", t->calls_partial ? json_null() : json_integer((json_int_t)t->calls),
            "raw", json_ns(t->raw), "compensated", json_ns(t->compensated), "uncertainty", json_ns(t->uncertainty),
            "waiting", tree->knows_waiting ? json_ns(t->waiting) : json_null(), "ready",
            tree->knows_waiting ? json_ns(t->ready) : json_null(), "wall", json_ns(t->wall), "creator",
            json_text(t->creator, 400));
        list = json_list_add(list, row);
    }
    return list;
}

static json_t *processes_json(const struct call_tree *tree)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < tree->process_count && i < THREADS_MAX; i++) {
        const struct tree_process *p = &tree->processes[i];
        json_t *row = json_pack("{s:i,s:o,s:o,s:b,s:b}", "pid", p->pid, "rank",
                                p->rank >= 0 ? json_integer(p->rank) : json_null(), "command",
                                json_text(p->command, 400), "live", p->live, "killed", p->killed);
        list = json_list_add(list, row);
    }
    return list;
}

static json_t *warnings_json(const struct call_tree *tree)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < tree->warning_count && i < THREADS_MAX; i++)
        list = json_list_add(list, json_text(tree->warnings[i], 1000));
    return list;
}

static const char *command_of(const struct call_tree *tree)
{
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].main && tree->processes[i].command)
            return tree->processes[i].command;
    return NULL;
}

static json_t *profile_json(const struct call_tree *tree, const char *dir)
{
    char how[REPORT_HOW];
    if (!tree)
        return json_null();
    return json_pack("{s:o,s:o,s:o,s:s,s:b,s:o,s:o,s:o,s:o,s:o,s:i,s:f,s:b}", "dir", json_text(dir, 400), "command",
                     json_text(command_of(tree), 400), "how", json_text(report_how(tree, how), REPORT_HOW), "model",
                     report_model_name(tree), "knows_waiting", tree->knows_waiting, "total", totals_json(&tree->total),
                     "all", totals_json(&tree->total_all_threads), "threads", threads_json(tree), "processes",
                     processes_json(tree), "warnings", warnings_json(tree), "thread_count", (int)tree->thread_count,
                     "samples", tree->how.stack_samples, "replayed", tree->how.replayed != NULL);
}

static double unit_of(const struct page_tree *tree)
{
    double greatest = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        for (int s = 0; s < 2; s++)
            greatest = fmax(greatest, fabs(tree->nodes[i].side[s].inclusive));
    return fmax(1, ceil(greatest / UNITS_MAX));
}

json_t *page_json(const struct page_request *request)
{
    const struct page_tree *tree = request->tree;
    struct writing w = {.request = request,
                        .tree = tree,
                        .number = malloc((tree->function_count + 1) * sizeof *w.number),
                        .files = json_array(),
                        .file_of = json_object(),
                        .unit = unit_of(tree)};
    size_t left_out = 0;
    json_t *functions = w.number && w.files && w.file_of ? functions_json(&w, &left_out) : NULL;
    json_t *nodes = functions ? nodes_json(&w) : NULL;
    const struct page_pruned *p = request->pruned;
    json_t *page = json_pack("{s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:{s:I,s:I,s:o,s:o,s:I}}", "schema", "pcomp-page/1",
                             "version", PCOMP_VERSION, "before", profile_json(tree->profiles[0], request->dirs[0]),
                             "after", profile_json(tree->profiles[1], request->dirs[1]), "files", json_incref(w.files),
                             "functions", functions, "nodes", nodes, "pruned", "paths", (json_int_t)p->paths,
                             "left_out", (json_int_t)p->left_out, "largest", json_ns(p->largest), "together",
                             json_ns(p->together), "functions", (json_int_t)left_out);
    json_decref(w.files);
    json_decref(w.file_of);
    free(w.number);
    return page;
}
