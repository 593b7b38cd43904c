/* check_profile EXPECTATIONS FILE...: holds profile files to the "expect" lines of EXPECTATIONS (the output of a test
 * program, see programs/expect.h) and to the laws that every profile obeys.
 *
 *   expect calls[@PID] NAME N     calls of a function, open ones included, in all files or in that of a process
 *   expect path[@PID] A>B>C N     the same for one call path
 *   expect open[@PID] NAME N      of these, not ended
 *   expect elapsed[@PID] NAME LOW HIGH   raw inclusive time of the outermost activations, ms
 *   expect compensated NAME LOW HIGH     compensated inclusive time of the ended activations, ms
 *   expect off NAME LOW HIGH      ms off the processor in the function itself; where calls are counted in place
 *   expect waiting NAME LOW HIGH, expect ready NAME LOW HIGH    of these, blocked or preempted
 *   expect KEY N                  KEY: uncertain abandoned unmatched backwards beyond lost late stopped inexact (0
 *                                 unless expected), processes threads records closed live switches paused_ms nodes
 * falls megabytes samples sampled_processes (those with sampled stacks) unsampled_processes (those that say why some
 * thread has none) other_samplers expect most KEY N, expect least KEY N expect named NAME N           threads of that
 * name expect native A>B TEXT        uninstrumented frames above path A>B contain TEXT (a symbol's name) expect counter
 * NAME LOW HIGH  raw inclusive count of the first --counters metric expect mode full|counts       whether every call
 * was timed, or counted in place expect nolaw                  jumps or signals: overhead need not equal its derived
 * form expect torn                   handlers jumped out of hooks: sums may lack what those were adding Of functions
 * that are filtered out no call is expected, and no path; of functions that are counted in place from some time on the
 * calls, but no path and no time, and at most what is expected of the keys of the shadow stack. Lines without "expect "
 * are ignored. Prints each miss; exit status 1 if there is one. */
#include "tests/instrument/activation_laws.h"
#include "tests/instrument/counted_laws.h"
#include "tests/support/elf_symbols.h"
#include "tests/support/path_terms.h"
#include "tests/support/profile_view.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum laws {
    LAWS_ALL,      /* no jumps and no signals: each event was one hook */
    LAWS_OF_SUMS,  /* jumps and signals: some calls have no hook of their own, but all that passed is there */
    LAWS_OF_BOUNDS /* handlers jumped out of hooks: nothing is there twice, what was being added may be missing */
};

static struct view *views;
static int view_count;
static int misses;

static __attribute__((format(printf, 1, 2))) void miss(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("MISS ");
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    misses++;
}

static uint64_t calls_of(const struct view_node *n)
{
    return n->record.calls + n->open;
}

static bool has_ancestor_named(const struct view *v, uint32_t i, const char *name)
{
    for (i = v->nodes[i].parent; i != VIEW_NONE; i = v->nodes[i].parent)
        if (!strcmp(v->nodes[i].name, name))
            return true;
    return false;
}

/* Whether the node's call path is `path`; the last name decides nearly always. */
static bool has_path(const struct view *v, uint32_t i, const char *path)
{
    const char *end = path + strlen(path);
    for (; i != VIEW_NONE && v->nodes[i].parent != VIEW_NONE; i = v->nodes[i].parent) {
        size_t length = strlen(v->nodes[i].name);
        if ((size_t)(end - path) < length || memcmp(end - length, v->nodes[i].name, length))
            return false;
        end -= length;
        if (end > path && *--end != '>')
            return false;
    }
    return end == path && i != VIEW_NONE;
}

enum what { CALLS, PATH_CALLS, OPEN, ELAPSED, COMPENSATED, COUNTER };

static double sum(enum what what, int pid, const char *name)
{
    double found = 0;
    for (int k = 0; k < view_count; k++) {
        bool counted = what == CALLS && (views[k].header.flags & PCOMP_FLAG_COUNTS);
        if (counted && (!pid || views[k].header.pid == pid))
            found += (double)counted_calls(&views[k], name);
        for (uint32_t i = 0; !counted && (!pid || views[k].header.pid == pid) && i < views[k].node_count; i++) {
            const struct view_node *n = &views[k].nodes[i];
            if (what == PATH_CALLS ? !has_path(&views[k], i, name) : strcmp(n->name, name) != 0)
                continue;
            if (what == CALLS || what == PATH_CALLS)
                found += (double)calls_of(n);
            else if (what == OPEN)
                found += (double)n->open;
            else if (what == COUNTER)
                found += (double)n->counter_raw[0];
            else if (what == COMPENSATED)
                found += (double)n->record.compensated / (1 << PCOMP_FIX_SHIFT) * view_ns(&views[k], 1) / 1e6;
            else if (!has_ancestor_named(&views[k], i, name))
                found += view_ns(&views[k], n->record.raw + n->open_raw) / 1e6;
        }
    }
    return found;
}

