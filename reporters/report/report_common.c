#include "reporters/report/report_common.h"

#include "compensation/numeric/t_quantile.h"
#include "reporters/base/message.h"
#include "reporters/base/scratch_dir.h"
#include "reporters/base/terminal.h"
#include "reporters/base/text.h"
#include "reporters/profile/replay_info.h"
#include "reporters/replay/traced_profile.h"
#include "reporters/tree/merge/widen_times.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_SHOWN   20 /* rows of a table in text */
#define CREATOR_COLUMNS 48

static struct call_tree *read_tree(const char *dir, const struct call_tree_options *options, char *error, size_t size)
{
    struct replay_info replay;
    struct call_tree *tree = call_tree_load(dir, options, error, size);
    if (tree && replay_info_read(dir, &replay) && replay.uncertainty > 0)
        widen_times_by(tree, &(struct widen_replayed){replay.uncertainty, replay.removal, replay.outside});
    return tree;
}

struct call_tree *report_read(const char *dir, const struct call_tree_options *options, char *error, size_t size)
{
    char *scratch = NULL;
    *error = 0;
    struct call_tree *tree = NULL;
    if (!traced_profile_make(dir, options->salvage, &scratch))
        tree = read_tree(scratch ? scratch : dir, options, error, size);
    scratch_dir_remove(scratch);
    return tree;
}

struct call_tree *report_load(const char *command, const char *dir, const struct load_options *load, bool want_lines,
                              int *status)
{
    if (load->process > INT_MAX || load->thread > INT_MAX || (load->rank > INT_MAX && load->rank != LOAD_NO_RANK)) {
        *status = message_misuse("%s: --process, --rank, --thread: the number is too large", command);
        return NULL;
    }
    struct call_tree_options options = {
        .process = (int)load->process,
        .rank = load->rank == LOAD_NO_RANK ? -1 : (int)load->rank,
        .thread = (int)load->thread,
        .model = load->model,
        .salvage = load->salvage,
        .names = (enum name_form)load->names,
        .want_costs = load->want_costs,
        .by_thread = load->by_thread,
        .of_set = load->of_set,
        .want_lines = want_lines,
    };
    char error[1024] = "", progress[300], *scratch = NULL;
    *status = load->as_recorded ? STATUS_DONE : traced_profile_make(dir, load->salvage, &scratch);
    if (*status)
        return NULL;
    snprintf(progress, sizeof progress, "reading %s", dir);
    terminal_progress_begin(progress);
    struct call_tree *tree = read_tree(scratch ? scratch : dir, &options, error, sizeof error);
    terminal_progress_end();
    scratch_dir_remove(scratch);
    if (!tree)
        *status = message_failure("%s", error);
    return tree;
}

int report_with_tree(const char *command, const char *dir, const struct load_options *load,
                     int (*use)(struct call_tree *tree, void *context), void *context)
{
    int status;
    struct call_tree *tree = report_load(command, dir, load, true, &status);
    if (tree)
        status = use(tree, context);
    call_tree_free(tree);
    return status;
}

double report_ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

double report_overhead(const struct tree_times *times)
{
    return report_ratio(times->raw - times->compensated, times->raw);
}

/* --- Computing, waiting, ready ----------------------------------------------------------------------------------- */

double report_computing(const struct tree_times *times)
{
    return times->compensated - times->waiting - times->ready;
}

static double report_total_computing(const struct tree_totals *total)
{
    return total->compensated - total->waiting - total->ready;
}

double report_whole(const struct call_tree *tree)
{
    return report_total_computing(&tree->total_all_threads); /* waiting is 0 where it is not known */
}

bool report_matters(const struct call_tree *tree, double part)
{
    return tree->knows_waiting && part > 0.01 * tree->total_all_threads.compensated;
}

bool report_shows_waiting(const struct call_tree *tree)
{
    return report_matters(tree, tree->total_all_threads.waiting);
}

bool report_shows_ready(const struct call_tree *tree)
{
    return report_matters(tree, tree->total_all_threads.ready);
}

/* --- Foot -------------------------------------------------------------------------------------------------------- */

