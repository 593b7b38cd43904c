#include "reporters/consult/live_profile.h"

#include "compensation/numeric/array.h"
#include "compensation/numeric/sorted.h"
#include "reporters/profile/profile_check.h"
#include "reporters/profile/profile_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNMEASURED    UINT64_MAX
#define FRAMES_READ   80u /* at once: the first page of a stack */
#define CHUNKS_MAX    1000000u
#define NODES_AT_ONCE 512u

static bool read_at(const struct live_profile *p, void *to, size_t size, uint64_t offset)
{
    return pread(p->fd, to, size, (off_t)offset) == (ssize_t)size;
}

/* --- Chunks and threads ------------------------------------------------------------------------------------------ */

static void list_chunks(struct live_profile *p)
{
    p->chunk_count = 0;
    for (uint64_t offset = p->header.header_size; offset < p->header.used && p->chunk_count < CHUNKS_MAX;) {
        struct pcomp_chunk c;
        if (!read_at(p, &c, sizeof c, offset) || !profile_check_chunk(&c, offset, p->header.used) ||
            !ARRAY_ROOM(p->chunks, p->chunk_count, p->chunk_room))
            break;
        p->chunks[p->chunk_count++] = (struct live_chunk){offset, c.size, c.kind, c.owner, c.capacity, c.count};
        offset += c.size;
    }
}

static void list_threads(struct live_profile *p)
{
    p->thread_count = 0;
    for (size_t i = 0; i < p->chunk_count; i++) {
        const struct live_chunk *c = &p->chunks[i];
        struct pcomp_thread t;
        uint64_t record = c->offset + p->header.chunk_header_size;
        if (c->kind == PCOMP_CHUNK_THREAD && c->count == 1 && read_at(p, &t, sizeof t, record) && !t.end_tick &&
            ARRAY_ROOM(p->threads, p->thread_count, p->thread_room))
            p->threads[p->thread_count++] = (struct live_thread){.tid = t.tid, .record = record, .index = t.index};
    }
    for (size_t i = 0; i < p->chunk_count; i++) {
        const struct live_chunk *c = &p->chunks[i];
        struct pcomp_stack s;
        uint64_t fixed = p->header.chunk_header_size + p->header.stack_size;
        if (c->kind != PCOMP_CHUNK_STACK || !read_at(p, &s, sizeof s, c->offset + p->header.chunk_header_size) || s.id)
            continue;
        for (size_t k = 0; k < p->thread_count; k++) {
            struct live_thread *t = &p->threads[k];
            if (t->index != c->owner || (t->stack && t->generation > s.generation))
                continue;
            uint64_t room = c->size > fixed ? (c->size - fixed) / p->header.frame_size : 0;
            t->stack = c->offset;
            t->capacity = c->capacity < room ? c->capacity : (uint32_t)room;
            t->generation = s.generation;
        }
    }
}

struct live_profile *live_profile_open(const char *path)
{
    char error[512];
    struct live_profile *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->fd = -1;
    if (profile_file_read_header(path, &p->header, error, sizeof error) && p->header.state == PCOMP_STATE_LIVE &&
        !(p->header.flags & PCOMP_FLAG_TRACE) && p->header.tick_hz > 0) {
        p->fd = open(path, O_RDONLY | O_CLOEXEC);
        p->path = strdup(path);
    }
    if (p->fd < 0 || !p->path || !live_profile_refresh(p)) {
        live_profile_close(p);
        return NULL;
    }
    return p;
}

void live_profile_close(struct live_profile *p)
{
    if (!p)
        return;
    if (p->fd >= 0)
        close(p->fd);
    free(p->path);
    free(p->chunks);
    free(p->threads);
    free(p->nodes);
    free(p->counted);
    free(p);
}

bool live_profile_refresh(struct live_profile *p)
{
    struct pcomp_header h;
    if (!read_at(p, &h, sizeof h, 0) || h.state != PCOMP_STATE_LIVE || h.pid != p->header.pid)
        return false;
    p->header.used = h.used;
    p->header.flags = h.flags;
    p->stale = false;
    list_chunks(p);
    list_threads(p);
    return true;
}

