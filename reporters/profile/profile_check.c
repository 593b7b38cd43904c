#include "reporters/profile/profile_check.h"

#include "compensation/numeric/sorted.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

bool profile_damaged(struct profile_file *file, char *error, size_t error_size, uint64_t offset, const char *format,
                     ...)
{
    if (file->salvage && file->damage)
        return true;
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (!file->salvage) {
        snprintf(error, error_size, "%s: offset 0x%llx: %s", file->path, (unsigned long long)offset, what);
        return false;
    }
    char text[320];
    snprintf(text, sizeof text, "offset 0x%llx: %s", (unsigned long long)offset, what);
    file->damage = strdup(text);
    return true;
}

static bool header_error(const char *path, size_t offset, char *error, size_t error_size, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static bool header_error(const char *path, size_t offset, char *error, size_t error_size, const char *format, ...)
{
    char what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    snprintf(error, error_size, "%s: offset 0x%zx: %s", path, offset, what);
    return false;
}

/* The first bytes of a foreign file, printable, for the message. */
static void show_magic(const uint8_t *data, char *out)
{
    for (int i = 0; i < 8; i++)
        *out++ = (char)(data[i] >= 32 && data[i] < 127 && data[i] != '"' ? data[i] : '.');
    *out = 0;
}

static bool check_sizes(const char *path, const struct pcomp_header *h, char *error, size_t error_size)
{
    const struct {
        const char *name;
        size_t offset, min;
        uint32_t found, multiple;
    } sizes[] = {
        {"header", offsetof(struct pcomp_header, header_size), sizeof *h, h->header_size, PAGE},
        {"chunk header", offsetof(struct pcomp_header, chunk_header_size), sizeof(struct pcomp_chunk),
         h->chunk_header_size, 8},
        {"thread", offsetof(struct pcomp_header, thread_size), offsetof(struct pcomp_thread, waiting_object),
         h->thread_size, 8},
        {"stack", offsetof(struct pcomp_header, stack_size), sizeof(struct pcomp_stack), h->stack_size, 8},
        {"frame", offsetof(struct pcomp_header, frame_size), sizeof(struct pcomp_frame), h->frame_size, 8},
        {"node", offsetof(struct pcomp_header, node_size), sizeof(struct pcomp_node), h->node_size, 8},
        {"node extra", offsetof(struct pcomp_header, node_extra_size),
         sizeof(struct pcomp_node_extra) + h->counter_count * sizeof(struct pcomp_node_counter) +
             (h->flags & PCOMP_FLAG_FOLD_RECURSION ? sizeof(struct pcomp_node_exclusive) : 0) +
             (profile_has_off_cpu(h) ? sizeof(struct pcomp_node_off_cpu) : 0),
         h->node_extra_size, 8},
        {"function", offsetof(struct pcomp_header, function_size), sizeof(struct pcomp_function), h->function_size, 8},
        {"module", offsetof(struct pcomp_header, module_size), sizeof(struct pcomp_module), h->module_size, 8},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].found < sizes[i].min || sizes[i].found % sizes[i].multiple || sizes[i].found > 1u << 20)
            return header_error(path, sizes[i].offset, error, error_size,
                                "expected a %s size of at least %zu, a multiple of %u, found %u", sizes[i].name,
                                sizes[i].min, sizes[i].multiple, sizes[i].found);
    return true;
}

