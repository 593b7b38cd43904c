#include "reporters/annotate/annotation.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/t_quantile.h"
#include "reporters/annotate/line_table.h"
#include "reporters/base/message.h"
#include "reporters/profile/data_directory.h"
#include "reporters/report/report_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct reading { /* of one profile file */
    struct annotation *a;
    struct line_table *table;
    const struct profile_file *file;
    struct sample_places *places;
    const struct pcomp_stack_frame **frames; /* of a thread, by number minus 1 */
    uint32_t count;
    uint64_t sample; /* number of the sample at hand, over all files */
};

static void sums_add(struct pcomp_sample_sums *sums, const struct pcomp_stack_frame *frame)
{
    double weight = (double)frame->weight, hits = fmin(fmax(frame->hits, 1), fmax(weight, 1));
    sums->weight += weight;
    sums->squares += weight * weight / hits;
}

/* --- One sample --------------------------------------------------------------------------------------------------- */

static struct annotated_call *call_at(struct annotation *a, struct annotated_line *line, uint32_t callee)
{
    for (uint32_t i = line->first_call; i != NONE; i = a->calls[i].next)
        if (a->calls[i].callee == callee)
            return &a->calls[i];
    if (!ARRAY_ROOM(a->calls, a->call_count, a->call_room))
        return NULL;
    a->calls[a->call_count] = (struct annotated_call){.callee = callee, .next = line->first_call};
    line->first_call = (uint32_t)a->call_count;
    return &a->calls[a->call_count++];
}

struct stack_place { /* outwards over one stack */
    const struct pcomp_stack_frame *sample;
    uint32_t inner; /* the function that was counted last; NONE: none yet */
    bool same_code; /* that one lies in the code at hand: it is inlined */
};

static bool count_line(struct reading *r, struct stack_place *w, const struct sample_place *place)
{
    bool known = place->function != NONE;
    if (place->index == NONE)
        return true;
    struct annotated_line *line = &r->a->lines[place->index];
    if (w->inner == NONE)
        sums_add(&line->own.samples, w->sample);
    if (line->seen != r->sample)
        sums_add(&line->inclusive.samples, w->sample);
    line->seen = r->sample;
    if (!known || w->inner == NONE)
        return true;
    struct annotated_call *call = call_at(r->a, line, w->inner);
    if (!call)
        return false;
    call->inlined |= w->same_code;
    if (call->seen != r->sample)
        sums_add(&call->inclusive.samples, w->sample);
    call->seen = r->sample;
    return true;
}

static void count_function(struct reading *r, struct stack_place *w, uint32_t function)
{
    struct annotated_function *f = &r->a->functions[function];
    if (w->inner == NONE)
        sums_add(&f->own, w->sample);
    if (f->seen != r->sample)
        sums_add(&f->inclusive, w->sample);
    f->seen = r->sample;
    w->inner = function;
    w->same_code = true;
}

static bool count_sample(struct reading *r, uint32_t innermost)
{
    struct stack_place w = {.sample = r->frames[innermost], .inner = NONE};
    r->sample++;
    for (uint32_t number = innermost + 1; number;) {
        const struct pcomp_stack_frame *frame = r->frames[number - 1];
        const struct sample_place *list;
        size_t count = sample_places_at(r->places, frame->pc, &list);
        w.same_code = false;
        for (size_t i = 0; i < count; i++) {
            if (!count_line(r, &w, &list[i]))
                return false;
            if (list[i].function != NONE)
                count_function(r, &w, list[i].function);
        }
        if (frame->parent >= number)
            break;
        number = frame->parent;
    }
    r->a->samples += w.inner != NONE ? w.sample->hits : 0;
    return true;
}

/* --- Files -------------------------------------------------------------------------------------------------------- */

static bool count_thread(struct reading *r, uint32_t owner)
{
    const struct profile_file *f = r->file;
    r->count = 0;
    for (uint32_t c = 0; c < f->chunk_count; c++)
        for (uint32_t i = 0;
             f->chunks[c].kind == PCOMP_CHUNK_STACKS && f->chunks[c].owner == owner && i < f->chunks[c].count; i++)
            r->frames[r->count++] =
                (const struct pcomp_stack_frame *)(f->data + f->chunks[c].records + (uint64_t)i * f->chunks[c].stride);
    for (uint32_t i = 0; i < r->count; i++)
        if (r->frames[i]->weight && r->frames[i]->pc != PCOMP_STACK_LIBRARY && !count_sample(r, i))
            return false;
    return true;
}

static bool has_stacks(const struct profile_file *f, uint32_t owner, size_t *frames)
{
    *frames = 0;
    for (uint32_t c = 0; c < f->chunk_count; c++)
        if (f->chunks[c].kind == PCOMP_CHUNK_STACKS && f->chunks[c].owner == owner)
            *frames += f->chunks[c].count;
    return *frames;
}

static bool count_file(struct reading *r)
{
    struct annotation *a = r->a;
    const char *module;
    size_t frames;
    r->places = sample_places_new(r->file, a->tree);
    bool ok = r->places && line_table_add(r->table, a, r->places);
    a->ran_ns = r->file->header.real0_ns > a->ran_ns ? r->file->header.real0_ns : a->ran_ns;
    for (uint32_t t = 0; ok && t < r->file->thread_count; t++) {
        uint32_t owner = r->file->threads[t].record->index;
        if (!has_stacks(r->file, owner, &frames))
            continue;
        r->frames = malloc(frames * sizeof *r->frames);
        ok = r->frames && count_thread(r, owner);
        free(r->frames);
    }
    if (ok && !a->note && sample_places_without_lines(r->places, &module) &&
        asprintf(&a->note, "%s has no line numbers (compile with -g)", module ? module : "a module") < 0)
        a->note = NULL;
    sample_places_free(r->places);
    return ok;
}

