#include "reporters/annotate/annotate_text.h"

#include "reporters/annotate/listing.h"
#include "reporters/base/locale_text.h"
#include "reporters/base/message.h"
#include "reporters/base/text.h"
#include "reporters/report/report_common.h"
#include "reporters/symbols/demangle.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_COLUMNS 10
#define HALF_COLUMNS 8

/* In the character set of the terminal, whose widths count. */
static void cell(FILE *out, const char *text, size_t columns)
{
    char *shown = locale_text(text);
    size_t width = shown ? text_columns(shown) : columns;
    fprintf(out, "%*s%s  ", width < columns ? (int)(columns - width) : 0, "", shown ? shown : "");
    free(shown);
}

static void clean(FILE *out, const char *text)
{
    char *cleaned = text_clean(text);
    fputs(cleaned ? cleaned : "?", out);
    free(cleaned);
}

/* The value and its ±; "<±" where it is not above it. */
static void time_cells(FILE *out, const struct annotated_time *t)
{
    char value[TEXT_NUMBER + 1] = "", half[TEXT_NUMBER] = "";
    double width = (t->time.high - t->time.low) / 2;
    if (!(t->samples.weight > 0)) {
        cell(out, "", TIME_COLUMNS);
        cell(out, "", HALF_COLUMNS);
        return;
    }
    text_uncertainty(half, width);
    if (t->time.value > width)
        text_time(value, t->time.value);
    else
        snprintf(value, sizeof value, "<%s", half);
    cell(out, value, TIME_COLUMNS);
    cell(out, *value == '<' ? "" : half, HALF_COLUMNS);
}

static void calls_line(FILE *out, const struct annotation *a, const struct annotated_call *call)
{
    const struct tree_function *callee = &a->tree->functions[call->callee];
    char n[TEXT_NUMBER], half_text[TEXT_NUMBER];
    double half, calls = annotation_calls(a, call->callee, &half);
    time_cells(out, &call->inclusive);
    fprintf(out, "%6s  %s ", "", call->inlined ? "> inlined" : "> calls");
    clean(out, callee->name);
    if (call->calls && call->lines > 1)
        fprintf(out, ": %s calls at %u lines", text_count(n, call->calls), call->lines);
    else if (call->calls)
        fprintf(out, ": %s call%s", text_count(n, call->calls), call->calls == 1 ? "" : "s");
    else if (calls > 0)
        fprintf(out, ": some of its %s", text_count(n, (uint64_t)calls));
    if (!call->calls && calls > 0 && half > 0)
        fprintf(out, " ± %s", text_count(half_text, (uint64_t)half));
    fprintf(out, "%s\n", !call->calls && calls > 0 ? " calls" : "");
}

static void rows(FILE *out, const struct annotation *a, const struct listing *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct listing_row *row = &l->rows[i];
        static const struct annotated_time none;
        if (!row->number) {
            fprintf(out, "%*s...\n", TIME_COLUMNS + HALF_COLUMNS + 7, "");
            continue;
        }
        time_cells(out, row->line ? &row->line->own : &none);
        fprintf(out, "%6u", row->number);
        if (row->source && *row->source) {
            fputs("  ", out);
            clean(out, row->source);
        }
        putc('\n', out);
        for (uint32_t c = row->line ? row->line->first_call : UINT32_MAX; c != UINT32_MAX; c = a->calls[c].next)
            if (a->calls[c].inclusive.samples.weight > 0)
                calls_line(out, a, &a->calls[c]);
    }
}

static void inlined_rows(FILE *out, const struct listing *l)
{
    if (l->inlined_count)
        fputs("  of that in code that is inlined:\n", out);
    for (size_t i = 0; i < l->inlined_count; i++) {
        const struct annotated_line *line = l->inlined[i];
        char *readable = line->name ? demangle(line->name, false) : NULL;
        time_cells(out, &line->own);
        fprintf(out, "%6s  ", "");
        clean(out, readable ? readable : line->name ? line->name : "?");
        if (line->file && line->line) {
            fputs("  ", out);
            clean(out, text_basename(line->file));
            fprintf(out, ":%u", line->line);
        }
        putc('\n', out);
        free(readable);
    }
}

static void head(FILE *out, const struct annotation *a, uint32_t function, const struct listing *l)
{
    const struct tree_function *f = &a->tree->functions[function];
    char location[300], value[TEXT_NUMBER], half_text[TEXT_NUMBER], n[TEXT_NUMBER];
    double half, calls = annotation_calls(a, function, &half);
    clean(out, f->name);
    if (report_location(f, location, sizeof location)) {
        fputs("  ", out);
        clean(out, location);
    }
    fprintf(out, ": %s ± %s", text_time(value, report_computing(&f->exclusive)),
            text_uncertainty(half_text, f->exclusive.uncertainty));
    fprintf(out, ", %s", text_count(n, (uint64_t)calls));
    if (half > 0)
        fprintf(out, " ± %s", text_count(n, (uint64_t)half));
    fprintf(out, " call%s\n", calls == 1 && !(half > 0) ? "" : "s");
    if (l->missing && l->file) {
        fputs("  the source is not there: ", out);
        clean(out, l->file);
        putc('\n', out);
    }
    if (l->newer)
        fputs("  the source is newer than the run: lines may be others than those that ran\n", out);
}

/* False: out of memory. */
static bool write_functions(FILE *out, const struct annotation *a, const uint32_t *functions, size_t count,
                            unsigned context)
{
    for (size_t i = 0; i < count; i++) {
        struct listing l;
        if (!listing_make(&l, a, functions[i], context))
            return false;
        if (i)
            putc('\n', out);
        head(out, a, functions[i], &l);
        if (a->functions[functions[i]].count) {
            cell(out, "computing", TIME_COLUMNS);
            cell(out, "±", HALF_COLUMNS);
            fprintf(out, "%6s\n", "line");
        }
        rows(out, a, &l);
        inlined_rows(out, &l);
        listing_free(&l);
    }
    return true;
}

int annotate_text(const struct annotation *a, const uint32_t *functions, size_t count, unsigned context, FILE *out)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    bool ok = memory && write_functions(memory, a, functions, count, context);
    ok = memory && !fclose(memory) && ok;
    char *shown = ok ? locale_text(text) : NULL;
    if (shown)
        fputs(shown, out);
    free(text);
    free(shown);
    if (!shown)
        return message_no_memory("annotate");
    return fflush(out) || ferror(out) ? message_failure("standard output: %s", strerror(errno)) : STATUS_DONE;
}