static const struct {
    const char *name;
    size_t thread_offset;
} thread_counters[] = {
    {"uncertain", offsetof(struct pcomp_thread, uncertain)},
    {"abandoned", offsetof(struct pcomp_thread, abandoned)},
    {"unmatched", offsetof(struct pcomp_thread, unmatched)},
    {"backwards", offsetof(struct pcomp_thread, backwards)},
    {"beyond", offsetof(struct pcomp_thread, beyond_depth)},
    {"switches", offsetof(struct pcomp_thread, stack_switches)},
};
#define THREAD_COUNTERS (sizeof(thread_counters) / sizeof(thread_counters[0]))

static double timed_calls(const struct view *v)
{
    double calls = 0;
    for (uint32_t i = 0; i < v->node_count; i++)
        calls += (double)v->nodes[i].record.calls;
    return calls;
}

static bool value_of(const char *key, double *value)
{
    *value = 0;
    for (size_t c = 0; c < THREAD_COUNTERS; c++)
        if (!strcmp(key, thread_counters[c].name)) {
            for (int k = 0; k < view_count; k++)
                for (uint32_t i = 0; i < views[k].thread_count; i++)
                    *value += (double)*(uint64_t *)((char *)&views[k].threads[i] + thread_counters[c].thread_offset);
            return true;
        }
    for (int k = 0; k < view_count; k++) {
        const struct pcomp_header *h = &views[k].header;
        if (!strcmp(key, "processes"))
            *value += 1;
        else if (!strcmp(key, "lost"))
            *value += (double)h->lost_calls;
        else if (!strcmp(key, "late"))
            *value += (double)h->late_calls;
        else if (!strcmp(key, "stopped"))
            *value = (double)((unsigned)*value | h->stopped);
        else if (!strcmp(key, "closed"))
            *value += h->state == PCOMP_STATE_CLOSED;
        else if (!strcmp(key, "live"))
            *value += h->state == PCOMP_STATE_LIVE;
        else if (!strcmp(key, "threads"))
            for (uint32_t i = 0; i < views[k].thread_count; i++)
                *value += (double)views[k].threads[i].threads;
        else if (!strcmp(key, "records"))
            *value += views[k].thread_count;
        else if (!strcmp(key, "nodes"))
            *value += views[k].node_count;
        else if (!strcmp(key, "megabytes"))
            *value += (double)h->used / (1 << 20);
        else if (!strcmp(key, "enters"))
            *value += h->site_enters;
        else if (!strcmp(key, "exits"))
            *value += h->site_exits;
        else if (!strcmp(key, "windows"))
            *value += (double)h->windows;
        else if (!strcmp(key, "falls"))
            *value += (double)h->level_falls;
        else if (!strcmp(key, "inexact"))
            *value += (double)counted_inexactly(&views[k]);
        else if (!strcmp(key, "samples"))
            *value += (double)h->samples;
        else if (!strcmp(key, "timed"))
            *value += timed_calls(&views[k]);
        else if (!strcmp(key, "sampled_processes"))
            *value += h->samples && views[k].weights;
        else if (!strcmp(key, "other_samplers"))
            *value += h->sampler != views[0].header.sampler;
        else if (!strcmp(key, "unsampled_processes"))
            *value += *h->sampler_why != 0;
        else if (!strcmp(key, "paused_ms"))
            for (uint32_t i = 0; i < views[k].thread_count; i++)
                *value += view_ns(&views[k], views[k].threads[i].paused_ticks) / 1e6;
        else
            return false;
    }
    return view_count > 0;
}

static void check_native(const char *path, const char *wanted)
{
    for (int k = 0; k < view_count; k++)
        for (uint32_t i = 0; i < views[k].node_count; i++) {
            uint64_t link = views[k].nodes[i].extra.native_link;
            if (!link || !has_path(&views[k], i, path))
                continue;
            const char *text = views[k].map + (link - views[k].header.base);
            printf("native %s: %s\n", path, text);
            if (!strncmp(text, wanted, strlen(wanted)))
                return;
        }
    miss("native %s %s", path, wanted);
}

/* --- laws ----------------------------------------------------------------------------------------------------------
 */

