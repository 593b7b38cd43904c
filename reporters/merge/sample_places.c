#include "reporters/merge/sample_places.h"

#include "reporters/function_index.h"

#include <stdlib.h>

#define SCOPES_MOST 32

struct module { /* one that functions of the profile lie in */
    struct symbols *symbols;
    struct function_index index;
    uint32_t *ids; /* of the functions, by number in the index */
    size_t known;
};

/* --- One module --------------------------------------------------------------------------------------------------- */

/* Adds the functions of the profile that lie in module `m`. False: out of memory. */
static bool index_functions(struct module *module, const struct profile_file *file, uint32_t m)
{
    module->ids = malloc((file->function_count + (size_t)1) * sizeof *module->ids);
    for (uint32_t id = PCOMP_FUNCTION_FIRST; module->ids && id < file->function_count; id++) {
        const struct pcomp_function *f = file->functions[id];
        struct symbol_scope scopes[SCOPES_MOST];
        size_t count = f->module == m && !(f->flags & PCOMP_FUNCTION_REGION)
                           ? symbols_scopes(module->symbols, f->address - file->modules[m]->bias, scopes, SCOPES_MOST)
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

static void module_close(struct module *module)
{
    symbols_close(module->symbols);
    function_index_free(&module->index);
    free(module->ids);
}

/* False: out of memory. *has: there is debug information. */
static bool module_open(struct module *module, const struct profile_file *file, uint32_t m, bool *has)
{
    const struct pcomp_module *r = file->modules[m];
    const char *path = profile_text(file, r->path_link);
    char problem[1024];
    const struct symbol_source source = {.path = path ? path : "",
                                         .build_id = r->build_id,
                                         .build_id_size = r->build_id_size <= sizeof r->build_id ? r->build_id_size : 0,
                                         .file_size = r->file_size,
                                         .file_mtime_ns = r->file_mtime_ns};
    *module = (struct module){.symbols = symbols_open(&source, problem, sizeof problem)};
    *has = module->symbols && symbols_have_scopes(module->symbols);
    return !*has || index_functions(module, file, m);
}

/* Id of the innermost function of the profile at an ELF address. */
static uint32_t function_at(const struct module *module, uint64_t address)
{
    struct symbol_scope scopes[SCOPES_MOST];
    size_t count = symbols_scopes(module->symbols, address, scopes, SCOPES_MOST);
    for (size_t i = 0; i < count; i++) {
        const struct indexed_function *known = function_index_find(&module->index, &scopes[i]);
        if (known)
            return module->ids[known->number];
    }
    return SAMPLE_OF_NONE;
}

/* --- All samples -------------------------------------------------------------------------------------------------- */

struct located { /* a sample, and the module that it lies in */
    uint32_t module;
    uint64_t pc;
    const struct pcomp_sample *sample;
};

static int by_module(const void *x, const void *y)
{
    const struct located *a = x, *b = y;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int by_thread(const void *x, const void *y)
{
    const struct sample_place *a = x, *b = y;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->function < b->function ? -1 : a->function > b->function;
}

static const struct pcomp_sample *record_of(const struct profile_file *file, const struct profile_chunk *chunk,
                                            uint32_t i)
{
    return (const struct pcomp_sample *)(file->data + chunk->records + (uint64_t)i * chunk->stride);
}

/* malloc'ed, sorted by module. NULL: out of memory. */
static struct located *locate_all(const struct profile_file *file, size_t *count)
{
    size_t room = 0;
    for (uint32_t c = 0; c < file->chunk_count; c++)
        room += file->chunks[c].kind == PCOMP_CHUNK_SAMPLES ? file->chunks[c].count : 0;
    struct located *all = malloc((room + 1) * sizeof *all);
    *count = 0;
    for (uint32_t c = 0; all && c < file->chunk_count; c++)
        for (uint32_t i = 0; file->chunks[c].kind == PCOMP_CHUNK_SAMPLES && i < file->chunks[c].count; i++) {
            const struct pcomp_sample *sample = record_of(file, &file->chunks[c], i);
            uint64_t pc = sample->pc & ~PCOMP_SAMPLE_AT_SITE;
            if (sample->count)
                all[(*count)++] =
                    (struct located){pc > PCOMP_SAMPLE_APART ? profile_module_at(file, pc) : PROFILE_NONE, pc, sample};
        }
    if (all)
        qsort(all, *count, sizeof *all, by_module);
    return all;
}

/* Adds up what is of the same thread and function. */
static void add_up(struct sample_places *places)
{
    size_t kept = 0;
    qsort(places->items, places->count, sizeof *places->items, by_thread);
    for (size_t i = 0; i < places->count; i++) {
        struct sample_place *last = kept ? &places->items[kept - 1] : NULL;
        if (last && by_thread(last, &places->items[i]) == 0) {
            last->count += places->items[i].count;
            last->at_sites += places->items[i].at_sites;
        } else {
            places->items[kept++] = places->items[i];
        }
    }
    places->count = kept;
}

bool sample_places_find(const struct profile_file *file, bool symbols, struct sample_places *places)
{
    size_t count;
    struct located *all = locate_all(file, &count);
    struct module module = {0};
    bool ok = all && (places->items = malloc((count + 1) * sizeof *places->items)), has = false;
    places->count = 0;
    places->unknown = NULL;
    for (size_t i = 0; ok && i < count; i++) {
        uint32_t m = all[i].module, function = SAMPLE_OF_NONE;
        const struct pcomp_sample *sample = all[i].sample;
        if (symbols && m != PROFILE_NONE && (!i || all[i - 1].module != m)) {
            module_close(&module);
            ok = module_open(&module, file, m, &has);
            if (!has)
                places->unknown = profile_text(file, file->modules[m]->path_link);
        }
        if (all[i].pc == PCOMP_SAMPLE_APART)
            function = SAMPLE_APART;
        else if (ok && m != PROFILE_NONE && has)
            function = function_at(&module, all[i].pc - file->modules[m]->bias);
        places->items[places->count++] = (struct sample_place){sample->thread, function, sample->count,
                                                               sample->pc & PCOMP_SAMPLE_AT_SITE ? sample->count : 0};
    }
    module_close(&module);
    free(all);
    if (ok)
        add_up(places);
    return ok;
}

void sample_places_free(struct sample_places *places)
{
    free(places->items);
    *places = (struct sample_places){0};
}

const struct sample_place *sample_places_of(const struct sample_places *places, uint32_t thread, size_t *count)
{
    size_t low = 0, high = places->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (places->items[middle].thread < thread)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < places->count && places->items[low + *count].thread == thread;)
        ++*count;
    return places->items + low;
}