void report_notes(struct emitter *emitter, const struct call_tree *tree)
{
    for (size_t i = 0; i < tree->warning_count; i++)
        emitter_note(emitter, "%s", tree->warnings[i]);
}

/* The end of the call path matters most: it is cut in its middle. */
static void report_creator(struct emitter *emitter, const struct tree_thread *thread)
{
    if (!emitter_is(emitter, EMIT_TEXT))
        return;
    char *cut = thread->creator ? text_cut(thread->creator, CREATOR_COLUMNS, "…") : NULL;
    char created[4 * CREATOR_COLUMNS + 64], last[48] = "";
    if (thread->threads > 1)
        snprintf(last, sizeof last, "and %llu before it", (unsigned long long)thread->threads - 1);
    if (cut)
        snprintf(created, sizeof created, "%s%screated by %s", last, *last ? ", " : "", cut);
    if (cut || *last)
        emit_remark(emitter, cut ? created : last);
    free(cut);
}

void report_threads_table(struct emitter *emitter, const struct call_tree *tree, const struct threads_table *table)
{
    bool text = emitter_is(emitter, EMIT_TEXT);
    size_t shown = text && tree->thread_count > THREADS_SHOWN ? THREADS_SHOWN : tree->thread_count;
    uint64_t begun = 0;
    if (text && tree->thread_count < 2)
        return;
    emitter_text(emitter, "%s", "");
    emitter_table(emitter, "threads", table->columns, table->column_count, false);
    for (size_t i = 0; i < shown; i++) {
        emitter_row(emitter);
        table->cells(emitter, table->context, &tree->threads[i]);
        emitter_row_end(emitter);
        begun += tree->threads[i].threads;
    }
    if (shown < tree->thread_count)
        emitter_table_line(emitter, "... and %llu more threads (--format json has them)",
                           (unsigned long long)(tree->threads_begun - begun));
    emitter_table_end(emitter);
}

static void thread_cells(struct emitter *emitter, const void *context, const struct tree_thread *thread)
{
    (void)context;
    emit_count(emitter, (uint64_t)thread->pid);
    emit_shown(emitter, "%d", thread->pid);
    if (thread->rank >= 0)
        emit_count(emitter, (uint64_t)thread->rank);
    else
        emit_null(emitter);
    emit_count(emitter, (uint64_t)thread->tid);
    emit_shown(emitter, "%d", thread->tid);
    if (thread->calls_partial)
        emit_null(emitter);
    else
        emit_count(emitter, thread->calls);
    emit_time(emitter, thread->raw);
    emit_time(emitter, thread->compensated);
    emit_uncertainty(emitter, thread->uncertainty);
    emit_time(emitter, thread->wall);
    emit_time(emitter, thread->cpu);
    emit_share(emitter, thread->off_cpu_share);
    emit_count(emitter, thread->involuntary);
    emit_count(emitter, thread->voluntary);
    emit_flag(emitter, thread->main);
    emit_flag(emitter, thread->live);
    emit_flag(emitter, thread->killed);
    emit_count(emitter, thread->uncertain);
    emit_count(emitter, thread->abandoned);
    emit_count(emitter, thread->unmatched);
    emit_name(emitter, thread->creator);
    emit_name(emitter, thread->name);
    emit_count(emitter, thread->threads);
    report_creator(emitter, thread);
}

