#include "reporters/symbols/symbol_lines.h"

#include "compensation/numeric/sorted.h"

#include <dwarf.h>
#include <string.h>

#define DEPTH_MAX 64 /* of nested scopes; damaged DWARF may nest without end */

struct search {
    struct line_query *queries;
    size_t count;
    size_t open; /* function queries of this unit that have no answer yet */
};

/* First query with an address of at least `address`. */
static size_t first_at(const struct search *s, uint64_t address)
{
    size_t low;
    SORTED_FIND(low, s->count, s->queries[low].address < address);
    return low;
}

const char *dwarf_die_file(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word index;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &index) ||
        !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
        dwarf_getsrcfiles(&unit, &files, &count) || index >= count)
        return NULL;
    return dwarf_filesrc(files, index, NULL, NULL);
}

static bool entry_of(Dwarf_Die *die, Dwarf_Addr *entry)
{
    Dwarf_Addr base, end;
    if (dwarf_entrypc(die, entry) == 0)
        return true;
    /* split into hot and cold parts: the first range begins with the entry */
    return dwarf_ranges(die, 0, &base, entry, &end) > 0;
}

static void answer_function(struct search *s, Dwarf_Die *die)
{
    Dwarf_Addr entry;
    if (!entry_of(die, &entry))
        return;
    for (size_t i = first_at(s, entry); i < s->count && s->queries[i].address == entry; i++) {
        struct line_query *q = &s->queries[i];
        int line;
        const char *file;
        if (!q->is_function || q->line.file)
            continue;
        /* both follow to the abstract or in-class declaration where the definition has none of its own */
        if (dwarf_decl_line(die, &line) || !(file = dwarf_die_file(die)))
            continue;
        q->line = (struct source_line){file, (unsigned)line};
        s->open--;
    }
}

/* Visits the functions of a scope. Inside functions only when asked, for nested functions. */
static void visit_scope(struct search *s, Dwarf_Die *scope, bool inside, int depth)
{
    Dwarf_Die die;
    if (depth > DEPTH_MAX || dwarf_child(scope, &die))
        return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            answer_function(s, &die);
            if (inside)
                visit_scope(s, &die, inside, depth + 1);
            break;
        case DW_TAG_lexical_block:
            if (inside)
                visit_scope(s, &die, inside, depth + 1);
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
            visit_scope(s, &die, inside, depth + 1);
            break;
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
            if (inside)
                visit_scope(s, &die, inside, depth + 1);
            break;
        default:
            break;
        }
    } while (s->open && dwarf_siblingof(&die, &die) == 0);
}

static void answer_instruction(Dwarf_Die *unit, struct line_query *q)
{
    Dwarf_Line *line = dwarf_getsrc_die(unit, q->address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number;
    if (file && dwarf_lineno(line, &number) == 0)
        q->line = (struct source_line){file, (unsigned)number};
}

/* Counts (count_only) or answers by the line table the queries without an answer inside the ranges of a unit. */
static size_t unanswered(struct search *s, Dwarf_Die *unit, bool count_only)
{
    Dwarf_Addr base = 0, start = 0, end = 0;
    size_t found = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &start, &end)) > 0;)
        for (size_t i = first_at(s, start); i < s->count && s->queries[i].address < end; i++) {
            struct line_query *q = &s->queries[i];
            if (q->line.file)
                continue;
            if (count_only)
                found += q->is_function ? 1 : (size_t)1 << 32;
            else
                answer_instruction(unit, q);
        }
    return found;
}

void dwarf_answer_lines(Dwarf *dwarf, struct line_query *queries, size_t count)
{
    struct search s = {.queries = queries, .count = count};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    while (count && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        size_t found = unanswered(&s, &die, true);
        if (!found)
            continue;
        Dwarf_Die *body = type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid ? &split : &die;
        s.open = (uint32_t)found;
        if (s.open)
            visit_scope(&s, body, false, 0);
        if (s.open)
            visit_scope(&s, body, true, 0);
        if (s.open || found >> 32)
            unanswered(&s, &die, false);
    }
}
