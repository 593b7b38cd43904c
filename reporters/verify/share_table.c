#include "reporters/verify/share_table.h"

#include "reporters/filter/hooked_functions.h"
#include "reporters/verify/sample_statistics.h"

#include <stdlib.h>
#include <string.h>

bool share_table_add(struct share_table *table, const struct call_tree *tree)
{
    const struct tree_function *heaviest = NULL; /* the module is asked that most time was spent in */
    for (size_t i = 1; i < tree->function_count; i++) {
        const struct tree_function *from = &tree->functions[i];
        if (!from->module || (!from->calls && from->exclusive.raw == 0) || from->counted || from->off)
            continue; /* not of the program: "[beyond limit]", regions; or without times */
        const struct symbol_scope scope = {.name = from->linkage_name, .file = from->file, .line = from->line};
        const struct indexed_function *known = function_index_add(&table->index, &scope);
        if (!known)
            return false;
        if (table->room < table->index.room) {
            struct share_function *grown = reallocarray(table->functions, table->index.room, sizeof *grown);
            if (!grown)
                return false;
            memset(grown + table->room, 0, (table->index.room - table->room) * sizeof *grown);
            table->functions = grown;
            table->room = table->index.room;
        }
        table->functions[known->number].raw += from->exclusive.raw;
        table->functions[known->number].compensated += from->exclusive.compensated;
        if (!heaviest || from->exclusive.raw > heaviest->exclusive.raw)
            heaviest = from;
    }
    table->inlined |= heaviest && hooked_functions_inlined(heaviest->module);
    return true;
}

void share_table_free(struct share_table *table)
{
    function_index_free(&table->index);
    free(table->functions);
    *table = (struct share_table){0};
}

struct share_function *share_table_find(const struct share_table *table, const struct symbol_scope *scope)
{
    const struct indexed_function *known = function_index_find(&table->index, scope);
    return known ? &table->functions[known->number] : NULL;
}

bool share_table_distances(const struct share_table *table, struct share_distances *distances)
{
    size_t count = table->index.count;
    double *values = calloc(5 * count + 1, sizeof *values);
    if (!values)
        return false;
    double *halves[] = {values, values + count}, *truth = values + 2 * count, *raw = values + 3 * count,
           *compensated = values + 4 * count;
    for (size_t i = 0; i < count; i++) {
        const struct share_function *function = &table->functions[i];
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
