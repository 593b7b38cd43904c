/* Arrays of jansson that are made row by row. */
#ifndef PCOMP_JSON_LIST_H
#define PCOMP_JSON_LIST_H

#include <jansson.h>

/* The list with the row behind its end, which it takes. NULL, and the list is freed: no row, or out of memory. */
static inline json_t *json_list_add(json_t *list, json_t *row)
{
    if (!json_array_append_new(list, row))
        return list;
    json_decref(list);
    return NULL;
}

#endif