bool profile_check_header(const char *path, const void *data, uint64_t available, struct pcomp_header *h, char *error,
                          size_t error_size)
{
    if (!available)
        return header_error(path, 0, error, error_size, "expected a profile, found an empty file");
    if (available >= 8 && memcmp(data, PCOMP_MAGIC, 8)) {
        char found[9];
        show_magic(data, found);
        return header_error(path, 0, error, error_size, "expected the mark \"" PCOMP_MAGIC "\", found \"%s\"", found);
    }
    if (available < sizeof *h)
        return header_error(path, (size_t)available, error, error_size,
                            "expected a header of %zu bytes, found the end of the file", sizeof *h);
    memcpy(h, data, sizeof *h);
    if (h->endian != PCOMP_ENDIAN)
        return header_error(path, offsetof(struct pcomp_header, endian), error, error_size,
                            "expected byte order 0x%08x, found 0x%08x%s", PCOMP_ENDIAN, h->endian,
                            __builtin_bswap32(h->endian) == PCOMP_ENDIAN ? " (read it on the kind of machine it is of)"
                                                                         : "");
    if (h->version != PCOMP_FORMAT_VERSION) {
        snprintf(
            error, error_size,
            "%s: is of format version %u, this pcomp reads %u (record the program again, or read it with the pcomp "
            "that wrote it)",
            path, h->version, PCOMP_FORMAT_VERSION);
        return false;
    }
    if (h->counter_count > PCOMP_COUNTERS_MAX)
        return header_error(path, offsetof(struct pcomp_header, counter_count), error, error_size,
                            "expected at most %d counters, found %u", PCOMP_COUNTERS_MAX, h->counter_count);
    if (!check_sizes(path, h, error, error_size))
        return false;
    if (h->used < h->header_size)
        return header_error(path, offsetof(struct pcomp_header, used), error, error_size,
                            "expected a used size of at least %u, found %llu", h->header_size,
                            (unsigned long long)h->used);
    if (h->base % 8)
        return header_error(path, offsetof(struct pcomp_header, base), error, error_size,
                            "expected a base that is a multiple of 8, found 0x%llx", (unsigned long long)h->base);
    return true;
}

bool profile_check_chunk(const struct pcomp_chunk *chunk, uint64_t offset, uint64_t limit)
{
    return chunk->magic == PCOMP_CHUNK_MAGIC && chunk->size >= PAGE && chunk->size % PAGE == 0 &&
           chunk->size <= limit - offset;
}

/* Fixed bytes before the records of a chunk, and bytes a record, of kind; 0 for kinds of no interest. */
static uint32_t record_bytes(const struct pcomp_header *h, const struct pcomp_chunk *c, uint64_t *fixed)
{
    *fixed = h->chunk_header_size;
    switch (c->kind) {
    case PCOMP_CHUNK_THREAD:
        return h->thread_size;
    case PCOMP_CHUNK_STACK:
        *fixed += h->stack_size;
        return h->frame_size;
    case PCOMP_CHUNK_NODES:
        return h->node_size + h->node_extra_size;
    case PCOMP_CHUNK_FUNCTIONS:
        return h->function_size;
    case PCOMP_CHUNK_MODULES:
        return h->module_size;
    case PCOMP_CHUNK_STRINGS:
        return 1;
    case PCOMP_CHUNK_STACKS:
        return sizeof(struct pcomp_stack_frame);
    case PCOMP_CHUNK_WINDOWS:
        return sizeof(struct pcomp_sampled_calls);
    case PCOMP_CHUNK_SPREADS:
        return 64;
    case PCOMP_CHUNK_COUNTS:
        return h->flags & (PCOMP_FLAG_COUNTS | PCOMP_FLAG_TRACE) ? sizeof(uint64_t) : 0;
    default:
        return 0;
    }
}

static bool grow_chunks(struct profile_file *file)
{
    if (file->chunk_count & (file->chunk_count - 1))
        return true;
    size_t wanted = file->chunk_count ? file->chunk_count * (size_t)2 : 1;
    struct profile_chunk *grown = realloc(file->chunks, wanted * sizeof *grown);
    if (!grown)
        return false;
    file->chunks = grown;
    return true;
}

/* Whose calls the counters of a chunk hold. Salvage: of an unknown kind, those that are taken to be inexact. */
static bool counts_kind(struct profile_file *file, const struct pcomp_chunk *c, struct profile_chunk *chunk,
                        char *error, size_t error_size)
{
    bool known = c->reserved[1] >= PCOMP_COUNTS_THREAD && c->reserved[1] <= PCOMP_COUNTS_AFTER;
    chunk->counts_kind = known ? (uint32_t)c->reserved[1] : PCOMP_COUNTS_COMMON;
    if (!known && !profile_damaged(file, error, error_size, chunk->offset + offsetof(struct pcomp_chunk, reserved[1]),
                                   "expected a kind of counters from %d to %d, found %llu", PCOMP_COUNTS_THREAD,
                                   PCOMP_COUNTS_AFTER, (unsigned long long)c->reserved[1]))
        return false;
    return c->record_size == sizeof(uint64_t) ||
           profile_damaged(file, error, error_size, chunk->offset + offsetof(struct pcomp_chunk, record_size),
                           "expected counters of %zu bytes, found %u", sizeof(uint64_t), c->record_size);
}

