#include "tests/support/profile_view.h"

#include "tests/support/elf_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FRAME_INHERITED ((uint64_t)1 << 62) /* of a measured frame: the parent of the fork counts it */

static const char *loading;

static __attribute__((noreturn, format(printf, 1, 2))) void bad(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", loading);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

static void *grown(void *old, size_t count, size_t size)
{
    if (count & (count - 1)) /* doubles at each power of two */
        return old;
    void *fresh = realloc(old, (count ? count * 2 : 1) * size);
    if (!fresh)
        bad("no memory");
    return fresh;
}

static const void *at_link(const struct view *v, uint64_t link, size_t size)
{
    uint64_t offset = link - v->header.base;
    if (offset > v->size || size > v->size - offset)
        bad("link %#lx leads out of the file", link);
    return v->map + offset;
}

static const char *text_at(const struct view *v, uint64_t link)
{
    const char *text = at_link(v, link, 1);
    if (!memchr(text, 0, (size_t)(v->map + v->size - text)))
        bad("text without end at %#lx", link);
    return text;
}

struct walk {
    struct pcomp_function *functions;
    struct pcomp_module *modules;
    const struct pcomp_chunk **stacks, **counts, **samples, **spreads;
    uint32_t function_count, module_count, stack_count, counts_count, samples_count, spreads_count;
};

static void take_nodes(struct view *v, const struct pcomp_chunk *c)
{
    const char *nodes = (const char *)(c + 1);
    const char *extras = nodes + (size_t)c->capacity * v->header.node_size;
    if (extras + (size_t)c->capacity * v->header.node_extra_size > (const char *)c + c->size)
        bad("a NODES chunk is too small for its capacity");
    for (uint32_t i = 0; i < c->count; i++) {
        v->nodes = grown(v->nodes, v->node_count, sizeof(*v->nodes));
        struct view_node *n = &v->nodes[v->node_count++];
        const char *extra = extras + (size_t)i * v->header.node_extra_size;
        *n = (struct view_node){.thread = c->owner, .parent = VIEW_NONE};
        memcpy(&n->record, nodes + (size_t)i * v->header.node_size, sizeof(n->record));
        memcpy(&n->extra, extra, sizeof(n->extra));
        extra += sizeof(n->extra);
        if (v->header.flags & PCOMP_FLAG_FOLD_RECURSION) {
            memcpy(&n->exclusive, extra, sizeof(n->exclusive));
            extra += sizeof(n->exclusive);
        }
        for (uint32_t k = 0; k < v->header.counter_count; k++)
            memcpy(&n->counter_raw[k], extra + k * sizeof(struct pcomp_node_counter), sizeof(int64_t));
        extra += v->header.counter_count * sizeof(struct pcomp_node_counter);
        if (v->header.flags & PCOMP_FLAG_COUNTS)
            memcpy(&n->off_cpu, extra, sizeof(n->off_cpu));
        n->link = v->header.base + (uint64_t)(nodes - v->map) + (uint64_t)i * v->header.node_size;
    }
}

static void take_chunk(struct view *v, struct walk *w, const struct pcomp_chunk *c)
{
    if (c->kind != PCOMP_CHUNK_FREE && c->kind != PCOMP_CHUNK_STACK && c->kind != PCOMP_CHUNK_NODES &&
        (size_t)c->count * (c->kind == PCOMP_CHUNK_STRINGS ? 1 : c->record_size) > c->size - sizeof(*c))
        bad("a chunk of kind %u is too small for its count", c->kind);
    switch (c->kind) {
    case PCOMP_CHUNK_THREAD:
        for (uint32_t i = 0; i < c->count; i++) {
            v->threads = grown(v->threads, v->thread_count, sizeof(*v->threads));
            v->threads[v->thread_count++] = ((const struct pcomp_thread *)(c + 1))[i];
        }
        break;
    case PCOMP_CHUNK_NODES:
        take_nodes(v, c);
        break;
    case PCOMP_CHUNK_FUNCTIONS:
        for (uint32_t i = 0; i < c->count; i++) {
            w->functions = grown(w->functions, w->function_count, sizeof(*w->functions));
            w->functions[w->function_count++] = ((const struct pcomp_function *)(c + 1))[i];
        }
        break;
    case PCOMP_CHUNK_MODULES:
        for (uint32_t i = 0; i < c->count; i++) {
            w->modules = grown(w->modules, w->module_count, sizeof(*w->modules));
            w->modules[w->module_count++] = ((const struct pcomp_module *)(c + 1))[i];
        }
        break;
    case PCOMP_CHUNK_STACK:
        w->stacks = grown(w->stacks, w->stack_count, sizeof(*w->stacks));
        w->stacks[w->stack_count++] = c;
        break;
    case PCOMP_CHUNK_COUNTS:
        w->counts = grown(w->counts, w->counts_count, sizeof(*w->counts));
        w->counts[w->counts_count++] = c;
        break;
    case PCOMP_CHUNK_STACKS:
        w->samples = grown(w->samples, w->samples_count, sizeof(*w->samples));
        w->samples[w->samples_count++] = c;
        break;
    case PCOMP_CHUNK_SPREADS:
        w->spreads = grown(w->spreads, w->spreads_count, sizeof(*w->spreads));
        w->spreads[w->spreads_count++] = c;
        break;
    case PCOMP_CHUNK_FREE:
    case PCOMP_CHUNK_STRINGS:
    case PCOMP_CHUNK_WINDOWS:
        break;
    default:
        bad("a chunk of unknown kind %u", c->kind);
    }
}

static int by_link(const void *a, const void *b)
{
    uint64_t x = ((const struct view_node *)a)->link, y = ((const struct view_node *)b)->link;
    return x < y ? -1 : x > y;
}

static uint32_t node_at(const struct view *v, uint64_t link)
{
    struct view_node key = {.link = link};
    const struct view_node *n = bsearch(&key, v->nodes, v->node_count, sizeof(*n), by_link);
    return n ? (uint32_t)(n - v->nodes) : VIEW_NONE;
}

static void name_nodes(struct view *v, const struct walk *w)
{
    v->functions = calloc(w->function_count + 1, sizeof(*v->functions));
    v->function_count = w->function_count;
    if (!v->functions)
        bad("no memory");
    for (uint32_t i = 0; i < w->function_count; i++) {
        const struct pcomp_function *f = &w->functions[i];
        char unknown[32];
        const char *name = NULL;
        if (f->name_link)
            name = text_at(v, f->name_link);
        else if (f->module < w->module_count) {
            const struct pcomp_module *m = &w->modules[f->module];
            name = elf_symbol_name(text_at(v, m->path_link), f->address - m->bias);
        }
        snprintf(unknown, sizeof(unknown), "%#lx", f->address);
        v->functions[i].name = strdup(name ? name : unknown);
        v->functions[i].flags = f->flags;
    }
    for (uint32_t i = 0; i < v->node_count; i++) {
        if (v->nodes[i].extra.function_id >= w->function_count)
            bad("node of function %u of %u", v->nodes[i].extra.function_id, w->function_count);
        v->nodes[i].name = v->functions[v->nodes[i].extra.function_id].name;
    }
}

static void sum_counts(struct view *v, const struct pcomp_chunk *c)
{
    const uint64_t *counters = (const uint64_t *)(c + 1);
    uint64_t kind = c->reserved[1];
    if (c->record_size != sizeof(*counters) || c->count != c->capacity || kind < PCOMP_COUNTS_THREAD ||
        kind > PCOMP_COUNTS_AFTER || !(v->header.flags & PCOMP_FLAG_COUNTS))
        bad("a chunk of counters of kind %lu", kind);
    bool exact = kind == PCOMP_COUNTS_THREAD || kind == PCOMP_COUNTS_ENDED;
    for (uint32_t i = 0; i < c->count; i++) {
        if (i >= v->function_count && counters[i] && !v->header.late_calls) /* else it may have come while it closed */
            bad("%lu calls of function %u of %u", counters[i], i, v->function_count);
        if (i < v->function_count)
            *(exact ? &v->functions[i].calls : &v->functions[i].inexact) += counters[i];
    }
}

/* A frame's caller comes before it, in this chunk or in one of the same thread. */
static void sum_samples(struct view *v, const struct walk *w, uint32_t chunk)
{
    const struct pcomp_chunk *c = w->samples[chunk];
    const struct pcomp_stack_frame *frames = (const struct pcomp_stack_frame *)(c + 1);
    uint32_t before = 0;
    if (c->record_size != sizeof(*frames))
        bad("frames of %u bytes", c->record_size);
    for (uint32_t i = 0; i < chunk; i++)
        before += w->samples[i]->owner == c->owner ? w->samples[i]->count : 0;
    for (uint32_t i = 0; i < c->count; i++) {
        if (frames[i].parent > before + i || frames[i].hits > frames[i].weight)
            bad("frame %u of thread %u has parent %u, %u hits, weight %lu", before + i + 1, c->owner, frames[i].parent,
                frames[i].hits, frames[i].weight);
        if (frames[i].node && node_at(v, frames[i].node) == VIEW_NONE)
            bad("frame %u of thread %u has no node", before + i + 1, c->owner);
        v->weights += frames[i].weight;
    }
}

static void sum_spread(struct view *v, const struct pcomp_chunk *c, const struct pcomp_spread *s)
{
    uint32_t i = s->node ? node_at(v, v->header.base + (uint64_t)s->node * 64) : VIEW_NONE;
    if (s->node && (i == VIEW_NONE || v->nodes[i].thread != c->owner))
        bad("buckets of node %#x of thread %u, which is none", s->node, c->owner);
    if (s->first == PCOMP_SPREAD_LONGEST) {
        const struct pcomp_longest *l = (const struct pcomp_longest *)s;
        for (int k = 0; k < PCOMP_LONGEST; k++)
            if (l->each[k].start && l->each[k].time > v->nodes[i].greatest)
                v->nodes[i].greatest = l->each[k].time;
        return;
    }
    for (uint32_t k = 0; k < s->n; k++)
        *(s->node ? &v->nodes[i].in_buckets : &v->in_no_bucket) += s->counts[k];
}

static void sum_spreads(struct view *v, const struct pcomp_chunk *c)
{
    const char *units = (const char *)(c + 1);
    for (uint64_t unit = 0, size; unit < c->count; unit += size) {
        const struct pcomp_spread *s = (const struct pcomp_spread *)(units + unit * 64);
        uint64_t bytes = sizeof(*s) + (uint64_t)s->n * sizeof(*s->counts);
        size = s->n ? bytes / 64 : 1;
        if (s->n && (bytes % 64 || size > c->count - unit))
            bad("a record of %u buckets in %u units", s->n, c->count);
        if (s->n)
            sum_spread(v, c, s);
    }
}

static void open_activations(struct view *v, const struct pcomp_chunk *c)
{
    const struct pcomp_stack *s = (const struct pcomp_stack *)(c + 1);
    const char *first = (const char *)(s + 1), *end = (const char *)c + c->size;
    uint64_t last = 0, stride = v->header.frame_size;
    const char *at;
    const struct pcomp_thread *t = NULL;
    for (uint32_t i = 0; i < v->thread_count; i++)
        if (v->threads[i].index == c->owner)
            t = &v->threads[i];
    for (at = first; at + stride <= end; at += stride) {
        const struct pcomp_frame *f = (const struct pcomp_frame *)at;
        if (f->end != FRAME_NOT_MEASURED && f->start > last)
            last = f->start;
        if (f->end != FRAME_NOT_MEASURED && f->end > last)
            last = f->end;
        if (f->end != FRAME_NOT_MEASURED && f->start <= f->end)
            break;
    }
    for (at = first; at + stride <= end; at += stride) {
        const struct pcomp_frame *f = (const struct pcomp_frame *)at;
        if (f->end != FRAME_NOT_MEASURED && f->start <= f->end)
            break;
        if (at == first || f->end == FRAME_NOT_MEASURED)
            continue;
        uint32_t i = node_at(v, f->node);
        if (i == VIEW_NONE)
            bad("an open frame of node %#lx, which is none", f->node);
        struct view_node *n = &v->nodes[i];
        if (t && (t->flags & PCOMP_THREAD_INHERITED) && (f->function & FRAME_INHERITED))
            n->inherited++;
        else
            n->open++;
        n->open_raw += last - f->start;
    }
}

static void check_header(const struct view *v)
{
    const struct pcomp_header *h = &v->header;
    if (memcmp(h->magic, PCOMP_MAGIC, 8) || h->version != PCOMP_FORMAT_VERSION || h->endian != PCOMP_ENDIAN)
        bad("not a profile of this version");
    if (h->header_size != sizeof(struct pcomp_header) || h->thread_size != sizeof(struct pcomp_thread) ||
        h->node_size != sizeof(struct pcomp_node) || h->frame_size < sizeof(struct pcomp_frame) ||
        h->node_extra_size < sizeof(struct pcomp_node_extra) || h->counter_count > PCOMP_COUNTERS_MAX)
        bad("sizes of records");
    if (h->used > v->size)
        bad("%lu bytes are used, the file has %zu", h->used, v->size);
}

struct view view_load(const char *path)
{
    struct view v = {0};
    struct walk w = {0};
    struct stat st;
    loading = path;
    snprintf(v.path, sizeof(v.path), "%s", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        bad("%s", strerror(errno));
    /* read, not mapped: a live process goes on writing. What is used is at the front; the file may be sparse and huge
     */
    struct pcomp_header first;
    if (read(fd, &first, sizeof(first)) != (ssize_t)sizeof(first))
        bad("shorter than a header");
    v.size = first.used < (uint64_t)st.st_size ? first.used : (uint64_t)st.st_size;
    char *copy = malloc(v.size);
    for (size_t at = 0; copy && at < v.size;) {
        ssize_t n = pread(fd, copy + at, v.size - at, (off_t)at);
        if (n <= 0)
            bad("cannot be read to its end");
        at += (size_t)n;
    }
    if (!copy)
        bad("no memory");
    v.map = copy;
    close(fd);
    v.header = first;
    check_header(&v);
    for (uint64_t at = first.header_size; at < v.size;) {
        const struct pcomp_chunk *c = (const struct pcomp_chunk *)(v.map + at);
        if (v.size - at < sizeof(*c) || c->magic != PCOMP_CHUNK_MAGIC || !c->size || c->size % 4096 ||
            c->size > v.size - at)
            bad("no chunk at offset %lu", at);
        take_chunk(&v, &w, c);
        at += c->size;
    }
    if (v.node_count)
        qsort(v.nodes, v.node_count, sizeof(*v.nodes), by_link);
    for (uint32_t i = 0; i < v.node_count; i++) {
        if (!v.nodes[i].record.parent)
            continue;
        v.nodes[i].parent = node_at(&v, v.nodes[i].record.parent);
        if (v.nodes[i].parent == VIEW_NONE || v.nodes[v.nodes[i].parent].thread != v.nodes[i].thread)
            bad("a node without its parent");
    }
    name_nodes(&v, &w);
    for (uint32_t i = 0; i < w.counts_count; i++)
        sum_counts(&v, w.counts[i]);
    for (uint32_t i = 0; i < w.samples_count; i++)
        sum_samples(&v, &w, i);
    for (uint32_t i = 0; i < v.node_count; i++)
        v.nodes[i].greatest = v.nodes[i].record.top;
    for (uint32_t i = 0; i < w.spreads_count; i++)
        sum_spreads(&v, w.spreads[i]);
    for (uint32_t i = 0; i < w.stack_count; i++) {
        const struct pcomp_stack *s = (const struct pcomp_stack *)(w.stacks[i] + 1);
        bool current = s->generation > 0;
        for (uint32_t k = 0; k < w.stack_count; k++) {
            const struct pcomp_stack *o = (const struct pcomp_stack *)(w.stacks[k] + 1);
            current &= w.stacks[k]->owner != w.stacks[i]->owner || o->id != s->id || o->generation <= s->generation;
        }
        if (current)
            open_activations(&v, w.stacks[i]);
    }
    free(w.functions);
    free(w.modules);
    free(w.stacks);
    free(w.counts);
    free(w.samples);
    free(w.spreads);
    return v;
}

void view_free(struct view *v)
{
    free((void *)(uintptr_t)v->map);
    free(v->threads);
    free(v->nodes);
    free(v->functions);
}

const char *view_path(const struct view *v, uint32_t node)
{
    static char text[1 << 16];
    char *at = text + sizeof(text) - 1;
    *at = 0;
    for (; node != VIEW_NONE && v->nodes[node].parent != VIEW_NONE; node = v->nodes[node].parent) {
        const char *name = v->nodes[node].name;
        size_t length = strlen(name);
        if ((size_t)(at - text) < length + 5)
            return memcpy(at - 4, "...>", 4);
        if (*at)
            *--at = '>';
        at -= length;
        memcpy(at, name, length);
    }
    return at;
}

double view_ns(const struct view *v, uint64_t ticks)
{
    return (double)ticks * 1e9 / v->header.tick_hz;
}

bool view_is_unfinished(const struct view *v, uint32_t thread)
{
    for (uint32_t k = 0; k < v->thread_count; k++)
        if (v->threads[k].index == thread)
            return !v->threads[k].end_tick;
    return true;
}
