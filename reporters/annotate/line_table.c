#include "reporters/annotate/line_table.h"

#include "compensation/numeric/array.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct line_key {
    uint32_t function, index;
    bool inlined;
    unsigned line;
    const char *file;
};

struct line_table {
    void *keys; /* tree of tsearch */
    size_t room;
};

static int text_order(const char *x, const char *y)
{
    return x && y ? strcmp(x, y) : (x != NULL) - (y != NULL);
}

static int key_order(const void *x, const void *y)
{
    const struct line_key *a = x, *b = y;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    if (a->inlined != b->inlined)
        return a->inlined - b->inlined;
    int by_file = text_order(a->file, b->file);
    return by_file ? by_file : (a->line > b->line) - (a->line < b->line);
}

struct line_table *line_table_new(void)
{
    return calloc(1, sizeof(struct line_table));
}

void line_table_free(struct line_table *table)
{
    if (table)
        tdestroy(table->keys, free);
    free(table);
}

static const char *keep(struct annotation *a, const char *text)
{
    return text ? text_pool_copy(&a->texts, text, strlen(text)) : NULL;
}

static bool line_add(struct line_table *table, struct annotation *a, const struct line_key *key, const char *name)
{
    if (!ARRAY_ROOM(a->lines, a->line_count, table->room))
        return false;
    a->lines[a->line_count++] = (struct annotated_line){.function = key->function,
                                                        .inlined = key->inlined,
                                                        .name = keep(a, name),
                                                        .file = key->file,
                                                        .line = key->line,
                                                        .first_call = UINT32_MAX};
    return true;
}

static bool place_add(struct line_table *table, struct annotation *a, struct sample_place *place)
{
    bool known = place->function != PLACES_NONE;
    struct line_key key = {known ? place->function : place->inside, 0, !known, place->line, place->file}, *made,
                    **found;
    place->index = UINT32_MAX;
    if (key.function == PLACES_NONE)
        return true;
    found = tfind(&key, &table->keys, key_order);
    if (found) {
        place->index = (*found)->index;
        return true;
    }
    if (!(made = malloc(sizeof *made)))
        return false;
    *made = key;
    made->file = keep(a, key.file);
    made->index = place->index = (uint32_t)a->line_count;
    if (line_add(table, a, made, known ? NULL : place->name) && tsearch(made, &table->keys, key_order))
        return true;
    free(made);
    return false;
}

bool line_table_add(struct line_table *table, struct annotation *a, struct sample_places *places)
{
    size_t count;
    struct sample_place *list = sample_places_all(places, &count);
    for (size_t i = 0; i < count; i++)
        if (!place_add(table, a, &list[i]))
            return false;
    return true;
}

static int line_order(const void *x, const void *y)
{
    const struct annotated_line *a = x, *b = y;
    return key_order(&(struct line_key){a->function, 0, a->inlined, a->line, a->file},
                     &(struct line_key){b->function, 0, b->inlined, b->line, b->file});
}

void line_table_sort(struct annotation *a)
{
    if (a->line_count)
        qsort(a->lines, a->line_count, sizeof *a->lines, line_order);
    for (size_t i = 0; i < a->line_count; i++) {
        struct annotated_function *f = &a->functions[a->lines[i].function];
        if (!f->count++)
            f->first = i;
    }
}