static int depth_of(const struct view *v, uint32_t i, int *depth)
{
    uint32_t from = i;
    int steps = 0;
    while (i != VIEW_NONE && depth[i] < 0) {
        steps++;
        i = v->nodes[i].parent;
    }
    int d = (i == VIEW_NONE ? -1 : depth[i]) + steps;
    for (int at = d; from != i; from = v->nodes[from].parent)
        depth[from] = at--;
    return d;
}

static int *sort_depth;
static int deepest_first(const void *a, const void *b)
{
    return sort_depth[*(const uint32_t *)b] - sort_depth[*(const uint32_t *)a];
}

static void check_law(const struct view *v, uint32_t i, const struct path_counts *counts, enum laws laws)
{
    const struct view_node *n = &v->nodes[i];
    struct pcomp_online_model model;
    bool folded = v->header.flags & PCOMP_FLAG_FOLD_RECURSION;
    if (n->parent == VIEW_NONE || n->open || n->inherited || (n->extra.flags & PCOMP_NODE_SKIPPED) ||
        n->extra.function_id == PCOMP_FUNCTION_BEYOND)
        return;
    if (!folded && laws != LAWS_OF_BOUNDS && !activations_have_mean(v, i))
        miss("law: %s: min %ld, mean %.1f, max %ld", view_path(v, i), n->record.min,
             (double)n->record.compensated / (double)n->record.calls, n->greatest);
    if (!folded && laws != LAWS_OF_BOUNDS && !activations_are_in_buckets(v, i))
        miss("law: %s: %lu activations, %lu in buckets", view_path(v, i), n->record.calls, n->in_buckets);
    if (laws != LAWS_ALL || folded)
        return;
    pcomp_model_init(&model, (enum pcomp_model)v->header.model, v->header.delta_start);
    int64_t derived = path_terms_total(path_terms_inclusive(&model, counts));
    int64_t taken = ((int64_t)n->record.raw << PCOMP_FIX_SHIFT) - n->record.compensated;
    if (derived != taken)
        miss("law: %s: %ld taken away, derived %ld (difference %ld, %lu calls)", view_path(v, i), taken, derived,
             taken - derived, n->record.calls);
}

static void check_laws(const struct view *v, enum laws laws)
{
    bool exact = laws == LAWS_ALL;
    uint32_t count = v->node_count;
    struct path_counts *counts = calloc(count + 1, sizeof(*counts));
    int *depth = malloc((count + 1) * sizeof(*depth));
    uint32_t *order = malloc((count + 1) * sizeof(*order));
    uint64_t *children_raw = calloc(count + 1, sizeof(*children_raw));
    double top = 0, exclusive = 0;
    if (!counts || !depth || !order || !children_raw)
        abort();
    memset(depth, -1, count * sizeof(*depth));
    for (uint32_t i = 0; i < count; i++) {
        depth_of(v, i, depth);
        order[i] = i;
    }
    sort_depth = depth;
    qsort(order, count, sizeof(*order), deepest_first);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = order[k];
        const struct view_node *n = &v->nodes[i];
        counts[i].self = pcomp_calls_of_node(n->record.calls, n->record.lookups, n->extra.slow_ticks,
                                             n->extra.flags & PCOMP_NODE_SKIPPED);
        uint64_t raw = n->record.raw + n->open_raw;
        exclusive += (double)n->exclusive.raw;
        if (depth[i] == 1)
            top += (double)n->record.raw;
        if (exact && !(v->header.flags & PCOMP_FLAG_FOLD_RECURSION) && depth[i] > 0 && children_raw[i] > raw &&
            n->extra.function_id != PCOMP_FUNCTION_BEYOND)
            miss("law: %s: %lu ticks, its children %lu", view_path(v, i), raw, children_raw[i]);
        check_law(v, i, &counts[i], laws);
        if (n->parent != VIEW_NONE) {
            children_raw[n->parent] += raw;
            path_calls_add(&counts[n->parent].children, &counts[i].self);
            path_calls_add(&counts[n->parent].descendants, &counts[i].self);
            path_calls_add(&counts[n->parent].descendants, &counts[i].descendants);
        }
    }
    if ((v->header.flags & PCOMP_FLAG_FOLD_RECURSION) && v->header.state == PCOMP_STATE_CLOSED && exact &&
        top != exclusive)
        miss("law: exclusive times sum to %.0f ticks, root activations to %.0f", exclusive, top);
    uint32_t unfinished = 0;      /* threads that may have been creating a node when seen last */
    uint64_t lives = 0, slow = 0; /* ticks */
    unsigned last = 0;
    for (uint32_t k = 0; k < v->thread_count; k++) {
        last += (v->threads[k].flags & PCOMP_THREAD_LAST) != 0;
        unfinished += !v->threads[k].end_tick;
        lives += v->threads[k].end_tick - v->threads[k].start_tick;
    }
    for (uint32_t i = 0; i < count; i++)
        slow += v->nodes[i].extra.slow_ticks;
    if (last != (v->header.state == PCOMP_STATE_CLOSED)) /* in programs whose threads are all measured */
        miss("law: %u threads ended the process", last);
    if ((v->header.flags & PCOMP_FLAG_COUNTS) && v->header.own_seconds > 0 && v->header.own_seconds < 0.1 &&
        v->header.delta_exit[PCOMP_VARIANT_REPEAT].repetitions)
        miss("law: calibrated at the exit of %.3f s", v->header.own_seconds);
    if (!unfinished && slow > lives)
        miss("law: new call paths took %lu ticks of threads that lived %lu", slow, lives);
    if (v->header.node_count > count || v->header.node_count + unfinished < count)
        miss("law: header says %lu nodes, there are %u", v->header.node_count, count);
    free(counts);
    free(depth);
    free(order);
    free(children_raw);
}

