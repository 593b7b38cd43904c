#include "tests/support/profile_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

static void *checked(void *p)
{
    if (!p) {
        fprintf(stderr, "profile_writer: out of memory\n");
        abort();
    }
    return p;
}

void *profile_writer_at(struct profile_writer *w, uint64_t link)
{
    return w->data + (link - WRITER_BASE);
}

static struct pcomp_chunk *chunk_at(struct profile_writer *w, size_t offset)
{
    return (struct pcomp_chunk *)(w->data + offset);
}

size_t profile_writer_chunk(struct profile_writer *w, uint32_t kind, uint64_t size, uint32_t owner, uint32_t record,
                            uint32_t capacity)
{
    size_t whole = (profile_writer_header(w)->chunk_header_size + size + PAGE - 1) / PAGE * PAGE, offset = w->size;
    if (w->size + whole > w->room) {
        w->room = (w->size + whole) * 2;
        w->data = checked(realloc(w->data, w->room));
    }
    memset(w->data + offset, 0, whole);
    w->size += whole;
    *chunk_at(w, offset) = (struct pcomp_chunk){.magic = PCOMP_CHUNK_MAGIC,
                                                .kind = kind,
                                                .size = whole,
                                                .owner = owner,
                                                .record_size = record,
                                                .capacity = capacity};
    return offset;
}

uint64_t profile_writer_text(struct profile_writer *w, const char *text, size_t size)
{
    size_t header = profile_writer_header(w)->chunk_header_size;
    struct pcomp_chunk *chunk = w->text_chunk ? chunk_at(w, w->text_chunk) : NULL;
    if (!chunk || chunk->capacity - chunk->count < size) {
        size_t room = size < w->text_capacity ? w->text_capacity : size;
        w->text_chunk = profile_writer_chunk(w, PCOMP_CHUNK_STRINGS, room, 0, 1, (uint32_t)room);
        chunk = chunk_at(w, w->text_chunk);
    }
    char *to = (char *)chunk + header + chunk->count;
    memcpy(to, text, size);
    chunk->count += (uint32_t)size;
    return WRITER_BASE + (uint64_t)((unsigned char *)to - w->data);
}

/* A new record in the current chunk of a table. */
static void *new_record(struct profile_writer *w, size_t *current, uint32_t kind, uint32_t size)
{
    if (!*current || chunk_at(w, *current)->count == chunk_at(w, *current)->capacity)
        *current = profile_writer_chunk(w, kind, (uint64_t)w->table_capacity * size, 0, size, w->table_capacity);
    struct pcomp_chunk *chunk = chunk_at(w, *current);
    return (char *)chunk + profile_writer_header(w)->chunk_header_size + (size_t)chunk->count++ * size;
}

uint32_t profile_writer_module(struct profile_writer *w, const char *path, uint64_t bias, uint64_t size)
{
    uint64_t link = profile_writer_text(w, path, strlen(path) + 1);
    struct pcomp_module *m =
        new_record(w, &w->module_chunk, PCOMP_CHUNK_MODULES, profile_writer_header(w)->module_size);
    *m = (struct pcomp_module){.bias = bias, .start = bias, .end = bias + size, .path_link = link};
    return w->modules++;
}

uint32_t profile_writer_function(struct profile_writer *w, uint32_t module, uint64_t address, const char *region)
{
    uint64_t link = region ? profile_writer_text(w, region, strlen(region) + 1) : 0;
    struct pcomp_function *f =
        new_record(w, &w->function_chunk, PCOMP_CHUNK_FUNCTIONS, profile_writer_header(w)->function_size);
    *f = (struct pcomp_function){.address = address,
                                 .module = module,
                                 .flags = region && w->functions >= PCOMP_FUNCTION_FIRST ? PCOMP_FUNCTION_REGION : 0,
                                 .name_link = link};
    return w->functions++;
}

static size_t new_node_chunk(struct profile_writer *w, uint32_t thread)
{
    const struct pcomp_header *h = profile_writer_header(w);
    uint64_t record = h->node_size + h->node_extra_size;
    return profile_writer_chunk(w, PCOMP_CHUNK_NODES, w->node_capacity * record, thread, h->node_size,
                                w->node_capacity);
}