/* Adds one chunk whose header was found plausible. `available` bytes of it are in the file. */
static bool add_chunk(struct profile_file *file, uint64_t offset, uint64_t available, char *error, size_t error_size)
{
    const struct pcomp_header *h = &file->header;
    const struct pcomp_chunk *c = (const struct pcomp_chunk *)(file->data + offset);
    uint64_t fixed;
    uint32_t bytes = record_bytes(h, c, &fixed);
    if (!bytes)
        return true; /* free, or of a kind that newer writers have */
    uint64_t size = c->size < available ? c->size : available;
    uint64_t room = size > fixed ? (size - fixed) / bytes : 0;
    uint64_t capacity = c->capacity, count = c->count;
    if (c->kind == PCOMP_CHUNK_STACK)
        count = capacity; /* what is live in it is found frame by frame */
    if (c->kind == PCOMP_CHUNK_THREAD || c->kind == PCOMP_CHUNK_FUNCTIONS || c->kind == PCOMP_CHUNK_MODULES)
        capacity = count > capacity ? count : capacity;
    if (c->kind == PCOMP_CHUNK_STACK && size < fixed) {
        if (!profile_damaged(file, error, error_size, offset, "expected a stack, found a chunk of %llu bytes",
                             (unsigned long long)size))
            return false;
        return true;
    }
    if (capacity > (c->size > fixed ? (c->size - fixed) / bytes : 0)) {
        if (!profile_damaged(file, error, error_size, offset + offsetof(struct pcomp_chunk, capacity),
                             "expected room for at most %llu records in a chunk of %llu bytes, found %llu",
                             (unsigned long long)room, (unsigned long long)c->size, (unsigned long long)capacity))
            return false;
        if (c->kind == PCOMP_CHUNK_NODES)
            return true; /* where its extras lie is not known */
    }
    if (count > capacity || (c->kind == PCOMP_CHUNK_THREAD && count > 1)) {
        if (!profile_damaged(file, error, error_size, offset + offsetof(struct pcomp_chunk, count),
                             "expected at most %llu records, found %llu", (unsigned long long)capacity,
                             (unsigned long long)count))
            return false;
        count = c->kind == PCOMP_CHUNK_THREAD ? 1 : capacity;
    }
    if (!grow_chunks(file)) {
        snprintf(error, error_size, "%s: out of memory", file->path);
        return false;
    }
    struct profile_chunk *chunk = &file->chunks[file->chunk_count];
    *chunk = (struct profile_chunk){
        .offset = offset, .records = offset + fixed, .kind = c->kind, .owner = c->owner, .stride = bytes};
    if (c->kind == PCOMP_CHUNK_COUNTS && !counts_kind(file, c, chunk, error, error_size))
        return false;
    if (c->kind == PCOMP_CHUNK_NODES) {
        chunk->stride = h->node_size;
        chunk->extras = chunk->records + capacity * h->node_size;
        uint64_t whole = chunk->extras - offset;
        room = size > whole ? (size - whole) / h->node_extra_size : 0;
    }
    if (count > room) {
        if (c->kind == PCOMP_CHUNK_NODES)
            file->left_out_nodes += count - room;
        count = room;
    }
    chunk->count = (uint32_t)count;
    for (uint64_t page = offset / PAGE; page < (offset + size + PAGE - 1) / PAGE; page++)
        file->page_chunk[page] = file->chunk_count;
    file->chunk_count++;
    return true;
}

static bool scan_chunks(struct profile_file *file, bool live, char *error, size_t error_size)
{
    uint64_t limit = file->header.used, offset = file->header.header_size;
    while (offset < limit && limit - offset >= sizeof(struct pcomp_chunk)) {
        if (offset > file->size || file->size - offset < file->header.chunk_header_size) {
            file->left_out_bytes += offset < file->size ? file->size - offset : 0;
            break;
        }
        const struct pcomp_chunk *c = (const struct pcomp_chunk *)(file->data + offset);
        if (profile_check_chunk(c, offset, limit)) {
            if (!add_chunk(file, offset, file->size - offset, error, error_size))
                return false;
            offset += c->size;
            continue;
        }
        if (live && !c->magic)
            break; /* memory that the process has taken but not yet made a chunk of */
        if (c->magic != PCOMP_CHUNK_MAGIC) {
            if (!profile_damaged(file, error, error_size, offset, "expected a chunk (0x%08x), found 0x%08x",
                                 PCOMP_CHUNK_MAGIC, c->magic))
                return false;
        } else if (!profile_damaged(file, error, error_size, offset + offsetof(struct pcomp_chunk, size),
                                    "expected a multiple of %u up to %llu as the size of a chunk, found %llu", PAGE,
                                    (unsigned long long)(limit - offset), (unsigned long long)c->size))
            return false;
        file->left_out_bytes += PAGE; /* salvage: chunks start on pages, so try the next */
        offset += PAGE;
    }
    return true;
}

