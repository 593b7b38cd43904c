/* Names for the function table: symbols and lines, module by module. */
#include "reporters/symbols/demangle.h"
#include "reporters/symbols/symbols.h"
#include "reporters/tree/build/function_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct naming {
    struct function_table *table;
    struct text_pool *texts;
    const struct name_options *options;
    bool failed; /* out of memory */
};

static const char *keep(struct naming *n, const char *text)
{
    char *copy = text_pool_copy(n->texts, text, strlen(text));
    n->failed |= !copy;
    return copy;
}

/* The last resort: module+0xoffset. */
static const char *place_text(struct naming *n, const struct table_function *f)
{
    char text[512];
    const char *path = f->module == FUNCTION_NO_MODULE ? "" : n->table->modules[f->module].path;
    const char *slash = strrchr(path, '/');
    if (*path)
        snprintf(text, sizeof text, "%.400s+0x%" PRIx64, slash ? slash + 1 : path, f->address);
    else
        snprintf(text, sizeof text, "0x%" PRIx64, f->address);
    return keep(n, text);
}

static void name_code(struct naming *n, struct table_function *f, const struct symbols *symbols)
{
    const char *linkage = !symbols                     ? NULL
                          : f->kind == FUNCTION_NATIVE ? symbols_name_around(symbols, f->address)
                                                       : symbols_name(symbols, f->address);
    if (!linkage) {
        f->name = f->linkage = place_text(n, f);
        return;
    }
    f->linkage = keep(n, linkage);
    char *readable = demangle(linkage, n->options->names);
    f->name = readable ? keep(n, readable) : f->linkage;
    free(readable);
}

static void set_line(struct naming *n, struct table_function *f, const struct source_line *line)
{
    if (!line->file)
        return;
    if (f->kind == FUNCTION_SITE) {
        char text[4200];
        const char *slash = strrchr(line->file, '/');
        snprintf(text, sizeof text, "%s:%u", slash ? slash + 1 : line->file, line->line);
        f->name = f->linkage = keep(n, text);
        return;
    }
    f->file = keep(n, line->file);
    f->line = line->line;
}

static int compare_addresses(const void *x, const void *y)
{
    const struct line_query *a = x, *b = y;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Lines of all functions and call sites of one module: `list` has `count` indices of the table. */
static void find_lines(struct naming *n, struct symbols *symbols, const uint32_t *list, size_t count)
{
    struct line_query *queries = malloc((count + 1) * sizeof *queries);
    if (!queries) {
        n->failed = true;
        return;
    }
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const struct table_function *f = &n->table->functions[list[i]];
        bool site = f->kind == FUNCTION_SITE;
        if (f->kind == FUNCTION_NATIVE || (!site && !n->options->want_lines))
            continue;
        /* a return address may belong to the line after the call */
        queries[used++] = (struct line_query){.address = f->address - site, .is_function = !site, .tag = list[i]};
    }
    qsort(queries, used, sizeof *queries, compare_addresses);
    symbols_lines(symbols, queries, used);
    for (size_t i = 0; i < used; i++)
        set_line(n, &n->table->functions[queries[i].tag], &queries[i].line);
    free(queries);
}

static void name_module(struct naming *n, uint32_t module, const uint32_t *list, size_t count)
{
    struct symbols *symbols = NULL;
    if (n->options->symbols && module != FUNCTION_NO_MODULE) {
        const struct table_module *m = &n->table->modules[module];
        struct symbol_source source = {.path = m->path,
                                       .build_id = m->build_id,
                                       .build_id_size = m->build_id_size,
                                       .file_size = m->file_size,
                                       .file_mtime_ns = m->file_mtime_ns};
        char problem[1024] = "";
        symbols = symbols_open(&source, problem, sizeof problem);
        if (*problem && n->options->warn)
            n->options->warn(n->options->context, problem);
    }
    for (size_t i = 0; i < count; i++) {
        struct table_function *f = &n->table->functions[list[i]];
        if (f->kind == FUNCTION_CODE || f->kind == FUNCTION_NATIVE)
            name_code(n, f, symbols);
        else
            f->name = f->linkage = place_text(n, f);
    }
    if (symbols)
        find_lines(n, symbols, list, count);
    symbols_close(symbols);
}

bool function_table_resolve(struct function_table *t, struct text_pool *texts, const struct name_options *options)
{
    struct naming n = {.table = t, .texts = texts, .options = options};
    /* group by module: start[m] .. start[m + 1]; those without a module come last */
    uint32_t *start = calloc(t->module_count + (size_t)2, sizeof *start), *list = malloc(t->count * sizeof *list);
    if (!start || !list) {
        free(start);
        free(list);
        return false;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        struct table_function *f = &t->functions[i];
        if (f->kind == FUNCTION_ROOT || f->kind == FUNCTION_BEYOND)
            f->name = f->linkage = keep(&n, f->kind == FUNCTION_ROOT ? "[root]" : "[beyond limit]");
        else if (f->kind == FUNCTION_REGION)
            f->name = f->linkage = keep(&n, f->region);
        else
            start[(f->module == FUNCTION_NO_MODULE ? t->module_count : f->module) + 1]++;
    }
    for (uint32_t m = 0; m <= t->module_count; m++)
        start[m + 1] += start[m];
    uint32_t total = start[t->module_count + 1];
    /* start[m + 1] is the end of group m; filling from the end leaves it the begin */
    for (uint32_t i = t->count; i-- > 0;) {
        const struct table_function *f = &t->functions[i];
        if (f->kind == FUNCTION_CODE || f->kind == FUNCTION_SITE || f->kind == FUNCTION_NATIVE)
            list[--start[(f->module == FUNCTION_NO_MODULE ? t->module_count : f->module) + 1]] = i;
    }
    for (uint32_t m = 0; m <= t->module_count; m++) {
        uint32_t from = start[m + 1], to = m < t->module_count ? start[m + 2] : total;
        if (to > from)
            name_module(&n, m == t->module_count ? FUNCTION_NO_MODULE : m, list + from, to - from);
    }
    free(start);
    free(list);
    return !n.failed;
}
