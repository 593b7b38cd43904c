#include "reporters/diff/diff_sets.h"

#include "reporters/base/message.h"
#include "reporters/base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Rows --------------------------------------------------------------------------------------------------------- */

static int row_match(const struct set_row *row, const struct tree_function *function)
{
    const struct tree_function key = {.linkage_name = row->linkage_name, .file = row->file};
    return call_tree_match(&key, function);
}

static const char *keep(struct set_comparison *c, const char *text, bool *no_memory)
{
    char *copy = text ? text_pool_copy(&c->texts, text, strlen(text)) : NULL;
    *no_memory |= text && !copy;
    return copy;
}

static bool row_begin(struct set_comparison *c, struct set_row *row, const struct tree_function *function)
{
    size_t runs = c->sides[0].runs + c->sides[1].runs;
    bool no_memory = false;
    *row = (struct set_row){.line = function->line, .sum = function->sum, .adjusted = NAN};
    row->name = keep(c, function->name, &no_memory);
    row->linkage_name = keep(c, function->linkage_name, &no_memory);
    row->file = keep(c, function->file, &no_memory);
    row->runs = calloc(runs + 1, sizeof *row->runs);
    row->inclusive = calloc(runs + 1, sizeof *row->inclusive);
    return !no_memory && row->runs && row->inclusive;
}

static double without_ready(const struct call_tree *tree, const struct tree_times *times)
{
    return times->compensated - (tree->knows_waiting ? times->ready : 0);
}

/* Functions of one name in files of one name are one row. */
static void row_add(struct set_row *row, size_t run, int side, const struct call_tree *tree,
                    const struct tree_function *function)
{
    struct pcomp_run *value = &row->runs[run];
    row->present[side] += value->calls == 0 && value->value == 0;
    value->value += without_ready(tree, &function->exclusive);
    value->uncertainty = hypot(value->uncertainty, function->exclusive.uncertainty);
    value->calls += (double)function->calls + (double)function->children;
    row->inclusive[run] += without_ready(tree, &function->inclusive);
    row->calls[side] += (double)function->calls;
}

/* Merges the sorted functions of a run into the sorted rows. False: out of memory. */
static bool rows_merge(struct set_comparison *c, size_t run, int side, const struct call_tree *tree)
{
    size_t count, at = 0, done = 0, out = 0;
    const struct tree_function **list = diff_functions(tree, &count);
    struct set_row *rows = list ? calloc(c->row_count + count + 1, sizeof *rows) : NULL;
    bool good = rows != NULL;
    while (good && (done < c->row_count || at < count)) {
        int order = done == c->row_count ? 1 : at == count ? -1 : row_match(&c->rows[done], list[at]);
        if (order <= 0)
            rows[out] = c->rows[done++];
        else
            good = row_begin(c, &rows[out], list[at]);
        for (; good && order >= 0 && at < count && !row_match(&rows[out], list[at]); at++)
            row_add(&rows[out], run, side, tree, list[at]);
        out++;
    }
    free(list);
    if (!rows)
        return false;
    for (; done < c->row_count; done++) /* where memory ended: theirs are freed with the others */
        rows[out++] = c->rows[done];
    free(c->rows);
    c->rows = rows;
    c->row_count = out;
    return good;
}

/* --- Loading ------------------------------------------------------------------------------------------------------ */

static bool side_keep_warnings(struct set_side *side, const struct call_tree *tree)
{
    side->warnings = calloc(tree->warning_count + 1, sizeof *side->warnings);
    for (size_t i = 0; side->warnings && i < tree->warning_count; i++)
        if ((side->warnings[side->warning_count] = strdup(tree->warnings[i])))
            side->warning_count++;
    return side->warnings && side->warning_count == tree->warning_count;
}

static bool side_add(struct set_comparison *c, int which, size_t index, const struct call_tree *tree)
{
    struct set_side *side = &c->sides[which];
    const struct tree_totals *total = &tree->total, *all = &tree->total_all_threads;
    if (!side->totals || !c->begins)
        return false;
    double n = (double)side->runs;
    c->begins[which ? c->sides[0].runs + index : index] = tree->begun;
    side->totals[index] = (struct pcomp_run){.value = total->compensated - (tree->knows_waiting ? total->ready : 0),
                                             .uncertainty = total->uncertainty,
                                             .calls = (double)total->calls};
    side->raw += total->raw / n;
    side->calls += (double)total->calls / n;
    side->whole += (all->compensated - (tree->knows_waiting ? all->ready : 0)) / n;
    if (!index && (!side_keep_warnings(side, tree) || !(side->program = strdup(diff_program(tree)))))
        return false;
    return rows_merge(c, which ? c->sides[0].runs + index : index, which, tree);
}