/* Numbers the records of one kind over all chunks; fills `table` (allocated here) with where each is. */
static bool number_records(struct profile_file *file, uint32_t kind, const void ***table, uint32_t *count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < file->chunk_count; i++)
        if (file->chunks[i].kind == kind) {
            file->chunks[i].first_record = (uint32_t)total;
            total += file->chunks[i].count;
        }
    if (total >= PROFILE_NONE)
        return false;
    *count = (uint32_t)total;
    if (!table)
        return true;
    *table = malloc((total + 1) * sizeof **table);
    if (!*table)
        return false;
    const void **next = *table;
    for (uint32_t i = 0; i < file->chunk_count; i++)
        if (file->chunks[i].kind == kind)
            for (uint32_t k = 0; k < file->chunks[i].count; k++)
                *next++ = file->data + file->chunks[i].records + (uint64_t)k * file->chunks[i].stride;
    return true;
}

static bool check_tables(struct profile_file *file, char *error, size_t error_size)
{
    for (uint32_t i = 0; i < file->module_count; i++) {
        const struct pcomp_module *m = file->modules[i];
        uint64_t offset = (uint64_t)((const uint8_t *)m - file->data);
        if (m->path_link && !profile_text(file, m->path_link) &&
            !profile_damaged(file, error, error_size, offset + offsetof(struct pcomp_module, path_link),
                             "expected a link to text, found 0x%llx", (unsigned long long)m->path_link))
            return false;
        if (m->build_id_size > sizeof m->build_id &&
            !profile_damaged(file, error, error_size, offset + offsetof(struct pcomp_module, build_id_size),
                             "expected a build-id of at most %zu bytes, found %u", sizeof m->build_id,
                             m->build_id_size))
            return false;
    }
    for (uint32_t i = 0; i < file->function_count; i++) {
        const struct pcomp_function *f = file->functions[i];
        uint64_t offset = (uint64_t)((const uint8_t *)f - file->data);
        if (f->module != UINT32_MAX && f->module >= file->module_count &&
            !profile_damaged(file, error, error_size, offset + offsetof(struct pcomp_function, module),
                             "expected a module below %u, found %u", file->module_count, f->module))
            return false;
        if (f->name_link && !profile_text(file, f->name_link) &&
            !profile_damaged(file, error, error_size, offset + offsetof(struct pcomp_function, name_link),
                             "expected a link to text, found 0x%llx", (unsigned long long)f->name_link))
            return false;
    }
    return true;
}

/* Counters behind the last function are 0. A running process may have made the function after the list was read. */
static bool check_counters(struct profile_file *file, bool live, char *error, size_t error_size)
{
    for (uint32_t c = 0; c < file->chunk_count; c++) {
        struct profile_chunk *chunk = &file->chunks[c];
        if (chunk->kind != PCOMP_CHUNK_COUNTS)
            continue;
        for (uint32_t k = file->function_count; k < chunk->count && !live; k++)
            if (profile_counter(file, chunk, k) &&
                !profile_damaged(file, error, error_size, chunk->records + k * sizeof(uint64_t),
                                 "expected no calls of function %u, for there are %u functions, found %llu", k,
                                 file->function_count, (unsigned long long)profile_counter(file, chunk, k)))
                return false;
        if (chunk->count > file->function_count)
            chunk->count = file->function_count;
    }
    return true;
}

static int compare_stacks(const void *a, const void *b)
{
    const struct profile_stack *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->record->id != y->record->id)
        return x->record->id < y->record->id ? -1 : 1;
    if (x->record->generation != y->record->generation)
        return x->record->generation > y->record->generation ? -1 : 1;
    return x->frames < y->frames ? -1 : x->frames > y->frames;
}

/* Owners are looked up in a table sorted by thread index, because indices in a damaged file may be anything. */
struct owner {
    uint32_t index, thread;
};

static int compare_owners(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    return x->index != y->index ? (x->index < y->index ? -1 : 1) : x->thread < y->thread ? -1 : x->thread > y->thread;
}