/* --- expectations ---------------------------------------------------------------------------------------------- */

#define ZERO_KEYS 9
static bool strict[] = {[0 ... ZERO_KEYS - 1] = true};
static const char *const zero_keys[ZERO_KEYS] = {"uncertain", "abandoned", "unmatched", "backwards", "beyond",
                                                 "lost",      "late",      "stopped",   "inexact"};
static const char *const stack_keys[] = {"uncertain", "abandoned", "unmatched", "beyond",
                                         "switches",  "nodes",     "threads"};

static bool any_flag(const char *path, uint32_t flag)
{
    for (int k = 0; k < view_count; k++)
        if (path ? counted_flag_on_path(&views[k], path, flag) : counted_flag(&views[k], NULL, flag))
            return true;
    return false;
}

/* Functions without frames: what is said of the shadow stack is an upper bound, and no lower one. */
static bool has_frames(const char *key)
{
    bool of_stack = false;
    for (size_t i = 0; i < sizeof(stack_keys) / sizeof(stack_keys[0]); i++)
        of_stack |= !strcmp(key, stack_keys[i]);
    return !of_stack || !any_flag(NULL, PCOMP_FUNCTION_COUNTED | PCOMP_FUNCTION_OFF);
}

static void check_key(const char *relation, const char *key, double wanted)
{
    double found;
    for (size_t i = 0; i < ZERO_KEYS; i++)
        if (!strcmp(key, zero_keys[i]))
            strict[i] = false;
    if (!has_frames(key)) {
        if (*relation == 'l')
            return;
        relation = "most";
    }
    if (!value_of(key, &found))
        miss("nothing known of '%s'", key);
    else if ((!*relation && found != wanted) || (*relation == 'm' && found > wanted) ||
             (*relation == 'l' && found < wanted))
        miss("%s %s %.0f, found %.0f", relation, key, wanted, found);
}

static bool is_as_expected(enum what what, const char *name, double found, double wanted)
{
    bool is_main = !strcmp(name, "main"); /* it may be called before the sites of its module are known */
    if (what == CALLS && any_flag(name, PCOMP_FUNCTION_OFF))
        return is_main ? found <= wanted : found == 0;
    if (what == CALLS) /* what is sampled lacks the calls that are estimated */
        return any_flag(name, PCOMP_FUNCTION_SAMPLED) ? found <= wanted : found == wanted;
    if (any_flag(name, PCOMP_FUNCTION_COUNTED | PCOMP_FUNCTION_OFF))
        return true;
    /* what a function without frames calls is called by its caller */
    return found == wanted || (found > wanted && any_flag(NULL, PCOMP_FUNCTION_COUNTED | PCOMP_FUNCTION_OFF));
}