uint64_t profile_writer_node(struct profile_writer *w, uint32_t thread, uint64_t parent, uint32_t function,
                             struct writer_counts counts)
{
    size_t *current = &w->node_chunk[thread];
    if (!*current || chunk_at(w, *current)->count == chunk_at(w, *current)->capacity)
        *current = new_node_chunk(w, thread);
    struct pcomp_chunk *chunk = chunk_at(w, *current);
    const struct pcomp_header *h = profile_writer_header(w);
    struct pcomp_node *node =
        (struct pcomp_node *)((char *)chunk + h->chunk_header_size + (size_t)chunk->count++ * h->node_size);
    int64_t each = counts.calls ? counts.compensated / (int64_t)counts.calls : 0;
    *node = (struct pcomp_node){.function = 0,
                                .parent = parent,
                                .calls = counts.calls,
                                .lookups = (uint32_t)counts.lookups,
                                .spread = PCOMP_SPREAD_NONE,
                                .raw = counts.raw,
                                .compensated = counts.compensated,
                                .min = counts.calls ? each : INT64_MAX,
                                .top = counts.calls ? each : INT64_MIN};
    uint64_t link = WRITER_BASE + (uint64_t)((unsigned char *)node - w->data);
    *profile_writer_extra(w, link) = (struct pcomp_node_extra){
        .site = counts.site, .function_id = function, .flags = counts.flags, .slow_ticks = counts.slow_ticks};
    return link;
}

struct pcomp_node_extra *profile_writer_extra(struct profile_writer *w, uint64_t node)
{
    /* the chunk is the last NODES chunk that begins before the node */
    const struct pcomp_header *h = profile_writer_header(w);
    size_t offset = node - WRITER_BASE, at = h->header_size;
    while (at + chunk_at(w, at)->size <= offset)
        at += chunk_at(w, at)->size;
    struct pcomp_chunk *chunk = chunk_at(w, at);
    size_t first = at + h->chunk_header_size, index = (offset - first) / h->node_size;
    return (struct pcomp_node_extra *)(w->data + first + (size_t)chunk->capacity * h->node_size +
                                       index * h->node_extra_size);
}

uint32_t profile_writer_thread(struct profile_writer *w, int tid, const char *name, uint32_t flags)
{
    uint32_t thread = w->threads++;
    if (thread >= WRITER_THREADS)
        abort();
    const struct pcomp_header *h = profile_writer_header(w);
    uint32_t size = h->thread_size, header = h->chunk_header_size;
    size_t offset = profile_writer_chunk(w, PCOMP_CHUNK_THREAD, size, thread, size, 1);
    chunk_at(w, offset)->count = 1;
    w->record[thread] = WRITER_BASE + offset + header;
    w->root[thread] = profile_writer_node(w, thread, 0, PCOMP_FUNCTION_ROOT, (struct writer_counts){0});
    w->beyond[thread] =
        profile_writer_node(w, thread, w->root[thread], PCOMP_FUNCTION_BEYOND, (struct writer_counts){0});
    struct pcomp_thread *t = profile_writer_at(w, w->record[thread]);
    *t = (struct pcomp_thread){.index = thread,
                               .tid = tid,
                               .flags = flags,
                               .start_tick = 1000,
                               .root_link = w->root[thread],
                               .beyond_link = w->beyond[thread]};
    strncpy(t->name, name, sizeof t->name - 1);
    return thread;
}

struct pcomp_node_off_cpu *profile_writer_off_cpu(struct profile_writer *w, uint64_t node)
{
    char *end = (char *)(profile_writer_extra(w, node) + 1);
    return (struct pcomp_node_off_cpu *)(end +
                                         profile_writer_header(w)->counter_count * sizeof(struct pcomp_node_counter));
}

