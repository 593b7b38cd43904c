/* Functions by what debug information and symbol tables say of them, so that a function that a profile knows by its
 * address is found again as an inlined one, or in another build. Not thread-safe. */
#ifndef PCOMP_FUNCTION_INDEX_H
#define PCOMP_FUNCTION_INDEX_H

#include "reporters/symbols/symbols.h"

#include <stdbool.h>
#include <stddef.h>

struct indexed_function {
    char *name;    /* demangled, without the suffixes of clones */
    char *file;    /* last part of the path of its source; NULL unknown */
    char *place;   /* "file:line"; NULL unknown */
    size_t number; /* from 0, in the order in which they were added */
};

struct function_index {
    struct indexed_function **functions;
    size_t count, room;
    void *by_name, *by_place; /* trees of tsearch */
};

/* The function that is defined there, added when it is not in the index yet. NULL: out of memory. */
const struct indexed_function *function_index_add(struct function_index *index, const struct symbol_scope *scope);

/* The same, by its name (and file, where both are known), or else by the place of its definition, since debug
 * information gives some inlined functions of C++ no linkage name. NULL: it is not in the index. */
const struct indexed_function *function_index_find(const struct function_index *index,
                                                   const struct symbol_scope *scope);

/* Frees what it holds; it is empty then. */
void function_index_free(struct function_index *index);

#endif