bool live_profile_runs(struct live_profile *p)
{
    uint64_t end_tick;
    return read_at(p, &end_tick, sizeof end_tick, offsetof(struct pcomp_header, end_tick)) && !end_tick;
}

const struct live_thread *live_profile_thread(const struct live_profile *p, int tid)
{
    for (size_t i = 0; i < p->thread_count; i++)
        if (p->threads[i].tid == tid)
            return &p->threads[i];
    return NULL;
}

bool live_profile_word(struct live_profile *p, const struct live_thread *thread, struct live_word *word)
{
    _Static_assert(offsetof(struct pcomp_thread, waiting_object) - offsetof(struct pcomp_thread, waiting) == 16,
                   "the words follow each other");
    bool known = p->header.thread_size > offsetof(struct pcomp_thread, waiting_object);
    size_t size = known ? sizeof *word : offsetof(struct live_word, object);
    word->object = 0;
    return read_at(p, word, size, thread->record + offsetof(struct pcomp_thread, waiting));
}

/* --- Where a thread is ------------------------------------------------------------------------------------------- */

static bool is_live(const struct pcomp_frame *f)
{
    return f->end == UNMEASURED || f->start > f->end;
}

/* Frame k of a stack that is deeper than what was read at once. */
static bool read_frame(const struct live_profile *p, const struct live_thread *t, uint32_t k, struct pcomp_frame *f)
{
    uint64_t first = t->stack + p->header.chunk_header_size + p->header.stack_size;
    return read_at(p, f, sizeof *f, first + (uint64_t)k * p->header.frame_size);
}

/* Index of the topmost live frame, above `live`, which is. */
static uint32_t find_deep_top(const struct live_profile *p, const struct live_thread *t, uint32_t live)
{
    uint32_t unused = t->capacity;
    struct pcomp_frame f;
    while (unused - live > 1) {
        uint32_t middle = live + (unused - live) / 2;
        if (read_frame(p, t, middle, &f) && is_live(&f))
            live = middle;
        else
            unused = middle;
    }
    return live;
}

/* Whether a frame of `node` can be on one of `below`: else they were read at different moments. */
static bool continues(struct live_profile *p, uint64_t node, uint64_t below)
{
    const struct live_node *known = node == below ? NULL : live_profile_node(p, node);
    return node == below || (known && known->parent == below);
}

uint64_t live_profile_top(struct live_profile *p, const struct live_thread *t)
{
    struct { /* of the smallest frames, the first page */
        struct pcomp_chunk chunk;
        struct pcomp_stack stack;
        unsigned char frames[FRAMES_READ * sizeof(struct pcomp_frame)];
    } page;
    struct pcomp_frame f, below = {0}, under = {0}; /* the top one, and the two below it */
    uint32_t stride = p->header.frame_size, top = 0;
    if (!t->stack || !t->capacity || stride > sizeof page.frames || !read_at(p, &page, sizeof page, t->stack))
        return 0;
    if (page.chunk.kind != PCOMP_CHUNK_STACK || page.chunk.owner != t->index) {
        p->stale = true; /* the stack has grown, or the thread ended */
        return 0;
    }
    uint32_t room = (uint32_t)(sizeof page.frames / stride), first = room < t->capacity ? room : t->capacity;
    memcpy(&f, page.frames, sizeof f);
    for (uint32_t k = 1; k < first; k++) {
        below = f;
        memcpy(&f, page.frames + (size_t)k * stride, sizeof f);
        if (!is_live(&f)) {
            f = below;
            below = under;
            break;
        }
        top = k;
        under = below;
    }
    if (top + 1 == first && first < t->capacity) {
        top = find_deep_top(p, t, top);
        if (!read_frame(p, t, top - 1, &below) || !read_frame(p, t, top, &f))
            return 0;
    }
    return top == 0 || continues(p, f.node, below.node) ? f.node : below.node;
}

/* --- Nodes ------------------------------------------------------------------------------------------------------- */

