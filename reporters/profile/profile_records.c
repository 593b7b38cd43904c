#include "reporters/profile/profile_records.h"

#include "compensation/estimate/site_price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE           4096u
#define SPEED_LOST_MAX 0.7 /* a greater one is damaged */

void profile_file_close(struct profile_file *file)
{
    if (!file)
        return;
    if (file->mapped)
        munmap((void *)(uintptr_t)file->data, file->map_size);
    free(file->path);
    free(file->chunks);
    free(file->page_chunk);
    free(file->functions);
    free(file->modules);
    free(file->threads);
    free(file->stacks);
    free(file->damage);
    free(file);
}

void profile_file_release(const struct profile_file *file, uint64_t from, uint64_t to)
{
    from = from / PAGE * PAGE;
    to = to / PAGE * PAGE;
    if (file->mapped && !file->read_mono && file->map_size > PROFILE_KEPT_MAX && from < to)
        madvise((void *)(uintptr_t)(file->data + from), to - from, MADV_DONTNEED);
}

void profile_release_nodes(const struct profile_file *file, const struct profile_chunk *chunk)
{
    profile_file_release(file, chunk->offset, chunk->extras + (uint64_t)chunk->count * file->header.node_extra_size);
}

uint64_t profile_threads_of(const struct profile_file *file, const struct pcomp_thread *thread)
{
    bool known = file->header.thread_size > offsetof(struct pcomp_thread, threads);
    return known && thread->threads ? thread->threads : 1;
}

/* The chunk of `kind` that a link leads into behind its header; *offset is where. */
static const struct profile_chunk *chunk_at(const struct profile_file *file, uint64_t link, uint32_t kind,
                                            uint64_t *offset)
{
    *offset = link - file->header.base; /* wraps for links below the base: then past the size */
    if (!link || *offset >= file->size)
        return NULL;
    uint32_t index = file->page_chunk[*offset / PAGE];
    if (index == PROFILE_NONE)
        return NULL;
    const struct profile_chunk *chunk = &file->chunks[index];
    return chunk->kind == kind && *offset >= chunk->records ? chunk : NULL;
}

uint32_t profile_node_index(const struct profile_file *file, uint64_t link)
{
    uint64_t offset;
    const struct profile_chunk *chunk = chunk_at(file, link, PCOMP_CHUNK_NODES, &offset);
    if (!chunk)
        return PROFILE_NONE;
    uint64_t distance = offset - chunk->records;
    uint64_t i =
        chunk->stride == sizeof(struct pcomp_node) ? distance / sizeof(struct pcomp_node) : distance / chunk->stride;
    return i < chunk->count && i * chunk->stride == distance ? chunk->first_record + (uint32_t)i : PROFILE_NONE;
}

const struct profile_chunk *profile_node_chunk(const struct profile_file *file, uint32_t index)
{
    /* Chunks are in file order and so are indices; other kinds have first_record 0, so only NODES are compared. */
    uint32_t low = 0, high = file->chunk_count;
    const struct profile_chunk *best = NULL;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, probe = middle;
        while (probe < high && (file->chunks[probe].kind != PCOMP_CHUNK_NODES || !file->chunks[probe].count))
            probe++;
        if (probe == high) {
            high = middle;
        } else if (file->chunks[probe].first_record <= index) {
            best = &file->chunks[probe];
            low = probe + 1;
        } else {
            high = middle;
        }
    }
    return best;
}

const char *profile_text_block(const struct profile_file *file, uint64_t link, size_t *size)
{
    uint64_t offset;
    const struct profile_chunk *chunk = chunk_at(file, link, PCOMP_CHUNK_STRINGS, &offset);
    if (!chunk || offset - chunk->records >= chunk->count)
        return NULL;
    *size = (size_t)(chunk->count - (offset - chunk->records));
    return (const char *)file->data + offset;
}

uint32_t profile_module_at(const struct profile_file *file, uint64_t address)
{
    uint32_t found = PROFILE_NONE;
    for (uint32_t i = 0; i < file->module_count; i++)
        if (address >= file->modules[i]->start && address < file->modules[i]->end &&
            (found == PROFILE_NONE || !file->modules[i]->unloaded))
            found = i;
    return found;
}

const char *profile_text(const struct profile_file *file, uint64_t link)
{
    size_t size;
    const char *text = profile_text_block(file, link, &size);
    return text && memchr(text, 0, size) ? text : NULL;
}

double profile_tick_ns(const struct profile_file *file)
{
    const struct pcomp_header *h = &file->header;
    double by_start = h->tick_hz >= 1e3 && h->tick_hz <= 1e12 ? 1e9 / h->tick_hz : NAN;
    int64_t ticks = (int64_t)(h->tick1 - h->tick0), ns = (int64_t)(h->mono1_ns - h->mono0_ns);
    if (ticks <= 0 || ns < 10000000) /* pairs closer than 10 ms say less than the measurement at start */
        return by_start > 0 ? by_start : ticks > 0 && ns > 0 ? (double)ns / (double)ticks : 1.0;
    double by_pairs = (double)ns / (double)ticks;
    /* A clock that stood still or jumped (suspend, migration of a VM) makes the pairs wrong by more than drift. */
    if (by_start > 0 && fabs(by_pairs / by_start - 1) > 0.01)
        return by_start;
    return by_pairs;
}

double profile_sampling_ns(const struct profile_file *file)
{
    const struct pcomp_header *h = &file->header;
    double delivery = (double)h->sample_delivery / (1 << PCOMP_FIX_SHIFT);
    return ((double)h->samples * delivery + (double)(int64_t)h->sample_ticks) * profile_tick_ns(file);
}

double profile_thread_ran(const struct profile_file *file, uint32_t thread, uint64_t end_tick)
{
    const struct pcomp_thread *t = file->threads[thread].record;
    uint64_t end = t->end_tick ? t->end_tick : end_tick;
    double tick_ns = profile_tick_ns(file), lived = (double)(int64_t)(end - t->start_tick) * tick_ns;
    double cpu = (double)(int64_t)(t->cpu1_ns - t->cpu0_ns), unseen = (double)(int64_t)(end - t->seen_tick) * tick_ns;
    return fmax(1, cpu > 0 ? fmin(cpu + fmax(unseen, 0), lived) : lived);
}

double profile_speed_share(const struct pcomp_header *h)
{
    return h->speed_lost > 0 && h->speed_lost < SPEED_LOST_MAX ? h->speed_lost : 0;
}

double profile_layout_share(const struct pcomp_header *h)
{
    return h->site_sleds ? PCOMP_SITE_LAYOUT_SLEDS : PCOMP_SITE_LAYOUT;
}

uint64_t profile_tick_at(const struct profile_file *file, uint64_t mono_ns)
{
    double ticks = (double)(int64_t)(mono_ns - file->header.mono0_ns) / profile_tick_ns(file);
    if (!(ticks > 0) || ticks > 9e18)
        return file->header.tick0;
    return file->header.tick0 + (uint64_t)ticks;
}
