#include "reporters/tree/merge/scope_functions.h"

#include "reporters/filter/hooked_functions.h"
#include "reporters/symbols/function_index.h"

#include <stdlib.h>
#include <string.h>

#define SCOPES_MAX 32

struct scope_symbols {
    char *path;
    uint8_t build_id[sizeof(((struct pcomp_module *)0)->build_id)];
    size_t build_id_size;
    uint64_t file_size;
    int64_t file_mtime_ns;
    bool inlined;            /* functions that were inlined have sites of their own */
    struct symbols *symbols; /* NULL: nothing is known of the module */
    struct scope_symbols *next;
};

struct module { /* one that functions of the profile lie in */
    bool opened;
    const struct scope_symbols *open;
    struct function_index index;
    uint32_t *ids; /* of the functions, by number in the index */
    size_t known;
};

struct scope_functions {
    const struct profile_file *file;
    struct module *modules; /* by id */
    struct scope_symbols **open;
};

void scope_symbols_free(struct scope_symbols *open)
{
    while (open) {
        struct scope_symbols *next = open->next;
        symbols_close(open->symbols);
        free(open->path);
        free(open);
        open = next;
    }
}

static bool is_same(const struct scope_symbols *o, const struct symbol_source *source)
{
    return !strcmp(o->path, source->path) && o->build_id_size == source->build_id_size &&
           !memcmp(o->build_id, source->build_id, o->build_id_size) && o->file_size == source->file_size &&
           o->file_mtime_ns == source->file_mtime_ns;
}

/* NULL: out of memory. */
static const struct scope_symbols *open_symbols(struct scope_symbols **open, const struct symbol_source *source)
{
    char problem[1024];
    for (const struct scope_symbols *o = *open; o; o = o->next)
        if (is_same(o, source))
            return o;
    struct scope_symbols *o = calloc(1, sizeof *o);
    if (!o || !(o->path = strdup(source->path))) {
        free(o);
        return NULL;
    }
    o->build_id_size = source->build_id_size;
    memcpy(o->build_id, source->build_id, source->build_id_size);
    o->file_size = source->file_size;
    o->file_mtime_ns = source->file_mtime_ns;
    o->inlined = *source->path && hooked_functions_inlined(source->path);
    o->symbols = symbols_open(source, problem, sizeof problem);
    o->next = *open;
    *open = o;
    return o;
}

struct scope_functions *scope_functions_new(const struct profile_file *file, struct scope_symbols **open)
{
    struct scope_functions *s = malloc(sizeof *s);
    if (s)
        *s = (struct scope_functions){file, calloc(file->module_count + (size_t)1, sizeof *s->modules), open};
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
        size_t count =
            f->module == m && !(f->flags & PCOMP_FUNCTION_REGION)
                ? symbols_scopes(module->open->symbols, f->address - file->modules[m]->bias, scopes, SCOPES_MAX)
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

static bool open_module(struct scope_functions *s, struct module *module, uint32_t m)
{
    const struct pcomp_module *r = s->file->modules[m];
    const struct symbol_source source = symbol_source(r, profile_text(s->file, r->path_link));
    module->opened = true;
    if (!s->open)
        return true;
    module->open = open_symbols(s->open, &source);
    return module->open && (!module->open->symbols || index_functions(s->file, module, m));
}

/* NULL: the address lies in none, or nothing is known of it. */
static struct module *module_at(struct scope_functions *s, uint64_t pc, uint64_t *bias, bool *failed)
{
    uint32_t m = profile_module_at(s->file, pc);
    if (m == PROFILE_NONE)
        return NULL;
    if (!s->modules[m].opened && !open_module(s, &s->modules[m], m))
        *failed = true;
    *bias = s->file->modules[m]->bias;
    return s->modules[m].ids ? &s->modules[m] : NULL; /* where there are symbols */
}

size_t scope_functions_at(struct scope_functions *s, uint64_t pc, uint32_t *ids, size_t room, bool *failed)
{
    struct symbol_scope scopes[SCOPES_MAX];
    uint64_t bias = 0;
    struct module *module = module_at(s, pc, &bias, failed);
    size_t count = module ? symbols_scopes(module->open->symbols, pc - bias, scopes, SCOPES_MAX) : 0, found = 0;
    for (size_t i = count && !module->open->inlined ? count - 1 : 0; i < count && found < room; i++) {
        const struct indexed_function *known = function_index_find(&module->index, &scopes[i]);
        if (known)
            ids[found++] = module->ids[known->number];
    }
    return found;
}