static const struct live_chunk *chunk_at(const struct live_profile *p, uint64_t offset)
{
    size_t low;
    SORTED_FIND(low, p->chunk_count, p->chunks[low].offset + p->chunks[low].size <= offset);
    return low < p->chunk_count && p->chunks[low].offset <= offset ? &p->chunks[low] : NULL;
}

static struct live_node *slot_of(struct live_node *table, size_t room, uint64_t link)
{
    size_t at = (size_t)((link >> 6) * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
    while (table[at].link && table[at].link != link)
        at = (at + 1) & (room - 1);
    return &table[at];
}

static bool grow_table(struct live_profile *p)
{
    if (p->node_count * 2 < p->node_room)
        return true;
    size_t room = p->node_room ? p->node_room * 2 : 1024;
    struct live_node *table = calloc(room, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < p->node_room; i++)
        if (p->nodes[i].link)
            *slot_of(table, room, p->nodes[i].link) = p->nodes[i];
    free(p->nodes);
    p->nodes = table;
    p->node_room = room;
    return true;
}

/* Reads what does not change of node i of a chunk. */
static bool read_node(const struct live_profile *p, const struct live_chunk *c, uint64_t i, struct live_node *node)
{
    struct pcomp_node record;
    struct pcomp_node_extra extra;
    uint64_t records = c->offset + p->header.chunk_header_size;
    uint64_t extras = records + (uint64_t)c->capacity * p->header.node_size;
    if (!read_at(p, &record, sizeof record, records + i * p->header.node_size) ||
        !read_at(p, &extra, sizeof extra, extras + i * p->header.node_extra_size))
        return false;
    node->parent = record.parent;
    node->function_id = extra.function_id;
    return true;
}

struct live_node *live_profile_node(struct live_profile *p, uint64_t link)
{
    uint64_t offset = link - p->header.base;
    if (!link || offset >= p->header.capacity || !grow_table(p))
        return NULL;
    struct live_node *slot = slot_of(p->nodes, p->node_room, link);
    if (slot->link)
        return slot;
    const struct live_chunk *c = chunk_at(p, offset);
    if (!c || c->kind != PCOMP_CHUNK_NODES) {
        p->stale = true; /* newer than the list */
        return NULL;
    }
    uint64_t inside = offset - c->offset - p->header.chunk_header_size, i = inside / p->header.node_size;
    struct live_node node = {.link = link, .path = UINT32_MAX};
    if (offset < c->offset + p->header.chunk_header_size || inside % p->header.node_size || i >= c->capacity ||
        !read_node(p, c, i, &node))
        return NULL;
    p->node_count++;
    *slot = node;
    return slot;
}

void live_profile_called(struct live_profile *p, void (*function)(void *, struct live_node *, uint64_t), void *context)
{
    size_t stride = p->header.node_size;
    unsigned char *buffer = malloc(NODES_AT_ONCE * stride);
    for (size_t k = 0; buffer && k < p->chunk_count; k++) {
        struct live_chunk *c = &p->chunks[k];
        if (c->kind != PCOMP_CHUNK_NODES ||
            !read_at(p, &c->count, sizeof c->count, c->offset + offsetof(struct pcomp_chunk, count)))
            continue;
        uint64_t records = c->offset + p->header.chunk_header_size;
        uint32_t max = c->count < c->capacity ? c->count : c->capacity;
        for (uint32_t i = 0; i < max; i++) {
            uint32_t in_buffer = i % NODES_AT_ONCE, left = max - i < NODES_AT_ONCE ? max - i : NODES_AT_ONCE;
            if (!in_buffer && !read_at(p, buffer, left * stride, records + i * stride))
                break;
            struct pcomp_node record;
            memcpy(&record, buffer + in_buffer * stride, sizeof record);
            struct live_node *node = record.calls ? live_profile_node(p, p->header.base + records + i * stride) : NULL;
            if (!node || record.calls <= node->calls)
                continue;
            uint64_t more = record.calls - node->calls;
            node->calls = record.calls;
            function(context, node, more);
        }
    }
    free(buffer);
}

/* Sums of the counters of all chunks; *count of them. NULL: none, or no memory. */
static uint64_t *sum_counters(const struct live_profile *p, uint32_t *count)
{
    uint64_t *sums = NULL, *counters = NULL;
    *count = 0;
    for (size_t k = 0; k < p->chunk_count; k++)
        if (p->chunks[k].kind == PCOMP_CHUNK_COUNTS && p->chunks[k].count > *count &&
            p->chunks[k].count <= p->chunks[k].size / sizeof *sums)
            *count = p->chunks[k].count;
    if (!*count || !(sums = calloc(*count, sizeof *sums)) || !(counters = calloc(*count, sizeof *counters))) {
        free(sums);
        return NULL;
    }
    for (size_t k = 0; k < p->chunk_count; k++) {
        const struct live_chunk *c = &p->chunks[k];
        uint32_t some = c->count < *count ? c->count : *count;
        if (c->kind == PCOMP_CHUNK_COUNTS &&
            read_at(p, counters, some * sizeof *counters, c->offset + p->header.chunk_header_size))
            for (uint32_t i = 0; i < some; i++)
                sums[i] += counters[i];
    }
    free(counters);
    return sums;
}

void live_profile_counted(struct live_profile *p, void (*function)(void *, uint32_t, uint64_t), void *context)
{
    uint32_t count;
    uint64_t *sums = sum_counters(p, &count);
    for (uint32_t id = 0; sums && id < count; id++) {
        uint64_t before = id < p->counted_room ? p->counted[id] : 0;
        if (sums[id] > before)
            function(context, id, sums[id] - before);
        else
            sums[id] = before; /* of a thread that is just ending */
    }
    if (!sums)
        return;
    free(p->counted);
    p->counted = sums;
    p->counted_room = count;
}

/* --- Functions, modules, texts ----------------------------------------------------------------------------------- */

static bool read_record(struct live_profile *p, uint32_t kind, uint32_t id, uint32_t stride, void *to, size_t size)
{
    for (int attempt = 0; attempt < 2; attempt++) {
        uint32_t first = 0;
        for (size_t k = 0; k < p->chunk_count; k++) {
            const struct live_chunk *c = &p->chunks[k];
            if (c->kind != kind)
                continue;
            if (id - first < c->count)
                return p->header.chunk_header_size + ((uint64_t)id - first + 1) * stride <= c->size &&
                       read_at(p, to, size, c->offset + p->header.chunk_header_size + (uint64_t)(id - first) * stride);
            first += c->count;
        }
        if (!live_profile_refresh(p)) /* newer than the list */
            break;
    }
    return false;
}

bool live_profile_function(struct live_profile *p, uint32_t id, struct pcomp_function *function)
{
    return read_record(p, PCOMP_CHUNK_FUNCTIONS, id, p->header.function_size, function, sizeof *function);
}

bool live_profile_module(struct live_profile *p, uint32_t id, struct pcomp_module *module)
{
    return read_record(p, PCOMP_CHUNK_MODULES, id, p->header.module_size, module, sizeof *module);
}

uint32_t live_profile_module_at(struct live_profile *p, uint64_t address, struct pcomp_module *module)
{
    for (uint32_t id = 0; live_profile_module(p, id, module); id++)
        if (!module->unloaded && address >= module->start && address < module->end)
            return id;
    return UINT32_MAX;
}

void live_profile_text(struct live_profile *p, uint64_t link, char *text, size_t size)
{
    uint64_t offset = link - p->header.base;
    const struct live_chunk *c = link ? chunk_at(p, offset) : NULL;
    *text = 0;
    if (!c || c->kind != PCOMP_CHUNK_STRINGS || offset < c->offset + p->header.chunk_header_size)
        return;
    uint64_t left = c->offset + c->size - offset;
    ssize_t got = pread(p->fd, text, left < size - 1 ? left : size - 1, (off_t)offset);
    text[got > 0 ? got : 0] = 0;
}