size_t profile_writer_stack(struct profile_writer *w, uint32_t thread, uint32_t id, uint32_t generation,
                            const struct pcomp_frame *frames, uint32_t count)
{
    const struct pcomp_header *h = profile_writer_header(w);
    uint32_t frame_size = h->frame_size, stack_size = h->stack_size, header = h->chunk_header_size;
    size_t offset = profile_writer_chunk(w, PCOMP_CHUNK_STACK, stack_size + (uint64_t)count * frame_size, thread,
                                         frame_size, count);
    struct pcomp_stack *stack = (struct pcomp_stack *)(w->data + offset + header);
    *stack = (struct pcomp_stack){.id = id, .generation = generation};
    for (uint32_t i = 0; i < count; i++)
        memcpy((char *)stack + stack_size + (size_t)i * frame_size, &frames[i], sizeof frames[i]);
    return offset;
}

size_t profile_writer_counters(struct profile_writer *w, enum pcomp_counts_kind kind, const uint64_t *counters,
                               uint32_t count)
{
    size_t offset = profile_writer_chunk(w, PCOMP_CHUNK_COUNTS, count * sizeof *counters, 0, sizeof *counters, count);
    struct pcomp_chunk *chunk = chunk_at(w, offset);
    chunk->count = count;
    chunk->reserved[1] = kind;
    memcpy((char *)chunk + profile_writer_header(w)->chunk_header_size, counters, count * sizeof *counters);
    return offset;
}

/* A chunk that is full of records. */
static size_t record_chunk(struct profile_writer *w, uint32_t kind, uint32_t owner, const void *records, uint32_t size,
                           uint32_t count)
{
    size_t offset = profile_writer_chunk(w, kind, (uint64_t)count * size, owner, size, count);
    chunk_at(w, offset)->count = count;
    memcpy((char *)chunk_at(w, offset) + profile_writer_header(w)->chunk_header_size, records, (size_t)count * size);
    return offset;
}

size_t profile_writer_stacks(struct profile_writer *w, uint32_t thread, const struct pcomp_stack_frame *frames,
                             uint32_t count)
{
    struct pcomp_header *h = profile_writer_header(w);
    h->sampler = PCOMP_SAMPLER_TIMER;
    h->sample_period_ns = 1000000;
    for (uint32_t i = 0; i < count; i++)
        h->samples += frames[i].hits;
    return record_chunk(w, PCOMP_CHUNK_STACKS, thread, frames, sizeof *frames, count);
}

size_t profile_writer_spread(struct profile_writer *w, uint32_t thread, uint64_t node, uint32_t first,
                             const uint32_t *counts, uint32_t n, int64_t longest, uint64_t start)
{
    uint32_t id = (uint32_t)((node - WRITER_BASE) / 64);
    uint32_t units = (uint32_t)(sizeof(struct pcomp_spread) + n * sizeof *counts + 63) / 64, all = units + (start != 0);
    size_t offset = profile_writer_chunk(w, PCOMP_CHUNK_SPREADS, (uint64_t)all * 64, thread, 64, all);
    struct pcomp_chunk *chunk = chunk_at(w, offset);
    chunk->count = all;
    struct pcomp_spread *s = (struct pcomp_spread *)((char *)chunk + profile_writer_header(w)->chunk_header_size);
    *s = (struct pcomp_spread){.first = first, .n = units * 16 - 4, .node = id};
    memcpy(s->counts, counts, n * sizeof *counts);
    if (start)
        *(struct pcomp_longest *)((char *)s + (size_t)units * 64) = (struct pcomp_longest){
            .mark = PCOMP_SPREAD_LONGEST, .n = 12, .node = id, .each = {{.time = longest, .start = start}}};
    ((struct pcomp_node *)profile_writer_at(w, node))->spread = 64; /* no matter which */
    return offset;
}

size_t profile_writer_windows(struct profile_writer *w, const struct pcomp_sampled_calls *records, uint32_t count)
{
    return record_chunk(w, PCOMP_CHUNK_WINDOWS, 0, records, sizeof *records, count);
}

