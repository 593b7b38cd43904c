/* Which functions, call sites and uninstrumented frames of a file are which of the table. */
#include "reporters/tree/merge/merge_state.h"

#include "compensation/numeric/array.h"
#include "reporters/profile/profile_calls.h"

#include <math.h>
#include <stdlib.h>

/* Nodes of one thread differ by parent and function, unless two functions of the file are the same one (a module that
 * was unloaded and loaded again) or nodes differ by more. False: out of memory. */
static bool all_differ(struct merge *m)
{
    const struct profile_file *f = m->file;
    bool *seen = calloc(m->b->functions.count, sizeof *seen);
    if (!seen)
        return false;
    m->append = m->b->node_count == 1 && !m->b->table &&
                !(f->header.flags & (PCOMP_FLAG_CALL_SITES | PCOMP_FLAG_NATIVE_FRAMES));
    m->append_thread = NO_NODE;
    for (uint32_t i = 0; i < f->function_count; i++) {
        m->append &= !seen[m->function_of[i]];
        seen[m->function_of[i]] = true;
    }
    free(seen);
    return m->append || tree_builder_index(m->b);
}

/* How well the numbers of unrecorded calls are known. False: out of memory. */
static bool add_unrecorded(struct merge *m)
{
    struct profile_calls *calls = calloc(m->file->function_count + (size_t)1, sizeof *calls);
    if (!calls)
        return false;
    profile_calls_read(m->file, calls);
    m->b->tree->counting.limit = fmax(m->b->tree->counting.limit, m->file->header.limit);
    m->b->tree->counting.windows += m->file->header.windows;
    m->b->tree->counting.window_time += m->file->header.window_seconds * 1e9;
    for (uint32_t i = PCOMP_FUNCTION_FIRST; i < m->file->function_count; i++)
        m->b->functions.functions[m->function_of[i]].variance += calls[i].variance;
    free(calls);
    return true;
}

bool merge_functions(struct merge *m)
{
    const struct profile_file *f = m->file;
    struct function_table *t = &m->b->functions;
    uint32_t *modules = malloc((f->module_count + (size_t)1) * sizeof *modules);
    m->function_of = malloc((f->function_count + (size_t)1) * sizeof *m->function_of);
    bool ok = modules && m->function_of;
    for (uint32_t i = 0; ok && i < f->module_count; i++) {
        const struct pcomp_module *r = f->modules[i];
        struct symbol_source source = symbol_source(r, profile_text(f, r->path_link));
        modules[i] = function_table_module(t, &source);
        ok = modules[i] != UINT32_MAX;
    }
    for (uint32_t i = 0; ok && i < f->function_count; i++) {
        const struct pcomp_function *r = f->functions[i];
        const char *name = profile_text(f, r->name_link);
        bool in_module = r->module < f->module_count;
        if (i < PCOMP_FUNCTION_FIRST)
            m->function_of[i] = i; /* the table begins with the same two */
        else if (r->flags & PCOMP_FUNCTION_REGION)
            m->function_of[i] = function_table_region(t, name ? name : "[region]");
        else
            m->function_of[i] = function_table_code(t, in_module ? modules[r->module] : FUNCTION_NO_MODULE,
                                                    in_module ? r->address - f->modules[r->module]->bias : r->address);
        ok = m->function_of[i] != UINT32_MAX;
        if (ok && r->flags & PCOMP_FUNCTION_SUPPRESSED && !m->b->options->thread) /* of which threads is not known */
            t->functions[m->function_of[i]].suppressed += r->suppressed;
    }
    free(modules);
    if (ok && m->file->header.flags & PCOMP_FLAG_REPLAYED && !m->b->options->thread)
        ok = add_unrecorded(m);
    return ok && all_differ(m);
}

/* The module of a code address, which becomes an ELF address. */
static uint32_t place_in_module(struct merge *m, uint64_t *address)
{
    const struct profile_file *f = m->file;
    uint32_t found = profile_module_at(f, *address);
    if (found == PROFILE_NONE)
        return FUNCTION_NO_MODULE;
    const struct pcomp_module *r = f->modules[found];
    struct symbol_source source = symbol_source(r, profile_text(f, r->path_link));
    *address -= r->bias;
    return function_table_module(&m->b->functions, &source);
}

uint32_t merge_site(struct merge *m, uint64_t address)
{
    uint32_t slot = (uint32_t)((address * 0x9e3779b97f4a7c15u) >> 40) % SITES;
    if (m->sites[slot].address == address)
        return m->sites[slot].site;
    uint64_t in_module = address;
    uint32_t module = place_in_module(m, &in_module);
    uint32_t site = function_table_site(&m->b->functions, module, in_module);
    m->sites[slot].address = address;
    m->sites[slot].site = site;
    return site;
}

bool merge_native_frames(struct merge *m, uint32_t merged, const char *text)
{
    struct tree_builder *b = m->b;
    struct native_frames *frames = &b->frames[merged];
    frames->first = (uint32_t)b->native_count;
    for (char *end; *text; text = end) {
        uint64_t address = strtoull(text, &end, 16);
        if (end == text)
            break; /* damaged: what was read stays */
        if (b->native_count >= UINT32_MAX - 1 || !ARRAY_ROOM(b->natives, b->native_count, b->native_room))
            return false;
        uint32_t module = place_in_module(m, &address),
                 function = function_table_native(&b->functions, module, address);
        if (function == UINT32_MAX)
            return false;
        b->natives[b->native_count++] = function;
        frames->count++;
    }
    return true;
}
