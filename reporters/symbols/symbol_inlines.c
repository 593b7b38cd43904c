#include "reporters/symbols/symbol_inlines.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/sorted.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64 /* of nested scopes; damaged DWARF may nest without end */

struct function_range { /* one function has several where it is split into hot and cold parts */
    Dwarf_Addr start, end;
    Dwarf_Die die;
};

struct inline_index {
    struct function_range *ranges; /* by start; those of different functions do not overlap */
    size_t count, room;
    bool failed; /* out of memory */
};

/* --- All functions ------------------------------------------------------------------------------------------------ */

static void add_function(struct inline_index *index, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;) {
        if (!ARRAY_ROOM(index->ranges, index->count, index->room)) {
            index->failed = true;
            return;
        }
        index->ranges[index->count++] = (struct function_range){start, end, *die};
    }
}

static bool holds_functions(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_lexical_block;
}

static void visit_scope(struct inline_index *index, Dwarf_Die *scope, int depth)
{
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(scope, &die))
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            add_function(index, &die);
        if (tag == DW_TAG_subprogram || holds_functions(tag))
            visit_scope(index, &die, depth + 1);
    } while (!index->failed && dwarf_siblingof(&die, &die) == 0);
}

static int compare_ranges(const void *a, const void *b)
{
    const struct function_range *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

struct inline_index *inline_index_new(Dwarf *dwarf)
{
    struct inline_index *index = calloc(1, sizeof *index);
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    while (index && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0)
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            visit_scope(index, type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid ? &split : &die, 0);
    if (index && (index->failed || !index->count)) {
        inline_index_free(index);
        return NULL;
    }
    if (index)
        qsort(index->ranges, index->count, sizeof *index->ranges, compare_ranges);
    return index;
}

void inline_index_free(struct inline_index *index)
{
    if (index)
        free(index->ranges);
    free(index);
}

/* --- One instruction ---------------------------------------------------------------------------------------------- */

static const struct function_range *range_at(const struct inline_index *index, uint64_t address)
{
    size_t low; /* ranges below low begin at or before the address */
    SORTED_FIND(low, index->count, index->ranges[low].start <= address);
    return low && address < index->ranges[low - 1].end ? &index->ranges[low - 1] : NULL;
}

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute found;
    return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

/* The line of the call that became an inlined function. */
static void find_call(Dwarf_Die *die, struct symbol_scope *scope)
{
    Dwarf_Attribute attribute;
    Dwarf_Word index, line;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &index) || !dwarf_diecu(die, &unit, NULL, NULL) ||
        dwarf_getsrcfiles(&unit, &files, &count) || index >= count)
        return;
    scope->call_file = dwarf_filesrc(files, index, NULL, NULL);
    scope->call_line = scope->call_file ? (unsigned)line : 0;
}

/* All follow to the abstract function where the inlined one has nothing of its own. */
static struct symbol_scope scope_of(Dwarf_Die *die)
{
    struct symbol_scope scope = {.name = text_of(die, DW_AT_linkage_name), .file = dwarf_decl_file(die)};
    int line;
    if (!scope.name)
        scope.name = dwarf_diename(die);
    if (dwarf_decl_line(die, &line) == 0)
        scope.line = (unsigned)line;
    if (dwarf_tag(die) == DW_TAG_inlined_subroutine)
        find_call(die, &scope);
    return scope;
}

/* The inlined function or block among the children of `scope` that has the address. */
static bool inner_scope(Dwarf_Die *scope, uint64_t address, Dwarf_Die *inner)
{
    if (dwarf_child(scope, inner))
        return false;
    do {
        int tag = dwarf_tag(inner);
        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
             tag == DW_TAG_catch_block) &&
            dwarf_haspc(inner, address) > 0)
            return true;
    } while (dwarf_siblingof(inner, inner) == 0);
    return false;
}

size_t inline_index_scopes(const struct inline_index *index, uint64_t address, struct symbol_scope *scopes, size_t room)
{
    const struct function_range *range = range_at(index, address);
    if (!range || !room)
        return 0;
    Dwarf_Die scope = range->die, inner;
    size_t count = 0;
    scopes[count++] = scope_of(&scope);
    for (int depth = 0; depth < DEPTH_MAX && inner_scope(&scope, address, &inner); depth++) {
        scope = inner;
        if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine)
            continue;
        if (count == room) /* the outermost one gives way: the inner ones are what was asked for */
            memmove(scopes, scopes + 1, --count * sizeof *scopes);
        scopes[count++] = scope_of(&scope);
    }
    for (size_t i = 0; i < count / 2; i++) { /* innermost first */
        struct symbol_scope swap = scopes[i];
        scopes[i] = scopes[count - 1 - i];
        scopes[count - 1 - i] = swap;
    }
    return count;
}
