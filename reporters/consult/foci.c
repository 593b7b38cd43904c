#include "reporters/consult/foci.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/hash.h"
#include "reporters/base/text.h"
#include "reporters/symbols/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX   100000u /* of a call path */
#define OBJECTS_MAX 4096u   /* of a process: others are in no focus */
#define TEXT_MAX    4096u

/* --- Numbers for foci -------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *name, uint32_t parent, uint32_t of)
{
    uint64_t start = PCOMP_HASH_START ^ ((uint64_t)parent << 32 | of) * 0x9e3779b97f4a7c15u;
    uint64_t hash = pcomp_hash_text(start, name ? name : "");
    return hash ^ hash >> 29;
}

static bool is_same(const struct focus *p, const char *name, uint32_t parent, uint32_t of)
{
    return p->parent == parent && p->of == of && (name ? p->name && !strcmp(p->name, name) : !p->name);
}

static uint32_t *slot_of(const struct focus_list *l, const char *name, uint32_t parent, uint32_t of)
{
    size_t at = hash_of(name, parent, of) & (l->slot_count - 1);
    while (l->slots[at] != FOCUS_NONE && !is_same(&l->list[l->slots[at]], name, parent, of))
        at = (at + 1) & (l->slot_count - 1);
    return &l->slots[at];
}

static bool make_room(struct focus_list *l)
{
    if (l->count < l->room)
        return true;
    size_t room = l->room ? l->room * 2 : 256;
    struct focus *list = realloc(l->list, room * sizeof *list);
    if (!list)
        return false;
    l->list = list;
    uint32_t *slots = malloc(room * 4 * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0xff, room * 4 * sizeof *slots);
    free(l->slots);
    l->slots = slots;
    l->room = room;
    l->slot_count = room * 4;
    for (uint32_t i = 0; i < l->count; i++)
        *slot_of(l, list[i].name, list[i].parent, list[i].of) = i;
    return true;
}

/* The number of the place, new or not. name: NULL or copied. */
static uint32_t place_number(struct focus_list *l, const char *name, uint32_t parent, uint32_t of)
{
    if (!make_room(l))
        return FOCUS_NONE;
    uint32_t *slot = slot_of(l, name, parent, of);
    if (*slot != FOCUS_NONE)
        return *slot;
    struct focus focus = {.name = name ? strdup(name) : NULL, .parent = parent, .of = of};
    if (name && !focus.name)
        return FOCUS_NONE;
    *slot = (uint32_t)l->count;
    l->list[l->count++] = focus;
    return *slot;
}

static void free_list(struct focus_list *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->list[i].name);
    free(l->list);
    free(l->slots);
}

bool foci_open(struct foci *foci)
{
    *foci = (struct foci){0};
    return place_number(&foci->paths, NULL, FOCUS_NONE, FOCUS_NONE) == PATH_ROOT;
}

void foci_close(struct foci *foci)
{
    free_list(&foci->modules);
    free_list(&foci->functions);
    free_list(&foci->paths);
    free_list(&foci->objects);
    for (size_t i = 0; i < foci->opened_count; i++) {
        symbols_close(foci->opened[i].symbols);
        free(foci->opened[i].path);
    }
    free(foci->opened);
}

void focus_cache_free(struct focus_cache *cache)
{
    free(cache->functions);
    free(cache->sites);
    free(cache->objects);
}

/* --- Names ------------------------------------------------------------------------------------------------------- */

/* Symbols of a module, opened when first asked for; NULL: none. */
static struct symbols *symbols_of(struct foci *foci, const struct pcomp_module *module, const char *path)
{
    for (size_t i = 0; i < foci->opened_count; i++)
        if (!strcmp(foci->opened[i].path, path))
            return foci->opened[i].symbols;
    if (!ARRAY_ROOM(foci->opened, foci->opened_count, foci->opened_room))
        return NULL;
    char problem[512], *copy = strdup(path);
    if (!copy)
        return NULL;
    struct symbol_source source = symbol_source(module, path);
    struct symbols *symbols = symbols_open(&source, problem, sizeof problem);
    foci->opened[foci->opened_count++] = (struct focus_symbols){copy, symbols};
    return symbols;
}

