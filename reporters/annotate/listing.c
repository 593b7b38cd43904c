#include "reporters/annotate/listing.h"

#include "reporters/base/text.h"
#include "reporters/report/report_common.h"

#include <stdlib.h>
#include <string.h>

/* --- Which functions ---------------------------------------------------------------------------------------------- */

/* "push", "list::push" and "ns::list::push" name "ns::list<int>::push(int)"; so does all of it. */
static bool is_named(const struct tree_function *f, const char *wanted)
{
    if (!strcmp(f->name, wanted) || !strcmp(f->linkage_name, wanted))
        return true;
    size_t length = strcspn(f->name, "("), size = strlen(wanted);
    if (length < size || memcmp(f->name + length - size, wanted, size) != 0)
        return false;
    return length == size || (length >= size + 2 && !memcmp(f->name + length - size - 2, "::", 2));
}

/* "b.c" and "a/b.c" name the file /src/a/b.c. */
static bool is_in_file(const struct tree_function *f, const char *wanted)
{
    size_t length = f->file ? strlen(f->file) : 0, size = strlen(wanted);
    return length >= size && size && !strcmp(f->file + length - size, wanted) &&
           (length == size || f->file[length - size - 1] == '/');
}

uint32_t *listing_choose(const struct annotation *a, const char *wanted, double min, size_t max, size_t *count)
{
    uint32_t *list = malloc((a->order_count + 1) * sizeof *list);
    double whole = report_whole(a->tree);
    *count = 0;
    for (size_t i = 0; list && i < a->order_count; i++) {
        const struct tree_function *f = &a->tree->functions[a->order[i]];
        bool chosen =
            wanted ? is_named(f, wanted) || is_in_file(f, wanted)
                   : !f->sum && report_computing(&f->exclusive) >= min * whole && !report_is_below(&f->exclusive);
        if (chosen && (!max || *count < max))
            list[(*count)++] = a->order[i];
    }
    return list;
}

/* --- Lines of one function ---------------------------------------------------------------------------------------- */

static bool is_of_file(const struct annotated_line *line, const char *file)
{
    return !line->inlined && line->line && line->file && file && !strcmp(line->file, file);
}

/* The file that most of its own lines are in. */
static const char *file_of(const struct annotation *a, const struct annotated_function *f,
                           const struct tree_function *t)
{
    const char *best = t->file;
    double max = 0;
    for (size_t i = f->first; i < f->first + f->count; i++)
        if (!a->lines[i].inlined && a->lines[i].line && a->lines[i].inclusive.samples.weight > max) {
            max = a->lines[i].inclusive.samples.weight;
            best = a->lines[i].file;
        }
    return best;
}

static void row_add(struct listing *l, unsigned number, const struct annotated_line *line)
{
    bool there = number && number <= l->text.count;
    if (l->count && number && l->rows[l->count - 1].number && number > l->rows[l->count - 1].number + 1)
        l->rows[l->count++] = (struct listing_row){0};
    l->rows[l->count++] = (struct listing_row){number, line, there ? l->text.lines[number - 1] : NULL};
}

static unsigned last_row(const struct listing *l)
{
    return l->count ? l->rows[l->count - 1].number : 0;
}

/* Lines around `number` that stand before it and have not been shown. */
static void rows_before(struct listing *l, unsigned number, unsigned context)
{
    unsigned from = number > context ? number - context : 1;
    for (unsigned n = from > last_row(l) ? from : last_row(l) + 1; l->text.count && n < number; n++)
        row_add(l, n, NULL);
}

static void rows_after(struct listing *l, unsigned number, unsigned limit, unsigned context)
{
    for (unsigned n = number + 1; n <= number + context && n < limit && n <= l->text.count; n++)
        row_add(l, n, NULL);
}

static void rows_make(struct listing *l, const struct annotation *a, const struct annotated_function *f, unsigned begin,
                      unsigned context)
{
    unsigned last = 0;
    for (size_t i = f->first; i < f->first + f->count; i++) {
        const struct annotated_line *line = &a->lines[i];
        if (!is_of_file(line, l->file) || !(line->inclusive.samples.weight > 0))
            continue;
        if (begin && begin < line->line && begin > last_row(l) && !last)
            row_add(l, begin, NULL);
        if (last)
            rows_after(l, last, line->line, context);
        rows_before(l, line->line, context);
        row_add(l, line->line, line);
        last = line->line;
    }
    if (last)
        rows_after(l, last, UINT32_MAX, context);
    else if (begin)
        row_add(l, begin, NULL);
}

static int by_weight(const void *x, const void *y)
{
    const struct annotated_line *const *a = x, *const *b = y;
    double s = (*a)->own.samples.weight, t = (*b)->own.samples.weight;
    if (s != t)
        return s < t ? 1 : -1;
    return (*a)->line != (*b)->line ? ((*a)->line > (*b)->line ? 1 : -1) : 0;
}

bool listing_make(struct listing *l, const struct annotation *a, uint32_t function, unsigned context)
{
    const struct annotated_function *f = &a->functions[function];
    const struct tree_function *t = &a->tree->functions[function];
    *l = (struct listing){.file = file_of(a, f, t)};
    l->missing = !l->file || !source_text_read(&l->text, l->file, a->ran_ns);
    l->newer = l->text.newer;
    l->rows = calloc(f->count * (2 * (size_t)context + 2) + 3, sizeof *l->rows);
    l->inlined = calloc(f->count + 1, sizeof *l->inlined);
    if (!l->rows || !l->inlined) {
        listing_free(l);
        return false;
    }
    bool same = t->file && l->file && !strcmp(text_basename(t->file), text_basename(l->file));
    rows_make(l, a, f, same ? t->line : 0, context);
    for (size_t i = f->first; i < f->first + f->count; i++)
        if (a->lines[i].inlined && a->lines[i].own.samples.weight > 0)
            l->inlined[l->inlined_count++] = &a->lines[i];
    if (l->inlined_count)
        qsort(l->inlined, l->inlined_count, sizeof *l->inlined, by_weight);
    return true;
}

void listing_free(struct listing *l)
{
    free(l->rows);
    free(l->inlined);
    source_text_free(&l->text);
    *l = (struct listing){0};
}
