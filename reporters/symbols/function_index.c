#include "reporters/symbols/function_index.h"

#include "reporters/base/text.h"
#include "reporters/symbols/demangle.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where one of two files is not known, the name decides. */
static int by_name(const void *a, const void *b)
{
    const struct indexed_function *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order || !x->file || !y->file ? order : strcmp(x->file, y->file);
}

static int by_place(const void *a, const void *b)
{
    const struct indexed_function *x = a, *y = b;
    return strcmp(x->place, y->place);
}

static void function_free(struct indexed_function *function)
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
    char *base = strndup(linkage, length), *readable = base ? demangle(base, NAMES_FULL) : NULL;
    if (!readable)
        return base;
    free(base);
    return readable;
}

/* What identifies the function. NULL: out of memory. */
static struct indexed_function *function_new(const struct symbol_scope *scope)
{
    struct indexed_function *function = calloc(1, sizeof *function);
    if (!function)
        return NULL;
    const char *file = scope->file;
    function->name = common_name(scope->name);
    function->file = file ? strdup(text_basename(file)) : NULL;
    bool good = function->name && (!file || function->file);
    if (good && file && scope->line && asprintf(&function->place, "%s:%u", function->file, scope->line) < 0) {
        function->place = NULL;
        good = false;
    }
    if (good)
        return function;
    function_free(function);
    return NULL;
}

static const struct indexed_function *found(void *const *root, const struct indexed_function *like,
                                            int (*order)(const void *, const void *))
{
    struct indexed_function **slot = tfind(like, root, order);
    return slot ? *slot : NULL;
}

const struct indexed_function *function_index_add(struct function_index *index, const struct symbol_scope *scope)
{
    struct indexed_function *function = function_new(scope);
    const struct indexed_function *old = function ? found(&index->by_name, function, by_name) : NULL;
    if (!function || old) {
        if (function)
            function_free(function);
        return old;
    }
    if (index->count == index->room) {
        size_t room = index->room ? 2 * index->room : 64;
        struct indexed_function **grown = reallocarray(index->functions, room, sizeof *index->functions);
        if (!grown) {
            function_free(function);
            return NULL;
        }
        index->functions = grown;
        index->room = room;
    }
    function->number = index->count;
    index->functions[index->count++] = function;
    bool good = tsearch(function, &index->by_name, by_name) != NULL;
    if (function->place)
        good &= tsearch(function, &index->by_place, by_place) != NULL; /* of several there, one stands for all */
    return good ? function : NULL;
}

const struct indexed_function *function_index_find(const struct function_index *index, const struct symbol_scope *scope)
{
    struct indexed_function *like = scope->name ? function_new(scope) : NULL;
    if (!like)
        return NULL;
    const struct indexed_function *function = found(&index->by_name, like, by_name);
    if (!function && like->place)
        function = found(&index->by_place, like, by_place);
    function_free(like);
    return function;
}

static void keep(void *function)
{
    (void)function; /* the list frees it */
}

void function_index_free(struct function_index *index)
{
    tdestroy(index->by_name, keep);
    tdestroy(index->by_place, keep);
    for (size_t i = 0; i < index->count; i++)
        function_free(index->functions[i]);
    free(index->functions);
    *index = (struct function_index){0};
}
