#include "reporters/annotate/annotate_json.h"

#include "reporters/annotate/listing.h"
#include "reporters/base/json_list.h"
#include "reporters/base/text.h"
#include "reporters/report/report_common.h"
#include "reporters/symbols/demangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *json_time(double ns)
{
    return isfinite(ns) ? json_integer(llround(ns)) : json_null();
}

static json_t *json_clean(const char *text)
{
    char *clean = text ? text_clean(text) : NULL;
    json_t *json = clean ? json_string(clean) : text ? NULL : json_null();
    free(clean);
    return json;
}

static json_t *json_name(const char *linkage)
{
    char *readable = linkage ? demangle(linkage, false) : NULL;
    json_t *json = json_clean(readable ? readable : linkage);
    free(readable);
    return json;
}

static double half_of(const struct annotated_time *t)
{
    return (t->time.high - t->time.low) / 2;
}

static json_t *calls_json(const struct annotation *a, const struct annotated_line *line)
{
    json_t *list = json_array();
    for (uint32_t i = line->first_call; list && i != UINT32_MAX; i = a->calls[i].next) {
        const struct annotated_call *call = &a->calls[i];
        const struct tree_function *callee = &a->tree->functions[call->callee];
        double half, calls = annotation_calls(a, call->callee, &half);
        json_t *row =
            json_pack("{s:o,s:o,s:o,s:b,s:o,s:i,s:I,s:I}", "name", json_clean(callee->name), "inclusive",
                      json_time(call->inclusive.time.value), "uncertainty", json_time(half_of(&call->inclusive)),
                      "inlined", call->inlined, "N", call->calls ? json_integer((json_int_t)call->calls) : json_null(),
                      "lines", (int)call->lines, "callee_N", (json_int_t)calls, "callee_calls_uncertainty",
                      (json_int_t)fmin(half, 0x1p53));
        list = json_list_add(list, row);
    }
    return list;
}

static json_t *line_json(const struct annotation *a, unsigned number, const struct annotated_line *line,
                         const char *source)
{
    if (!line)
        return json_pack("{s:I,s:o}", "line", (json_int_t)number, "source", json_clean(source));
    return json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "line", (json_int_t)number, "source", json_clean(source),
                     "computing", json_time(line->own.time.value), "uncertainty", json_time(half_of(&line->own)),
                     "inclusive", json_time(line->inclusive.time.value), "inclusive_uncertainty",
                     json_time(half_of(&line->inclusive)), "calls", calls_json(a, line));
}

static json_t *rows_json(const struct annotation *a, const struct listing *l)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < l->count; i++)
        if (l->rows[i].number)
            list = json_list_add(list, line_json(a, l->rows[i].number, l->rows[i].line, l->rows[i].source));
    return list;
}

static json_t *inlined_json(const struct listing *l)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < l->inlined_count; i++) {
        const struct annotated_line *line = l->inlined[i];
        json_t *row = json_pack("{s:o,s:o,s:I,s:o,s:o}", "name", json_name(line->name), "file", json_clean(line->file),
                                "line", (json_int_t)line->line, "computing", json_time(line->own.time.value),
                                "uncertainty", json_time(half_of(&line->own)));
        list = json_list_add(list, row);
    }
    return list;
}

static json_t *function_json(const struct annotation *a, uint32_t function, unsigned context)
{
    const struct tree_function *f = &a->tree->functions[function];
    struct listing l;
    double half, calls = annotation_calls(a, function, &half);
    if (!listing_make(&l, a, function, context))
        return NULL;
    json_t *json = json_pack(
        "{s:o,s:o,s:I,s:I,s:I,s:o,s:o,s:o,s:b,s:b,s:o,s:o}", "name", json_clean(f->name), "file",
        json_clean(l.file ? l.file : f->file), "line", (json_int_t)f->line, "N", (json_int_t)calls, "calls_uncertainty",
        (json_int_t)fmin(half, 0x1p53), "computing", json_time(report_computing(&f->exclusive)), "uncertainty",
        json_time(f->exclusive.uncertainty), "inclusive", json_time(report_computing(&f->inclusive)), "source_missing",
        l.missing, "source_newer", l.newer, "lines", rows_json(a, &l), "inlined", inlined_json(&l));
    listing_free(&l);
    return json;
}

json_t *annotate_json(const struct annotation *a, const uint32_t *functions, size_t count, unsigned context)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < count; i++)
        list = json_list_add(list, function_json(a, functions[i], context));
    if (!list)
        return NULL;
    return json_pack("{s:s,s:s,s:o,s:s?,s:o}", "schema", "pcomp-annotate/1", "unit", "ns", "samples",
                     json_integer(llround(a->samples)), "note",
                     a->note          ? a->note
                     : a->samples > 0 ? NULL
                                      : a->tree->how.no_samples,
                     "functions", list);
}
