#include "reporters/verify/share_table.h"

#include "reporters/demangle.h"
#include "reporters/text.h"
#include "reporters/verify/sample_statistics.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where one of two files is not known, the name decides. */
static int by_name(const void *a, const void *b)
{
    const struct share_function *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order || !x->file || !y->file ? order : strcmp(x->file, y->file);
}

static int by_place(const void *a, const void *b)
{
    const struct share_function *x = a, *y = b;
    return strcmp(x->place, y->place);
}

static void function_free(struct share_function *function)
{
    free(function->name);
    free(function->file);
    free(function->place);
    free(function);
}

/* The same for all clones and for all variants of a constructor: malloc'ed; NULL out of memory. */
static char *common_name(const char *linkage)
{
    size_t length = 1 + strcspn(linkage + (*linkage != 0), "."); /* compilers add ".constprop.0", ".cold", ... */
    char *base = strndup(linkage, length), *readable = base ? demangle(base, false) : NULL;
    if (!readable)
        return base;
    free(base);
    return readable;
}

/* What identifies the function; its times are 0. NULL: out of memory. */
static struct share_function *function_new(const char *linkage, const char *file, unsigned line)
{
    struct share_function *function = calloc(1, sizeof *function);
    if (!function)
        return NULL;
    function->name = common_name(linkage);
    function->file = file ? strdup(text_basename(file)) : NULL;
    bool good = function->name && (!file || function->file);
    if (good && file && line && asprintf(&function->place, "%s:%u", function->file, line) < 0) {
        function->place = NULL;
        good = false;
    }
    if (good)
        return function;
    function_free(function);
    return NULL;
}

static struct share_function *found(void *const *root, const struct share_function *like,
                                    int (*order)(const void *, const void *))
{
    struct share_function **slot = tfind(like, root, order);
    return slot ? *slot : NULL;
}

/* Takes `function`; the one that stands for it in the table, NULL out of memory. */
static struct share_function *enter(struct share_table *table, struct share_function *function)
{
    struct share_function *old = function ? found(&table->by_name, function, by_name) : NULL;
    if (!function || old) {
        if (function)
            function_free(function);
        return old;
    }
    if (table->count == table->room) {
        size_t room = table->room ? 2 * table->room : 64;
        struct share_function **grown = reallocarray(table->functions, room, sizeof(struct share_function *));
        if (!grown) {
            function_free(function);
            return NULL;
        }
        table->functions = grown;
        table->room = room;
    }
    table->functions[table->count++] = function;
    bool good = tsearch(function, &table->by_name, by_name) != NULL;
    if (function->place)
        good &= tsearch(function, &table->by_place, by_place) != NULL; /* of several there, one stands for all */
    return good ? function : NULL;
}

bool share_table_add(struct share_table *table, const struct call_tree *tree)
{
    for (size_t i = 1; i < tree->function_count; i++) {
        const struct tree_function *from = &tree->functions[i];
        if (!from->module || (!from->calls && from->exclusive.raw == 0))
            continue; /* not of the program: "[beyond limit]", regions */
        struct share_function *function = enter(table, function_new(from->linkage_name, from->file, from->line));
        if (!function)
            return false;
        function->raw += from->exclusive.raw;
        function->compensated += from->exclusive.compensated;
    }
    return true;
}

static void keep(void *function)
{
    (void)function; /* the list frees it */
}

void share_table_free(struct share_table *table)
{
    tdestroy(table->by_name, keep);
    tdestroy(table->by_place, keep);
    for (size_t i = 0; i < table->count; i++)
        function_free(table->functions[i]);
    free(table->functions);
    *table = (struct share_table){NULL, 0, 0, NULL, NULL};
}

struct share_function *share_table_find(const struct share_table *table, const struct symbol_scope *scope)
{
    struct share_function *like = scope->name ? function_new(scope->name, scope->file, scope->line) : NULL;
    if (!like)
        return NULL;
    struct share_function *function = found(&table->by_name, like, by_name);
    if (!function && like->place)
        function = found(&table->by_place, like, by_place);
    function_free(like);
    return function;
}

bool share_table_distances(const struct share_table *table, struct share_distances *distances)
{
    size_t count = table->count;
    double *values = calloc(5 * count + 1, sizeof *values);
    if (!values)
        return false;
    double *halves[] = {values, values + count}, *truth = values + 2 * count, *raw = values + 3 * count,
           *compensated = values + 4 * count;
    for (size_t i = 0; i < count; i++) {
        const struct share_function *function = table->functions[i];
        for (int half = 0; half < SHARE_HALVES; half++) {
            halves[half][i] = (double)function->truth[half];
            truth[i] += (double)function->truth[half];
        }
        raw[i] = function->raw;
        compensated[i] = function->compensated;
    }
    *distances = (struct share_distances){.floor = total_variation(halves[0], halves[1], count),
                                          .raw = total_variation(truth, raw, count),
                                          .compensated = total_variation(truth, compensated, count)};
    free(values);
    return true;
}