struct pcomp_function *profile_writer_function_at(struct profile_writer *w, uint32_t id)
{
    const struct pcomp_header *h = profile_writer_header(w);
    for (size_t at = h->header_size; at < w->size; at += chunk_at(w, at)->size) {
        struct pcomp_chunk *chunk = chunk_at(w, at);
        if (chunk->kind != PCOMP_CHUNK_FUNCTIONS)
            continue;
        if (id < chunk->count)
            return (struct pcomp_function *)((char *)chunk + h->chunk_header_size + (size_t)id * h->function_size);
        id -= chunk->count;
    }
    abort();
}

void profile_writer_init(struct profile_writer *w, uint32_t flags, uint32_t counters)
{
    profile_writer_init_longer(w, flags, counters, 0);
}

void profile_writer_init_longer(struct profile_writer *w, uint32_t flags, uint32_t counters, uint32_t longer)
{
    *w = (struct profile_writer){.node_capacity = 32,
                                 .table_capacity = 32,
                                 .text_capacity = 3072,
                                 .room = 1 << 16,
                                 .size = sizeof(struct pcomp_header)};
    w->data = checked(calloc(1, w->room));
    struct pcomp_header *h = profile_writer_header(w);
    memcpy(h->magic, PCOMP_MAGIC, sizeof h->magic);
    h->version = PCOMP_FORMAT_VERSION;
    h->endian = PCOMP_ENDIAN;
    h->header_size = sizeof *h;
    h->chunk_header_size = (uint32_t)sizeof(struct pcomp_chunk) + longer;
    h->thread_size = (uint32_t)sizeof(struct pcomp_thread) + longer;
    h->stack_size = (uint32_t)sizeof(struct pcomp_stack) + longer;
    h->frame_size = (uint32_t)sizeof(struct pcomp_frame) + longer;
    if (flags & PCOMP_FLAG_FOLD_RECURSION)
        h->frame_size += (uint32_t)sizeof(struct pcomp_frame_more);
    h->node_size = (uint32_t)sizeof(struct pcomp_node) + longer;
    h->node_extra_size = (uint32_t)(sizeof(struct pcomp_node_extra) +
                                    (flags & PCOMP_FLAG_FOLD_RECURSION ? sizeof(struct pcomp_node_exclusive) : 0) +
                                    counters * sizeof(struct pcomp_node_counter) +
                                    (flags & PCOMP_FLAG_COUNTS ? sizeof(struct pcomp_node_off_cpu) : 0)) +
                         longer;
    h->function_size = (uint32_t)sizeof(struct pcomp_function) + longer;
    h->module_size = (uint32_t)sizeof(struct pcomp_module) + longer;
    h->counter_count = counters;
    h->base = WRITER_BASE;
    h->state = PCOMP_STATE_CLOSED;
    h->clock = PCOMP_CLOCK_MONOTONIC;
    h->model = PCOMP_MODEL_SPLIT;
    h->flags = flags;
    h->pid = 4242;
    h->rank = -1;
    h->tick0 = 1000;
    h->mono0_ns = 5000;
    h->tick1 = 1000 + 1000000000;
    h->mono1_ns = 5000 + 1000000000;
    h->tick_hz = 1e9;
    h->end_tick = 1000000;
    for (uint32_t c = 0; c < counters; c++)
        snprintf(h->counters[c].name, sizeof h->counters[c].name, "COUNTER_%u", c);
    profile_writer_function(w, UINT32_MAX, 0, "[root]");
    profile_writer_function(w, UINT32_MAX, 0, "[beyond limit]");
}

void profile_writer_free(struct profile_writer *w)
{
    free(w->data);
    *w = (struct profile_writer){0};
}

void profile_writer_finish(struct profile_writer *w)
{
    struct pcomp_header *h = profile_writer_header(w);
    h->used = w->size;
    h->capacity = w->size;
    h->thread_count = w->threads;
    h->node_count = 0;
    for (size_t at = h->header_size; at < w->size; at += chunk_at(w, at)->size)
        if (chunk_at(w, at)->kind == PCOMP_CHUNK_NODES)
            h->node_count += chunk_at(w, at)->count;
}

bool profile_writer_save(struct profile_writer *w, const char *path)
{
    profile_writer_finish(w);
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool ok = fwrite(w->data, 1, w->size, f) == w->size;
    return fclose(f) == 0 && ok;
}
