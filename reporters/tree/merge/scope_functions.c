#include "reporters/tree/merge/scope_functions.h"

#include "reporters/filter/hooked_functions.h"
#include "reporters/symbols/function_index.h"

#include <stdlib.h>

#define SCOPES_MAX 32

struct module { /* one that functions of the profile lie in */
    bool opened;
    bool inlined; /* functions that were inlined have sites of their own */
    struct symbols *symbols;
    struct function_index index;
    uint32_t *ids; /* of the functions, by number in the index */
    size_t known;
};

struct scope_functions {
    const struct profile_file *file;
    struct module *modules; /* by id */
};

struct scope_functions *scope_functions_new(const struct profile_file *file)
{
    struct scope_functions *s = malloc(sizeof *s);
    if (s)
        *s = (struct scope_functions){file, calloc(file->module_count + (size_t)1, sizeof *s->modules)};
    if (!s || s->modules)
        return s;
    free(s);
    return NULL;
}

void scope_functions_free(struct scope_functions *s)
{
    if (!s)
        return;
    for (uint32_t m = 0; m < s->file->module_count; m++) {
        symbols_close(s->modules[m].symbols);
        function_index_free(&s->modules[m].index);
        free(s->modules[m].ids);
    }
    free(s->modules);
    free(s);
}

/* Adds the functions of the profile that lie in module `m`. False: out of memory. */
static bool index_functions(const struct profile_file *file, struct module *module, uint32_t m)
{
    module->ids = malloc((file->function_count + (size_t)1) * sizeof *module->ids);
    for (uint32_t id = PCOMP_FUNCTION_FIRST; module->ids && id < file->function_count; id++) {
        const struct pcomp_function *f = file->functions[id];
        struct symbol_scope scopes[SCOPES_MAX];
        size_t count = f->module == m && !(f->flags & PCOMP_FUNCTION_REGION)
                           ? symbols_scopes(module->symbols, f->address - file->modules[m]->bias, scopes, SCOPES_MAX)
                           : 0;
        if (!count || !scopes[count - 1].name)
            continue;
        const struct indexed_function *added = function_index_add(&module->index, &scopes[count - 1]);
        if (!added)
            return false;
        if (added->number == module->known)
            module->ids[module->known++] = id;
    }
    return module->ids;
}

static bool open_module(const struct profile_file *file, struct module *module, uint32_t m)
{
    const struct pcomp_module *r = file->modules[m];
    const char *path = profile_text(file, r->path_link);
    char problem[1024];
    const struct symbol_source source = symbol_source(r, path);
    module->opened = true;
    module->inlined = path && hooked_functions_inlined(path);
    module->symbols = symbols_open(&source, problem, sizeof problem);
    return !module->symbols || index_functions(file, module, m);
}

/* NULL: the address lies in none, or nothing is known of it. */
static struct module *module_at(struct scope_functions *s, uint64_t pc, uint64_t *bias, bool *failed)
{
    uint32_t m = profile_module_at(s->file, pc);
    if (m == PROFILE_NONE)
        return NULL;
    if (!s->modules[m].opened && !open_module(s->file, &s->modules[m], m))
        *failed = true;
    *bias = s->file->modules[m]->bias;
    return s->modules[m].symbols && s->modules[m].ids ? &s->modules[m] : NULL;
}

size_t scope_functions_at(struct scope_functions *s, uint64_t pc, uint32_t *ids, size_t room, bool *failed)
{
    struct symbol_scope scopes[SCOPES_MAX];
    uint64_t bias = 0;
    struct module *module = module_at(s, pc, &bias, failed);
    size_t count = module ? symbols_scopes(module->symbols, pc - bias, scopes, SCOPES_MAX) : 0, found = 0;
    for (size_t i = count && !module->inlined ? count - 1 : 0; i < count && found < room; i++) {
        const struct indexed_function *known = function_index_find(&module->index, &scopes[i]);
        if (known)
            ids[found++] = module->ids[known->number];
    }
    return found;
}