/* The function of `linkage` name, or of an offset in its module where it has none. */
static uint32_t number_of_name(struct foci *foci, const char *linkage, uint32_t module, const char *path,
                               uint64_t offset)
{
    char text[TEXT_MAX], *readable = linkage ? demangle(linkage, NAMES_SHORT) : NULL;
    if (!linkage)
        snprintf(text, sizeof text, "%s+0x%llx", text_basename(path), (unsigned long long)offset);
    char *clean = text_clean(readable ? readable : linkage ? linkage : text);
    uint32_t number = clean ? place_number(&foci->functions, clean, FOCUS_NONE, module) : FOCUS_NONE;
    free(clean);
    free(readable);
    return number;
}

static uint32_t find_function(struct foci *foci, struct live_profile *profile, uint32_t id)
{
    struct pcomp_function f;
    struct pcomp_module m;
    char path[TEXT_MAX];
    if (!live_profile_function(profile, id, &f))
        return FOCUS_NONE;
    if (f.name_link) {
        live_profile_text(profile, f.name_link, path, sizeof path);
        return number_of_name(foci, path, FOCUS_NONE, "", 0);
    }
    if (f.module == UINT32_MAX || !live_profile_module(profile, f.module, &m))
        return number_of_name(foci, NULL, FOCUS_NONE, "", f.address);
    live_profile_text(profile, m.path_link, path, sizeof path);
    struct symbols *symbols = symbols_of(foci, &m, path);
    const char *linkage = symbols ? symbols_name(symbols, f.address - m.bias) : NULL;
    return number_of_name(foci, linkage, place_number(&foci->modules, path, FOCUS_NONE, FOCUS_NONE), path,
                          f.address - m.bias);
}

uint32_t foci_function(struct foci *foci, struct focus_cache *cache, struct live_profile *profile, uint32_t id)
{
    if (id >= cache->function_room) {
        size_t room = cache->function_room ? cache->function_room * 2 : 256;
        if (id >= room * 1024)
            return FOCUS_NONE; /* damaged */
        while (room <= id)
            room *= 2;
        uint32_t *grown = realloc(cache->functions, room * sizeof *grown);
        if (!grown)
            return FOCUS_NONE;
        memset(grown + cache->function_room, 0, (room - cache->function_room) * sizeof *grown);
        cache->functions = grown;
        cache->function_room = room;
    }
    if (!cache->functions[id])
        cache->functions[id] = find_function(foci, profile, id) + 1; /* FOCUS_NONE: 0, to be tried again */
    return cache->functions[id] - 1;
}

static uint32_t find_site(struct foci *foci, struct live_profile *profile, uint64_t address)
{
    struct pcomp_module m;
    char path[TEXT_MAX];
    if (live_profile_module_at(profile, address, &m) == UINT32_MAX)
        return FOCUS_NONE;
    live_profile_text(profile, m.path_link, path, sizeof path);
    struct symbols *symbols = symbols_of(foci, &m, path);
    const char *linkage = symbols ? symbols_name_around(symbols, address - 1 - m.bias) : NULL;
    return number_of_name(foci, linkage, place_number(&foci->modules, path, FOCUS_NONE, FOCUS_NONE), path,
                          address - m.bias);
}

uint32_t foci_site(struct foci *foci, struct focus_cache *cache, struct live_profile *profile, uint64_t address)
{
    if (!address)
        return FOCUS_NONE;
    if (cache->site_count * 2 >= cache->site_room) {
        size_t room = cache->site_room ? cache->site_room * 2 : 64;
        struct focus_site *sites = calloc(room, sizeof *sites);
        if (!sites)
            return FOCUS_NONE;
        for (size_t i = 0; i < cache->site_room; i++) {
            size_t at = cache->sites[i].address * 0x9e3779b97f4a7c15u >> 30 & (room - 1);
            while (cache->sites[i].address && sites[at].address)
                at = (at + 1) & (room - 1);
            if (cache->sites[i].address)
                sites[at] = cache->sites[i];
        }
        free(cache->sites);
        cache->sites = sites;
        cache->site_room = room;
    }
    size_t at = address * 0x9e3779b97f4a7c15u >> 30 & (cache->site_room - 1);
    while (cache->sites[at].address && cache->sites[at].address != address)
        at = (at + 1) & (cache->site_room - 1);
    if (!cache->sites[at].address) {
        cache->sites[at] = (struct focus_site){address, find_site(foci, profile, address)};
        cache->site_count++;
    }
    return cache->sites[at].function;
}

/* --- Objects ----------------------------------------------------------------------------------------------------- */

static const char *const object_kinds[] = {
    [PCOMP_WAITING_LOCK] = "lock",
    [PCOMP_WAITING_CONDITION] = "condition",
    [PCOMP_WAITING_BARRIER] = "barrier",
    [PCOMP_WAITING_SEMAPHORE] = "semaphore",
};