void report_threads(struct emitter *emitter, const struct call_tree *tree)
{
    static const struct emit_column columns[] = {
        {"pid", NULL, "process", EMIT_COUNT, 3},
        {"rank", NULL, NULL, EMIT_COUNT, 0},
        {"tid", NULL, "thread", EMIT_COUNT, 2},
        {"calls", NULL, "calls", EMIT_COUNT, 5},
        {"raw", NULL, "raw", EMIT_TIME, 4},
        {"compensated", NULL, "compensated", EMIT_TIME, 0},
        {"uncertainty", NULL, "±", EMIT_TIME, 6},
        {"wall", NULL, "wall", EMIT_TIME, 7},
        {"cpu", NULL, "CPU", EMIT_TIME, 8},
        {"off_cpu_share", NULL, "off CPU", EMIT_SHARE, 1},
        {"involuntary", NULL, "preempted", EMIT_COUNT, 9},
        {"voluntary", NULL, NULL, EMIT_COUNT, 0},
        {"main", NULL, NULL, EMIT_FLAG, 0},
        {"live", NULL, NULL, EMIT_FLAG, 0},
        {"killed", NULL, NULL, EMIT_FLAG, 0},
        {"uncertain", NULL, NULL, EMIT_COUNT, 0},
        {"abandoned", NULL, NULL, EMIT_COUNT, 0},
        {"unmatched", NULL, NULL, EMIT_COUNT, 0},
        {"creator", NULL, NULL, EMIT_NAME, 0},
        {"name", NULL, "name", EMIT_NAME, 0},
        {"threads", NULL, NULL, EMIT_COUNT, 0},
    };
    const struct threads_table table = {columns, sizeof columns / sizeof *columns, thread_cells, NULL};
    report_threads_table(emitter, tree, &table);
}

/* --- Cells ------------------------------------------------------------------------------------------------------- */

bool report_is_below(const struct tree_times *times)
{
    return times->uncertainty > 0 && fabs(times->compensated) <= times->uncertainty;
}

void report_emit_compensated(struct emitter *emitter, const struct tree_times *times)
{
    char text[TEXT_NUMBER];
    emit_time(emitter, times->compensated);
    if (report_is_below(times))
        emit_shown(emitter, "<%s", text_uncertainty(text, times->uncertainty));
}

bool report_is_estimated(const struct call_tree *tree)
{
    return tree->counting.sampled;
}

uint64_t report_calls_uncertainty(const struct tree_function *function)
{
    double half = PCOMP_NORMAL_95 * function->calls_deviation + (double)function->calls_inexact;
    return half < 1e18 ? (uint64_t)(half + 0.5) : UINT64_MAX;
}

void report_marks(char *marks, bool exceeded, const struct tree_function *function, bool open, unsigned *seen)
{
    bool suppressed = function->suppressed != 0, counted = function->counted;
    bool inexact = !function->exact && !suppressed && !(function->calls_deviation > 0);
    if (exceeded)
        *marks++ = '!';
    if (suppressed || counted)
        *marks++ = '~';
    if (inexact)
        *marks++ = '?';
    if (open)
        *marks++ = '*';
    *marks = 0;
    *seen |= (exceeded ? MARK_EXCEEDED : 0u) | (suppressed ? MARK_SUPPRESSED : 0u) | (counted ? MARK_COUNTED : 0u) |
             (inexact ? MARK_INEXACT : 0u) | (open ? MARK_OPEN : 0u);
    if (function->sum)
        *seen |= isnan(function->inclusive.raw) ? MARK_BEFORE : MARK_COST;
}

void report_legend(struct emitter *emitter, unsigned seen)
{
    if (seen)
        emitter_text(emitter, "%s", "");
    if (seen & MARK_BELOW)
        emitter_text(
            emitter,
            "<  below resolution: the time, or N, is smaller than its own uncertainty: it is less than what is shown");
    if (seen & MARK_MORE)
        emitter_text(emitter, "+  and calls that were counted in place, whose call paths are not known");
    if (seen & MARK_EXCEEDED)
        emitter_text(emitter,
                     "!  exclusive below zero: what it calls adds up to more than itself, or too much was taken away");
    if (seen & MARK_SUPPRESSED)
        emitter_text(emitter, "~  some calls were counted and not recorded: their time is in their callers'");
    if (seen & MARK_COUNTED)
        emitter_text(emitter, "~  was only counted from some moment on: its time since is in its callers'");
    if (seen & MARK_INEXACT)
        emitter_text(
            emitter,
            "?  N may be too small or too large: calls were lost, counted without locks, or of an uncertain caller");
    if (seen & MARK_OPEN)
        emitter_text(emitter, "*  had not returned when the process ended or was read: counted up to there");
    if (seen & MARK_COST)
        emitter_text(emitter,
                     "[counting in place]: what counting cost; it is in the times of the functions around, and "
                     "is taken off of their sum");
    if (seen & MARK_BEFORE)
        emitter_text(emitter, "[timed before counted]: time of counted functions until they were only counted; --view "
                              "tree has it on their paths");
}

