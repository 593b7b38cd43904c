#include "reporters/advise/advice_match.h"

#include "reporters/advise/gcc_exclusion.h"

#include <stdlib.h>
#include <string.h>

static bool add(struct match_names *names, const char *linkage, struct match_name name)
{
    name.visible = gcc_visible_name(linkage);
    names->list[names->count] = name;
    names->count += name.visible != NULL;
    return name.visible != NULL;
}

bool match_names_read(struct match_names *names, const struct call_tree *tree, const struct dwarf_functions *dwarf)
{
    size_t more = dwarf ? dwarf->count : 0;
    *names = (struct match_names){.list = calloc(tree->function_count + more + 1, sizeof *names->list)};
    bool *seen = calloc(more + 1, sizeof *seen);
    bool good = names->list && seen;
    for (uint32_t i = 0; good && i < tree->function_count; i++) {
        const struct tree_function *function = &tree->functions[i];
        if (!function->module)
            continue;
        good = add(names, function->linkage_name, (struct match_name){NULL, function->name, function->file, i});
        const struct dwarf_function *same =
            dwarf ? dwarf_functions_find(dwarf, function->linkage_name, function->file) : NULL;
        if (same)
            seen[same - dwarf->list] = true;
    }
    for (size_t i = 0; good && i < more; i++)
        if (!seen[i])
            good = add(names, dwarf->list[i].linkage,
                       (struct match_name){NULL, dwarf->list[i].key, dwarf->list[i].file, MATCH_NOT_IN_PROFILE});
    free(seen);
    return good;
}

void match_names_free(struct match_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i].visible);
    free(names->list);
    *names = (struct match_names){NULL, 0};
}

bool match_takes(const struct advice_item *item, const struct match_name *name)
{
    const char *text = item->is_file ? name->file : name->visible;
    return text && strstr(text, item->text) != NULL;
}
