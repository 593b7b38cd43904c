#include "reporters/annotate/sample_places.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/sorted.h"
#include "reporters/base/sorted_indices.h"
#include "reporters/base/text.h"

#include <stdlib.h>
#include <string.h>

#define SCOPES_MAX 32

struct address {
    uint64_t pc;
    uint32_t module, first, count; /* its places */
};

struct sample_places {
    const struct profile_file *file;
    const struct call_tree *tree;
    uint32_t *by_name; /* functions of the tree, by linkage name */
    struct address *addresses;
    size_t address_count;
    struct sample_place *list;
    size_t count, room;
    struct symbols **symbols; /* by module */
    size_t without_lines;
    const char *without; /* one of these */
};

/* --- Functions of the tree by name -------------------------------------------------------------------------------- */

static int name_order(const void *a, const void *b, void *context)
{
    const struct call_tree *tree = context;
    return strcmp(tree->functions[*(const uint32_t *)a].linkage_name,
                  tree->functions[*(const uint32_t *)b].linkage_name);
}

static bool names_sort(struct sample_places *p)
{
    p->by_name = sorted_indices(p->tree->function_count, name_order, (void *)(uintptr_t)p->tree);
    return p->by_name;
}

/* Whether a function of the tree may be the scope: of several of one name that of the same file. */
static bool same_file(const struct tree_function *f, const struct symbol_scope *scope)
{
    return !f->file || !scope->file || !strcmp(text_basename(f->file), text_basename(scope->file));
}

/* Clones of a function ("f.part.0", "f.constprop.1") are the function. */
static int compare_name(const char *name, const char *linkage)
{
    size_t length = strcspn(name, ".");
    int order = strncmp(name, linkage, length);
    return order ? order : -(linkage[length] && linkage[length] != '.');
}

static uint32_t function_find(const struct sample_places *p, const struct symbol_scope *scope)
{
    size_t low;
    if (!scope->name)
        return PLACES_NONE;
    SORTED_FIND(low, p->tree->function_count,
                compare_name(scope->name, p->tree->functions[p->by_name[low]].linkage_name) > 0);
    for (; low < p->tree->function_count; low++) {
        const struct tree_function *f = &p->tree->functions[p->by_name[low]];
        if (compare_name(scope->name, f->linkage_name))
            return PLACES_NONE;
        if (same_file(f, scope))
            return p->by_name[low];
    }
    return PLACES_NONE;
}

/* --- Addresses ---------------------------------------------------------------------------------------------------- */