static bool collect_stacks(struct profile_file *file)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < file->chunk_count; i++)
        total += file->chunks[i].kind == PCOMP_CHUNK_STACK;
    struct owner *owners = malloc((file->thread_count + (size_t)1) * sizeof *owners);
    file->stacks = malloc((total + (size_t)1) * sizeof *file->stacks);
    if (!owners || !file->stacks) {
        free(owners);
        return false;
    }
    for (uint32_t t = 0; t < file->thread_count; t++) {
        const struct pcomp_thread *record = file->threads[t].record;
        owners[t] = (struct owner){record ? record->index : UINT32_MAX, t};
    }
    qsort(owners, file->thread_count, sizeof *owners, compare_owners);
    for (uint32_t i = 0; i < file->chunk_count; i++) {
        const struct profile_chunk *c = &file->chunks[i];
        if (c->kind != PCOMP_CHUNK_STACK)
            continue;
        size_t low;
        SORTED_FIND(low, file->thread_count, owners[low].index < c->owner);
        if (low == file->thread_count || owners[low].index != c->owner)
            continue; /* a stack of no thread holds nothing that could be shown */
        file->stacks[file->stack_count++] = (struct profile_stack){
            .record = (const struct pcomp_stack *)(file->data + c->offset + file->header.chunk_header_size),
            .frames = c->records,
            .frame_count = c->count,
            .thread = owners[low].thread};
    }
    free(owners);
    qsort(file->stacks, file->stack_count, sizeof *file->stacks, compare_stacks);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < file->stack_count; i++) {
        const struct profile_stack *s = &file->stacks[i];
        if (kept && file->stacks[kept - 1].thread == s->thread && file->stacks[kept - 1].record->id == s->record->id)
            continue; /* an older generation */
        struct profile_thread *thread = &file->threads[s->thread];
        if (!thread->stack_count++)
            thread->first_stack = kept;
        file->stacks[kept++] = *s;
    }
    file->stack_count = kept;
    return true;
}

static bool collect_threads(struct profile_file *file, bool live, char *error, size_t error_size)
{
    const void **records;
    uint32_t count;
    if (!number_records(file, PCOMP_CHUNK_THREAD, &records, &count))
        return false;
    file->threads = calloc(count + (size_t)1, sizeof *file->threads);
    for (uint32_t i = 0; file->threads && i < count; i++) {
        const struct pcomp_thread *t = records[i];
        struct profile_thread *thread = &file->threads[file->thread_count];
        thread->record = t;
        thread->root = profile_node_index(file, t->root_link);
        thread->beyond = profile_node_index(file, t->beyond_link);
        if (thread->root == PROFILE_NONE) {
            if (live || !t->root_link)
                continue; /* the thread is being set up */
            if (!profile_damaged(file, error, error_size,
                                 (uint64_t)((const uint8_t *)t - file->data) + offsetof(struct pcomp_thread, root_link),
                                 "expected a link to a node, found 0x%llx", (unsigned long long)t->root_link)) {
                free(records);
                return false;
            }
            continue;
        }
        file->thread_count++;
    }
    free(records);
    return file->threads && collect_stacks(file);
}

bool profile_check_contents(struct profile_file *file, uint64_t file_size, bool live, char *error, size_t error_size)
{
    *error = 0;
    if (file->header.used > file_size &&
        !profile_damaged(file, error, error_size, file_size, "expected %llu bytes, found the end of the file",
                         (unsigned long long)file->header.used))
        return false;
    size_t pages = (size_t)(file->size / PAGE) + 1;
    file->page_chunk = malloc(pages * sizeof *file->page_chunk);
    if (!file->page_chunk) {
        snprintf(error, error_size, "%s: out of memory", file->path);
        return false;
    }
    memset(file->page_chunk, 0xff, pages * sizeof *file->page_chunk);
    if (!scan_chunks(file, live, error, error_size))
        return false;
    if (!number_records(file, PCOMP_CHUNK_NODES, NULL, &file->node_count) ||
        !number_records(file, PCOMP_CHUNK_FUNCTIONS, (const void ***)&file->functions, &file->function_count) ||
        !number_records(file, PCOMP_CHUNK_MODULES, (const void ***)&file->modules, &file->module_count) ||
        !check_tables(file, error, error_size) || !check_counters(file, live, error, error_size) ||
        !collect_threads(file, live, error, error_size)) {
        if (!*error)
            snprintf(error, error_size, "%s: out of memory", file->path);
        return false;
    }
    return true;
}
