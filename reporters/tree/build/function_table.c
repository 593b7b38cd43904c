#include "reporters/tree/build/function_table.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/hash.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h)
{
    h ^= h >> 31;
    h *= 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

static uint64_t hash_function(const struct table_function *f)
{
    return mix(f->kind == FUNCTION_REGION ? pcomp_hash_text(PCOMP_HASH_START, f->region)
                                          : f->address * 31 + ((uint64_t)f->module << 3 | f->kind));
}

static bool same_function(const struct table_function *a, const struct table_function *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == FUNCTION_REGION ? !strcmp(a->region, b->region)
                                      : a->address == b->address && a->module == b->module;
}

static bool make_room(struct function_table *t)
{
    if (!ARRAY_ROOM(t->functions, t->count, t->room))
        return false;
    if (t->table && t->count * (size_t)2 < t->table_mask)
        return true;
    size_t slots = t->table ? (t->table_mask + 1) * 2 : 1024;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 0; i < t->count; i++) {
        size_t slot = hash_function(&t->functions[i]) & (slots - 1);
        while (table[slot])
            slot = (slot + 1) & (slots - 1);
        table[slot] = i + 1;
    }
    free(t->table);
    t->table = table;
    t->table_mask = slots - 1;
    return true;
}

static uint32_t find_or_add(struct function_table *t, struct table_function wanted)
{
    if (!make_room(t))
        return UINT32_MAX;
    size_t slot = hash_function(&wanted) & t->table_mask;
    for (; t->table[slot]; slot = (slot + 1) & t->table_mask)
        if (same_function(&t->functions[t->table[slot] - 1], &wanted))
            return t->table[slot] - 1;
    if (wanted.region && !(wanted.region = strdup(wanted.region)))
        return UINT32_MAX;
    t->functions[t->count] = wanted;
    t->table[slot] = t->count + 1;
    return t->count++;
}

bool function_table_init(struct function_table *t)
{
    *t = (struct function_table){0};
    struct table_function root = {.module = FUNCTION_NO_MODULE, .kind = FUNCTION_ROOT};
    struct table_function beyond = {.module = FUNCTION_NO_MODULE, .kind = FUNCTION_BEYOND};
    return find_or_add(t, root) == 0 && find_or_add(t, beyond) == 1;
}

void function_table_free(struct function_table *t)
{
    for (uint32_t i = 0; i < t->count; i++)
        free(t->functions[i].region);
    for (uint32_t i = 0; i < t->module_count; i++)
        free(t->modules[i].path);
    free(t->functions);
    free(t->modules);
    free(t->table);
    *t = (struct function_table){0};
}

uint32_t function_table_module(struct function_table *t, const struct symbol_source *source)
{
    size_t id_size = source->build_id_size;
    for (uint32_t i = t->module_count; i-- > 0;) {
        const struct table_module *m = &t->modules[i];
        if (m->build_id_size == id_size && !memcmp(m->build_id, source->build_id, id_size) &&
            (id_size || (m->file_size == source->file_size && m->file_mtime_ns == source->file_mtime_ns)) &&
            !strcmp(m->path, source->path))
            return i;
    }
    if (!ARRAY_ROOM(t->modules, t->module_count, t->module_room))
        return UINT32_MAX;
    struct table_module *m = &t->modules[t->module_count];
    *m = (struct table_module){.path = strdup(source->path),
                               .build_id_size = (uint32_t)id_size,
                               .file_size = source->file_size,
                               .file_mtime_ns = source->file_mtime_ns};
    memcpy(m->build_id, source->build_id, id_size);
    return m->path ? t->module_count++ : UINT32_MAX;
}

uint32_t function_table_code(struct function_table *t, uint32_t module, uint64_t address)
{
    return find_or_add(t, (struct table_function){.address = address, .module = module, .kind = FUNCTION_CODE});
}

uint32_t function_table_region(struct function_table *t, const char *name)
{
    return find_or_add(
        t, (struct table_function){.module = FUNCTION_NO_MODULE, .kind = FUNCTION_REGION, .region = (char *)name});
}

uint32_t function_table_site(struct function_table *t, uint32_t module, uint64_t address)
{
    return find_or_add(t, (struct table_function){.address = address, .module = module, .kind = FUNCTION_SITE});
}

uint32_t function_table_native(struct function_table *t, uint32_t module, uint64_t address)
{
    return find_or_add(t, (struct table_function){.address = address, .module = module, .kind = FUNCTION_NATIVE});
}