static bool read_directory(struct reading *r, const char *dir, bool salvage, char *error, size_t error_size)
{
    struct data_directory d;
    if (!data_directory_open(dir, true, &d, error, error_size))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < d.file_count; i++) {
        const struct data_file *file = &d.files[i];
        bool live = file->status == DATA_LIVE;
        if (!live && file->status != DATA_ENDED)
            continue;
        struct profile_file *profile =
            profile_file_open(file->path, live ? PROFILE_LIVE : PROFILE_ENDED, salvage, error, error_size);
        if (!profile)
            continue; /* the tree was loaded: it said so */
        r->file = profile;
        ok = count_file(r);
        profile_file_close(profile);
        if (!ok)
            snprintf(error, error_size, "%s: out of memory", dir);
    }
    data_directory_close(&d);
    return ok;
}

/* --- Times -------------------------------------------------------------------------------------------------------- */

static void share_time(struct annotated_time *t, const struct pcomp_sample_sums *all, double ns, double half)
{
    if (t->samples.weight > 0)
        t->time =
            pcomp_sample_split(t->samples, *all, isfinite(ns) ? ns : 0, isfinite(half) ? half / PCOMP_NORMAL_95 : 0);
}

static int calls_order(const void *x, const void *y)
{
    const struct annotated_call *const *a = x, *const *b = y;
    return (*a)->callee < (*b)->callee ? -1 : (*a)->callee > (*b)->callee;
}

/* Of the calls of one function: at how many lines a callee is called. */
static bool count_call_lines(struct annotation *a, const struct annotated_function *f)
{
    size_t count = 0;
    for (size_t i = f->first; i < f->first + f->count; i++)
        for (uint32_t c = a->lines[i].first_call; c != NONE; c = a->calls[c].next)
            count++;
    struct annotated_call **list = malloc((count + 1) * sizeof *list);
    if (!list)
        return false;
    count = 0;
    for (size_t i = f->first; i < f->first + f->count; i++)
        for (uint32_t c = a->lines[i].first_call; c != NONE; c = a->calls[c].next)
            list[count++] = &a->calls[c];
    qsort(list, count, sizeof *list, calls_order);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && list[next]->callee == list[i]->callee; next++)
            ;
        for (size_t k = i; k < next; k++)
            list[k]->lines = (uint32_t)(next - i);
    }
    free(list);
    return true;
}

/* Calls that were counted in place are on no call path. */
static bool is_counted_by_path(const struct tree_function *f)
{
    return !f->in_place && !f->suppressed && !(f->calls_deviation > 0);
}

static void count_calls(struct annotation *a, const struct call_edges *edges, uint32_t function)
{
    const struct annotated_function *f = &a->functions[function];
    const struct tree_function *t = &a->tree->functions[function];
    for (size_t i = f->first; i < f->first + f->count; i++)
        for (uint32_t c = a->lines[i].first_call; c != NONE; c = a->calls[c].next) {
            struct annotated_call *call = &a->calls[c];
            share_time(&call->inclusive, &f->inclusive, report_computing(&t->inclusive), t->inclusive.uncertainty);
            for (size_t e = call_edges_of_caller(edges, function);
                 e < edges->count && edges->list[e].caller == function; e++)
                if (edges->list[e].callee == call->callee && is_counted_by_path(&a->tree->functions[call->callee]))
                    call->calls = edges->list[e].calls;
        }
}

static bool finish(struct annotation *a)
{
    struct call_edges edges;
    line_table_sort(a);
    if (!call_edges_make(&edges, a->tree))
        return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < a->tree->function_count; i++) {
        const struct tree_function *t = &a->tree->functions[i];
        const struct annotated_function *f = &a->functions[i];
        for (size_t k = f->first; k < f->first + f->count; k++) {
            struct annotated_line *line = &a->lines[k];
            share_time(&line->own, &f->own, report_computing(&t->exclusive), t->exclusive.uncertainty);
            share_time(&line->inclusive, &f->inclusive, report_computing(&t->inclusive), t->inclusive.uncertainty);
        }
        ok = count_call_lines(a, f);
        count_calls(a, &edges, i);
    }
    call_edges_free(&edges);
    return ok;
}

double annotation_calls(const struct annotation *a, uint32_t function, double *half)
{
    *half = (double)report_calls_uncertainty(&a->tree->functions[function]);
    return (double)a->tree->functions[function].calls;
}

struct annotation *annotation_make(const struct call_tree *tree, const char *dir, bool salvage)
{
    char error[1024] = "out of memory";
    struct annotation *a = calloc(1, sizeof *a);
    struct reading r = {.a = a, .table = a ? line_table_new() : NULL};
    bool ok = a && r.table;
    if (ok) {
        a->tree = tree;
        a->functions = calloc(tree->function_count + 1, sizeof *a->functions);
        a->order = report_order(tree, REPORT_BY_DEFAULT, &a->order_count);
        ok = a->functions && a->order &&
             (!(tree->how.stack_samples > 0) || read_directory(&r, dir, salvage, error, sizeof error)) && finish(a);
    }
    line_table_free(r.table);
    if (ok)
        return a;
    annotation_free(a);
    message_failure("annotate: %s", error);
    return NULL;
}

void annotation_free(struct annotation *a)
{
    if (!a)
        return;
    text_pool_free(&a->texts);
    free(a->lines);
    free(a->calls);
    free(a->functions);
    free(a->order);
    free(a->note);
    free(a);
}
