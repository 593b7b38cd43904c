#include "reporters/merge/sample_places.h"

#include "reporters/merge/scope_functions.h"

#include <stdlib.h>

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
    struct scope_functions *scopes = scope_functions_new(file);
    bool ok = all && scopes && (places->items = malloc((count + 1) * sizeof *places->items)), failed = false;
    places->count = 0;
    places->unknown = NULL;
    for (size_t i = 0; ok && i < count; i++) {
        uint32_t m = all[i].module, function = SAMPLE_OF_NONE;
        const struct pcomp_sample *sample = all[i].sample;
        bool in_module = symbols && m != PROFILE_NONE,
             has = in_module && scope_functions_has_inlines(scopes, all[i].pc);
        if (in_module && !has)
            places->unknown = profile_text(file, file->modules[m]->path_link);
        if (all[i].pc == PCOMP_SAMPLE_APART)
            function = SAMPLE_APART;
        else if (has)
            scope_functions_at(scopes, all[i].pc, &function, 1, &failed);
        places->items[places->count++] = (struct sample_place){sample->thread, function, sample->count,
                                                               sample->pc & PCOMP_SAMPLE_AT_SITE ? sample->count : 0};
    }
    scope_functions_free(scopes);
    free(all);
    if (ok)
        add_up(places);
    return ok && !failed;
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