static int address_order(const void *a, const void *b)
{
    const struct address *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool addresses_gather(struct sample_places *p)
{
    size_t max = 0;
    for (uint32_t c = 0; c < p->file->chunk_count; c++)
        max += p->file->chunks[c].kind == PCOMP_CHUNK_STACKS ? p->file->chunks[c].count : 0;
    p->addresses = calloc(max + 1, sizeof *p->addresses);
    if (!p->addresses)
        return false;
    for (uint32_t c = 0; c < p->file->chunk_count; c++) {
        const struct profile_chunk *chunk = &p->file->chunks[c];
        for (uint32_t i = 0; chunk->kind == PCOMP_CHUNK_STACKS && i < chunk->count; i++) {
            const struct pcomp_stack_frame *frame =
                (const struct pcomp_stack_frame *)(p->file->data + chunk->records + (uint64_t)i * chunk->stride);
            if (frame->pc > PCOMP_STACK_LIBRARY)
                p->addresses[p->address_count++].pc = frame->pc;
        }
    }
    if (p->address_count)
        qsort(p->addresses, p->address_count, sizeof *p->addresses, address_order);
    size_t kept = 0;
    for (size_t i = 0; i < p->address_count; i++)
        if (!i || p->addresses[i].pc != p->addresses[kept - 1].pc)
            p->addresses[kept++] = p->addresses[i];
    p->address_count = kept;
    return true;
}

/* --- Lines -------------------------------------------------------------------------------------------------------- */

static bool place_add(struct sample_places *p, struct address *address, struct sample_place place)
{
    if (!ARRAY_ROOM(p->list, p->count, p->room))
        return false;
    p->list[p->count++] = place;
    address->count++;
    return true;
}

static bool address_resolve(struct sample_places *p, struct symbols *symbols, struct address *address, uint64_t bias,
                            const struct source_line *line)
{
    struct symbol_scope scopes[SCOPES_MAX];
    size_t count = symbols_scopes(symbols, address->pc - bias, scopes, SCOPES_MAX);
    const char *file = line->file;
    unsigned number = line->line;
    address->first = (uint32_t)p->count;
    for (size_t i = 0; i < count; i++) {
        uint32_t function = function_find(p, &scopes[i]);
        if (!place_add(p, address, (struct sample_place){function, PLACES_NONE, scopes[i].name, file, number, 0}))
            return false;
        file = scopes[i].call_file;
        number = scopes[i].call_line;
    }
    for (size_t i = p->count; i-- > address->first + (size_t)1;)
        if (p->list[i - 1].function == PLACES_NONE)
            p->list[i - 1].inside = p->list[i].function != PLACES_NONE ? p->list[i].function : p->list[i].inside;
    return true;
}

/* Addresses of one module, sorted. */
static bool module_resolve(struct sample_places *p, uint32_t module, struct address *list, size_t count)
{
    const struct pcomp_module *r = p->file->modules[module];
    const char *path = profile_text(p->file, r->path_link);
    char problem[1024];
    const struct symbol_source source = symbol_source(r, path);
    struct symbols *symbols = p->symbols[module] = symbols_open(&source, problem, sizeof problem);
    struct line_query *queries = symbols ? calloc(count, sizeof *queries) : NULL;
    if (!symbols)
        return true;
    bool ok = queries, any = false;
    for (size_t i = 0; ok && i < count; i++)
        queries[i] = (struct line_query){.address = list[i].pc - r->bias, .tag = (uint32_t)i};
    if (ok)
        symbols_lines(symbols, queries, count);
    for (size_t i = 0; ok && i < count; i++) {
        ok = address_resolve(p, symbols, &list[i], r->bias, &queries[i].line);
        any |= queries[i].line.file != NULL;
    }
    free(queries);
    for (size_t i = 0; !any && i < p->count; i++) /* a function of the profile lies in it */
        if (i >= list[0].first && p->list[i].function != PLACES_NONE) {
            p->without_lines++;
            p->without = path;
            break;
        }
    return ok;
}

static int module_order(const void *a, const void *b)
{
    const struct address *x = a, *y = b;
    return x->module != y->module ? (x->module < y->module ? -1 : 1) : address_order(a, b);
}

static bool addresses_resolve(struct sample_places *p)
{
    bool ok = true;
    for (size_t i = 0; i < p->address_count; i++)
        p->addresses[i].module = profile_module_at(p->file, p->addresses[i].pc);
    if (p->address_count)
        qsort(p->addresses, p->address_count, sizeof *p->addresses, module_order);
    for (size_t i = 0, next; ok && i < p->address_count; i = next) {
        for (next = i; next < p->address_count && p->addresses[next].module == p->addresses[i].module; next++)
            ;
        if (p->addresses[i].module != PROFILE_NONE)
            ok = module_resolve(p, p->addresses[i].module, &p->addresses[i], next - i);
    }
    if (p->address_count)
        qsort(p->addresses, p->address_count, sizeof *p->addresses, address_order);
    return ok;
}

struct sample_places *sample_places_new(const struct profile_file *file, const struct call_tree *tree)
{
    struct sample_places *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->file = file;
    p->tree = tree;
    p->symbols = calloc(file->module_count + (size_t)1, sizeof *p->symbols);
    if (p->symbols && names_sort(p) && addresses_gather(p) && addresses_resolve(p))
        return p;
    sample_places_free(p);
    return NULL;
}

void sample_places_free(struct sample_places *p)
{
    if (!p)
        return;
    for (uint32_t m = 0; p->symbols && m < p->file->module_count; m++)
        symbols_close(p->symbols[m]);
    free(p->symbols);
    free(p->by_name);
    free(p->addresses);
    free(p->list);
    free(p);
}

size_t sample_places_at(const struct sample_places *p, uint64_t pc, const struct sample_place **list)
{
    const struct address key = {.pc = pc}, *found = NULL;
    if (p->address_count)
        found = bsearch(&key, p->addresses, p->address_count, sizeof *p->addresses, address_order);
    *list = found ? p->list + found->first : NULL;
    return found ? found->count : 0;
}

struct sample_place *sample_places_all(struct sample_places *p, size_t *count)
{
    *count = p->count;
    return p->list;
}

size_t sample_places_without_lines(const struct sample_places *p, const char **module)
{
    *module = p->without;
    return p->without_lines;
}