static int load_side(struct set_comparison *c, int which, char *const *dirs, const struct load_options *load)
{
    struct set_side *side = &c->sides[which];
    int status = STATUS_DONE;
    for (size_t i = 0; i < side->runs && !status; i++) {
        struct call_tree *tree = report_load("diff", dirs[i], load, true, &status);
        if (tree && !side_add(c, which, i, tree))
            status = message_no_memory("diff");
        call_tree_free(tree);
    }
    return status;
}

/* --- Statistics --------------------------------------------------------------------------------------------------- */

static void row_finish(struct set_comparison *c, struct set_row *row)
{
    for (int side = 0; side < 2; side++) {
        size_t first = side ? c->sides[0].runs : 0, runs = c->sides[side].runs;
        row->sides[side] = pcomp_run_set_of(row->runs + first, runs);
        row->calls[side] /= (double)runs;
        for (size_t i = 0; i < runs; i++)
            row->inclusive_mean[side] += row->inclusive[first + i] / (double)runs;
    }
    row->difference = pcomp_run_sets_compare(&row->sides[0], &row->sides[1], c->in_turns);
    row->share = report_ratio(row->difference.change, c->sides[0].whole);
}

/* Which functions are tested must not depend on the difference: their share of both sets together does not. */
static bool row_is_tested(const struct set_comparison *c, const struct set_row *row)
{
    double time = row->sides[0].mean + row->sides[1].mean, whole = c->sides[0].whole + c->sides[1].whole;
    return !row->sum && time >= SETS_MIN_SHARE * whole && !isnan(row->difference.p);
}

static int row_order(const void *a, const void *b)
{
    const struct set_row *x = a, *y = b;
    double u = fabs(x->difference.change), v = fabs(y->difference.change);
    if (x->significant != y->significant)
        return x->significant ? -1 : 1;
    if (isnan(u) || isnan(v))
        return isnan(u) != isnan(v) ? (isnan(u) ? 1 : -1) : strcmp(x->name, y->name);
    return u != v ? (u > v ? -1 : 1) : strcmp(x->name, y->name);
}

static bool compare(struct set_comparison *c)
{
    struct pcomp_test *tests = calloc(c->row_count + 1, sizeof *tests);
    if (!tests)
        return false;
    for (int side = 0; side < 2; side++)
        c->sides[side].total = pcomp_run_set_of(c->sides[side].totals, c->sides[side].runs);
    c->in_turns = pcomp_runs_in_turns(c->begins, c->sides[0].runs, c->sides[0].runs + c->sides[1].runs);
    c->total = pcomp_run_sets_compare(&c->sides[0].total, &c->sides[1].total, c->in_turns);
    c->total_significant = c->total.p <= SETS_LEVEL;
    for (size_t i = 0; i < c->row_count; i++) {
        row_finish(c, &c->rows[i]);
        bool tested = row_is_tested(c, &c->rows[i]);
        tests[i].p = tested ? c->rows[i].difference.p : NAN;
        c->tested += tested;
    }
    pcomp_tests_adjust(tests, c->row_count);
    for (size_t i = 0; i < c->row_count; i++) {
        c->rows[i].adjusted = tests[i].adjusted;
        c->rows[i].significant = tests[i].adjusted <= SETS_LEVEL;
    }
    free(tests);
    if (c->row_count)
        qsort(c->rows, c->row_count, sizeof *c->rows, row_order);
    return true;
}

struct set_comparison *set_comparison_make(char *const *const dirs[2], const size_t counts[2],
                                           const char *const labels[2], const struct load_options *load, int *status)
{
    struct set_comparison *c = calloc(1, sizeof *c);
    *status = c ? STATUS_DONE : message_no_memory("diff");
    for (int side = 0; c && side < 2; side++) {
        c->sides[side].label = labels[side];
        c->sides[side].runs = counts[side];
        c->sides[side].totals = calloc(counts[side] + 1, sizeof *c->sides[side].totals);
        if (!c->sides[side].totals && !*status)
            *status = message_no_memory("diff");
    }
    if (c && !(c->begins = calloc(counts[0] + counts[1] + 1, sizeof *c->begins)) && !*status)
        *status = message_no_memory("diff");
    for (int side = 0; c && side < 2 && !*status; side++)
        *status = load_side(c, side, dirs[side], load);
    if (c && !*status && !compare(c))
        *status = message_no_memory("diff");
    if (!*status)
        return c;
    set_comparison_free(c);
    return NULL;
}

void set_comparison_free(struct set_comparison *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->row_count; i++) {
        free(c->rows[i].runs);
        free(c->rows[i].inclusive);
    }
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < c->sides[side].warning_count; i++)
            free(c->sides[side].warnings[i]);
        free(c->sides[side].warnings);
        free(c->sides[side].program);
        free(c->sides[side].totals);
    }
    free(c->rows);
    free(c->begins);
    text_pool_free(&c->texts);
    free(c);
}

bool set_is_past(const struct pcomp_set_difference *difference, bool significant, double whole, double percent)
{
    return percent >= 0 && significant && difference->change > 0 && 100 * difference->change / whole > percent;
}