/* "lock table_lock", "lock table+0x40", "rank 3"; of memory without a name "lock 0x55d0c0ffee10". */
static void object_text(struct foci *foci, struct live_profile *profile, uint32_t kind, uint64_t object, char *text)
{
    struct pcomp_module m;
    char path[TEXT_MAX];
    if (kind == PCOMP_WAITING_MESSAGE && object == PCOMP_WAITING_ANY)
        snprintf(text, TEXT_MAX, "any rank");
    else if (kind == PCOMP_WAITING_MESSAGE)
        snprintf(text, TEXT_MAX, "rank %llu", (unsigned long long)object - 1);
    else {
        uint64_t offset = 0;
        const char *name = NULL;
        if (live_profile_module_at(profile, object, &m) != UINT32_MAX) {
            live_profile_text(profile, m.path_link, path, sizeof path);
            struct symbols *symbols = symbols_of(foci, &m, path);
            name = symbols ? symbols_variable(symbols, object - m.bias, &offset) : NULL;
        }
        char *readable = name ? demangle(name, NAMES_FULL) : NULL,
             *clean = name ? text_clean(readable ? readable : name) : NULL;
        if (!clean)
            snprintf(text, TEXT_MAX, "%s 0x%llx", object_kinds[kind], (unsigned long long)object);
        else if (offset)
            snprintf(text, TEXT_MAX, "%s %s+0x%llx", object_kinds[kind], clean, (unsigned long long)offset);
        else
            snprintf(text, TEXT_MAX, "%s %s", object_kinds[kind], clean);
        free(clean);
        free(readable);
    }
}

uint32_t foci_object(struct foci *foci, struct focus_cache *cache, struct live_profile *profile,
                     const struct live_word *word)
{
    uint32_t kind = word->waiting & 0xff;
    char text[TEXT_MAX];
    bool has_object =
        kind == PCOMP_WAITING_MESSAGE || (kind < sizeof object_kinds / sizeof *object_kinds && object_kinds[kind]);
    if (!word->object || !has_object)
        return FOCUS_NONE;
    for (size_t i = 0; i < cache->object_count; i++)
        if (cache->objects[i].address == word->object && cache->objects[i].kind == kind)
            return cache->objects[i].object;
    if (cache->object_count >= OBJECTS_MAX || !ARRAY_ROOM(cache->objects, cache->object_count, cache->object_room))
        return FOCUS_NONE;
    object_text(foci, profile, kind, word->object, text);
    uint32_t number = place_number(&foci->objects, text, FOCUS_NONE, FOCUS_NONE);
    cache->objects[cache->object_count++] = (struct focus_object){word->object, kind, number};
    return number;
}

/* --- Paths ------------------------------------------------------------------------------------------------------- */

uint32_t foci_path(struct foci *foci, struct focus_cache *cache, struct live_profile *profile, uint64_t link)
{
    uint64_t at = link, *way = NULL;
    size_t length = 0, room = 0;
    uint32_t path = FOCUS_NONE;
    for (; length < DEPTH_MAX; length++) { /* up to what is known */
        struct live_node *node = live_profile_node(profile, at);
        if (!node)
            break;
        path = node->parent ? node->path : PATH_ROOT;
        if (path != FOCUS_NONE)
            break;
        if (!ARRAY_ROOM(way, length, room))
            break;
        way[length] = at;
        at = node->parent;
    }
    while (length > 0 && path != FOCUS_NONE) { /* and down again */
        struct live_node *node = live_profile_node(profile, way[--length]);
        uint32_t function = node ? foci_function(foci, cache, profile, node->function_id) : FOCUS_NONE;
        path = function == FOCUS_NONE ? FOCUS_NONE : place_number(&foci->paths, NULL, path, function);
        node = live_profile_node(profile, way[length]);
        if (node)
            node->path = path;
    }
    free(way);
    return path;
}

char *foci_path_text(const struct foci *foci, uint32_t path)
{
    uint32_t way[64], length = 0, at = path;
    for (; at != PATH_ROOT && at != FOCUS_NONE && length < 64; at = foci->paths.list[at].parent)
        way[length++] = at;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (at != PATH_ROOT)
        fputs("... > ", out);
    while (length-- > 0)
        fprintf(out, "%s%s", foci->functions.list[foci->paths.list[way[length]].of].name, length ? " > " : "");
    return fclose(out) == 0 ? text : (free(text), NULL);
}