static bool check_line(char *line, enum laws *laws)
{
    char kind[64], name[400], more[100];
    double a = 0, b = 0;
    int pid = 0;
    if (strncmp(line, "expect ", 7))
        return true;
    line += 7;
    if (!strncmp(line, "nolaw", 5) || !strncmp(line, "torn", 4)) {
        *laws = line[0] == 'n' ? LAWS_OF_SUMS : LAWS_OF_BOUNDS;
        return true;
    }
    if (sscanf(line, "mode %63s", name) == 1) {
        for (int k = 0; k < view_count; k++)
            if (strcmp(name, views[k].header.flags & PCOMP_FLAG_COUNTS ? "counts" : "full"))
                miss("%s is not of mode %s", views[k].path, name);
        return true;
    }
    if (sscanf(line, "most %63s %lf", name, &a) == 2) {
        check_key("most", name, a);
        return true;
    }
    if (sscanf(line, "least %63s %lf", name, &a) == 2) {
        check_key("least", name, a);
        return true;
    }
    if (sscanf(line, "native %399s %99s", name, more) == 2) {
        check_native(name, more);
        return true;
    }
    if (sscanf(line, "named %399s %lf", name, &a) == 2) {
        double found = 0;
        for (int k = 0; k < view_count; k++)
            for (uint32_t i = 0; i < views[k].thread_count; i++)
                if (!strcmp(views[k].threads[i].name, name))
                    found += (double)views[k].threads[i].threads;
        if (found != a)
            miss("named %s %.0f, found %.0f", name, a, found);
        return true;
    }
    int fields = sscanf(line, "%63s %399s %lf %lf", kind, name, &a, &b);
    char *at = strchr(kind, '@');
    if (at) {
        pid = atoi(at + 1);
        *at = 0;
    }
    bool elapsed = !strcmp(kind, "elapsed"), compensated = !strcmp(kind, "compensated");
    if ((elapsed || compensated || !strcmp(kind, "counter")) && fields == 4) {
        double found = sum(elapsed ? ELAPSED : compensated ? COMPENSATED : COUNTER, pid, name);
        if ((found < a || found > b) && !any_flag(name, PCOMP_FUNCTION_COUNTED))
            miss("%s@%d %s %.3f to %.3f, found %.3f", kind, pid, name, a, b, found);
        return true;
    }
    enum counted_off off = kind[0] == 'w' ? COUNTED_WAITING : kind[0] == 'r' ? COUNTED_READY : COUNTED_OFF;
    if ((!strcmp(kind, "off") || !strcmp(kind, "waiting") || !strcmp(kind, "ready")) && fields == 4) {
        bool known = true;
        double found = 0;
        for (int k = 0; k < view_count; k++) {
            known &= (views[k].header.flags & PCOMP_FLAG_COUNTS) != 0;
            found += counted_off_cpu(&views[k], name, off);
        }
        if (known && (found < a || found > b) && !any_flag(name, PCOMP_FUNCTION_COUNTED | PCOMP_FUNCTION_OFF))
            miss("%s %s %.3f to %.3f, found %.3f", kind, name, a, b, found);
        return true;
    }
    enum what what = !strcmp(kind, "path") ? PATH_CALLS : !strcmp(kind, "open") ? OPEN : CALLS;
    if ((what != CALLS || !strcmp(kind, "calls")) && fields == 3) {
        double found = sum(what, pid, name);
        if (!is_as_expected(what, name, found, a))
            miss("%s@%d %s %.0f, found %.0f", kind, pid, name, a, found);
        return true;
    }
    if (fields == 2) {
        check_key("", kind, atof(name));
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    enum laws laws = LAWS_ALL;
    char line[1000];
    if (argc < 3) {
        fprintf(stderr, "usage: check_profile EXPECTATIONS FILE...\n");
        return 2;
    }
    FILE *f = fopen(argv[1], "r");
    views = calloc((size_t)argc, sizeof(*views));
    if (!f || !views) {
        perror(argv[1]);
        return 2;
    }
    for (; view_count < argc - 2; view_count++)
        views[view_count] = view_load(argv[view_count + 2]);
    while (fgets(line, sizeof(line), f))
        if (!check_line(line, &laws))
            miss("not understood: %s", line);
    for (size_t i = 0; i < ZERO_KEYS; i++)
        if (strict[i])
            check_key("", zero_keys[i], 0);
    for (int k = 0; k < view_count; k++) {
        bool fell = counted_flag(&views[k], NULL, PCOMP_FUNCTION_COUNTED); /* frames lost their times */
        bool priced = views[k].header.samples > 0 && !(views[k].header.flags & PCOMP_FLAG_COUNTS); /* while it ran */
        check_laws(&views[k], fell ? LAWS_OF_BOUNDS : priced && laws == LAWS_ALL ? LAWS_OF_SUMS : laws);
        if ((views[k].header.flags & PCOMP_FLAG_COUNTS) && laws != LAWS_OF_BOUNDS)
            counted_laws(&views[k], laws == LAWS_ALL, miss);
        if (views[k].header.flags & PCOMP_FLAG_COUNTS)
            counted_off_laws(&views[k], laws == LAWS_ALL && !fell, miss);
    }
    return misses != 0;
}
