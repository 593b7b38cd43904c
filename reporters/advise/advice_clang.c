/* The header for clang: declarations with an attribute, for functions whose types can be written. */
#include "reporters/advise/advice_write.h"

#include "reporters/symbols/dwarf_prototype.h"

#include <stdlib.h>
#include <string.h>

struct header {
    const struct dwarf_functions *plain;
    struct dwarf_functions measured; /* of the module that was opened last */
    const char *module;              /* its path; NULL none yet */
    struct prototype_tags tags;
};

static const struct dwarf_function *header_find(struct header *header, const struct tree_function *function)
{
    char error[1024];
    const struct dwarf_function *found =
        header->plain ? dwarf_functions_find(header->plain, function->linkage_name, function->file) : NULL;
    if (found)
        return found;
    if (!header->module || strcmp(header->module, function->module) != 0) {
        dwarf_functions_free(&header->measured);
        dwarf_functions_read(&header->measured, function->module, error, sizeof error);
        header->module = function->module;
    }
    return dwarf_functions_find(&header->measured, function->linkage_name, function->file);
}

/* The declaration of a row's function, or NULL and *why. */
static char *header_declare(struct header *header, const struct advice_row *row, const char **why)
{
    const struct dwarf_function *found = header_find(header, row->function);
    *why = "not in the debugging information";
    if (!found)
        return NULL;
    *why = "there are several functions of this name";
    if (found->sources > 1)
        return NULL;
    Dwarf_Die die = found->die;
    return dwarf_prototype(&die, &header->tags, why);
}

static void header_write(FILE *out, struct header *header, const struct advice *advice, char **declarations,
                         const char **reasons)
{
    size_t inlined = 0;
    for (size_t i = 0; i < advice->reason_count; i++)
        inlined += advice->rows[i].why != ADVICE_TINY;
    fprintf(out, "/* Keeps clang's instrumentation off functions: compile with -include and this file. */\n");
    if (inlined)
        fprintf(out,
                "/* Functions that are inlined everywhere: %zu. -finstrument-functions-after-inlining in place of\n"
                " * -finstrument-functions leaves them alone. */\n",
                inlined);
    for (size_t i = 0; i < advice->reason_count; i++)
        if (reasons[i])
            fprintf(out, "/* not declared: %s: %s */\n", advice->rows[i].function->name, reasons[i]);
    fprintf(out, "#if !defined __cplusplus && !defined __ASSEMBLER__\n");
    for (size_t i = 0; i < header->tags.count; i++)
        fprintf(out, "%s;\n", header->tags.texts[i]);
    for (size_t i = 0; i < advice->reason_count; i++)
        if (declarations[i])
            fprintf(out, "__attribute__((no_instrument_function)) %s;\n", declarations[i]);
    fprintf(out, "#endif\n");
}

bool advice_write_clang(FILE *out, const struct advice *advice, const struct dwarf_functions *dwarf)
{
    struct header header = {.plain = dwarf, .measured = {.main.fd = -1, .debug.fd = -1}};
    char **declarations = calloc(advice->reason_count + 1, sizeof *declarations);
    const char **reasons = calloc(advice->reason_count + 1, sizeof *reasons);
    bool good = declarations && reasons;
    for (size_t i = 0; good && i < advice->reason_count; i++) {
        if (advice->rows[i].why != ADVICE_TINY)
            continue;
        const char *why;
        declarations[i] = header_declare(&header, &advice->rows[i], &why);
        if (!declarations[i])
            reasons[i] = why;
    }
    if (good)
        header_write(out, &header, advice, declarations, reasons);
    for (size_t i = 0; declarations && i < advice->reason_count; i++)
        free(declarations[i]);
    free(declarations);
    free(reasons);
    prototype_tags_free(&header.tags);
    dwarf_functions_free(&header.measured);
    return good;
}