void report_emit_source(struct emitter *emitter, const struct tree_function *function)
{
    emit_name(emitter, function->file);
    if (function->line)
        emit_count(emitter, function->line);
    else
        emit_null(emitter);
}

const char *report_location(const struct tree_function *function, char *buffer, size_t size)
{
    if (function->file && function->line)
        snprintf(buffer, size, "%s:%u", text_basename(function->file), function->line);
    else if (function->file)
        snprintf(buffer, size, "%s", text_basename(function->file));
    else if (function->module)
        snprintf(buffer, size, "%s", text_basename(function->module));
    else
        return NULL;
    return buffer;
}

bool report_is_root(const struct call_tree *tree, uint32_t function)
{
    return tree->node_count && function == tree->nodes[0].function;
}

/* --- Order ------------------------------------------------------------------------------------------------------- */

struct order_key {
    const struct call_tree *tree;
    int sort;
};

static double order_value(const struct call_tree *tree, const struct tree_function *function, int sort)
{
    if (!tree->knows_waiting && sort >= REPORT_BY_COMPUTING && sort <= REPORT_BY_READY)
        return NAN;
    switch (sort) {
    case REPORT_BY_DEFAULT: /* computing is all of it where nothing else is known */
    case REPORT_BY_COMPUTING:
        return report_computing(&function->exclusive);
    case REPORT_BY_WAITING:
        return function->exclusive.waiting;
    case REPORT_BY_READY:
        return function->exclusive.ready;
    case REPORT_BY_INCLUSIVE:
        return function->inclusive.compensated;
    case REPORT_BY_CALLS:
        return (double)function->calls;
    case REPORT_BY_RAW:
        return function->inclusive.raw;
    case REPORT_BY_RAW_EXCLUSIVE:
        return function->exclusive.raw;
    case REPORT_BY_OVERHEAD:
        return function->exclusive.raw - function->exclusive.compensated;
    default:
        return function->exclusive.compensated;
    }
}

static int order_compare(const void *a, const void *b, void *context)
{
    const struct order_key *key = context;
    const struct tree_function *f = &key->tree->functions[*(const uint32_t *)a];
    const struct tree_function *g = &key->tree->functions[*(const uint32_t *)b];
    if (key->sort == REPORT_BY_DEFAULT && report_is_below(&f->exclusive) != report_is_below(&g->exclusive))
        return report_is_below(&f->exclusive) ? 1 : -1; /* what may be noise stands below what is known */
    if (key->sort != REPORT_BY_NAME) {
        double x = order_value(key->tree, f, key->sort), y = order_value(key->tree, g, key->sort);
        if (x != y && !isnan(x) && !isnan(y))
            return x > y ? -1 : 1;
        if (isnan(x) != isnan(y))
            return isnan(x) ? 1 : -1;
        if (isnan(x) && f->calls != g->calls)
            return f->calls > g->calls ? -1 : 1;
    }
    int by_name = strcmp(f->name, g->name);
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    return by_name ? by_name : (i > j) - (i < j);
}

bool report_is_listed(const struct call_tree *tree, size_t i)
{
    const struct tree_function *function = &tree->functions[i];
    if (report_is_root(tree, (uint32_t)i) || function->off)
        return false;
    return function->calls || function->inclusive.raw != 0 || function->inclusive.compensated != 0;
}

uint32_t *report_order(const struct call_tree *tree, int sort, size_t *count)
{
    uint32_t *order = malloc((tree->function_count + 1) * sizeof *order);
    *count = 0;
    if (!order)
        return NULL;
    for (size_t i = 0; i < tree->function_count; i++)
        if (report_is_listed(tree, i))
            order[(*count)++] = (uint32_t)i;
    qsort_r(order, *count, sizeof *order, order_compare, &(struct order_key){tree, sort});
    return order;
}
