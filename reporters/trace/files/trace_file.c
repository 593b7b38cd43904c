#include "reporters/trace/files/trace_file.h"

#include "compensation/numeric/delta.h"
#include "compensation/trace_event/alpha.h"
#include "profiler/format/profile_format.h"
#include "reporters/trace/files/trace_source.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE         4096u
#define SEGMENT_MAX  (1ull << 32)
#define SEARCH_BLOCK 65536u
#define CONTEXT_MAX  (1 << 28) /* 1/1024 tick; no event costs so much more */
#define HEADER_MIN   offsetof(struct pcomp_trace_header, alpha)

struct segment {
    uint64_t offset, size, used, sequence, first_event;
};

struct trace_file_state {
    struct trace_source *source;
    struct segment *segments;
    bool salvage;
    uint32_t current; /* segment being read */
    uint64_t at;      /* of the next record: bytes behind the segment's header */
    uint64_t extent;  /* until where its records are */
    bool entered;     /* extent is known */
    uint64_t event, time;
};

/* --- Damage ------------------------------------------------------------------------------------------------------- */

static bool fail(const struct trace_file *file, char *error, size_t error_size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool fail(const struct trace_file *file, char *error, size_t error_size, const char *format, ...)
{
    int n = snprintf(error, error_size, "%s: ", file->path);
    va_list args;
    va_start(args, format);
    if (n >= 0 && (size_t)n < error_size)
        vsnprintf(error + n, error_size - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* With salvage, keeps the text and says true: what comes before is used. */
static bool tolerate(struct trace_file *file, const char *error)
{
    if (!file->state->salvage)
        return false;
    if (!file->damage)
        file->damage = strdup(error);
    return true;
}

/* --- Opening ------------------------------------------------------------------------------------------------------ */

static bool read_header(struct trace_file *file, char *error, size_t error_size)
{
    struct pcomp_trace_header *h = &file->header;
    int64_t n = trace_source_read(file->state->source, 0, h, sizeof *h);
    if (n < 0)
        return fail(file, error, error_size, "%s", strerror(errno));
    if (n < 8 || memcmp(h->magic, PCOMP_TRACE_MAGIC, sizeof h->magic) != 0)
        return fail(file, error, error_size, "offset 0x0: expected a trace file of pcomp, found another");
    if ((size_t)n < HEADER_MIN)
        return fail(file, error, error_size, "offset 0x%llx: expected %zu bytes, found the end of the file",
                    (unsigned long long)n, sizeof *h);
    if (h->endian != PCOMP_ENDIAN)
        return fail(file, error, error_size,
                    "offset 0x%zx: expected byte order 0x%08x, found 0x%08x (made on another kind of machine)",
                    offsetof(struct pcomp_trace_header, endian), PCOMP_ENDIAN, h->endian);
    if (h->version < PCOMP_TRACE_OLDEST || h->version > PCOMP_TRACE_VERSION)
        return fail(file, error, error_size, "offset 0x%zx: expected version %u to %u, found %u",
                    offsetof(struct pcomp_trace_header, version), PCOMP_TRACE_OLDEST, PCOMP_TRACE_VERSION, h->version);
    if (h->header_size < HEADER_MIN || h->header_size > 16 * PAGE || h->header_size % 8)
        return fail(file, error, error_size, "offset 0x%zx: expected a header of %zu bytes, found %u",
                    offsetof(struct pcomp_trace_header, header_size), sizeof *h, h->header_size);
    if (h->segment_header_size < sizeof(struct pcomp_trace_segment) || h->segment_header_size > PAGE ||
        h->segment_header_size % 8)
        return fail(file, error, error_size, "offset 0x%zx: expected a segment header of %zu bytes, found %u",
                    offsetof(struct pcomp_trace_header, segment_header_size), sizeof(struct pcomp_trace_segment),
                    h->segment_header_size);
    if (h->header_size < sizeof *h)
        memset((char *)h + h->header_size, 0, sizeof *h - h->header_size);
    h->name[sizeof h->name - 1] = 0;
    return true;
}

/* A damaged file may say anything. */
static int64_t within(int64_t context)
{
    return context > -CONTEXT_MAX && context < CONTEXT_MAX ? context : 0;
}

/* Alpha becomes the mean of what was measured while the program ran, its spread that of those measurements. */
static void adopt_in_place(struct trace_file *file)
{
    struct pcomp_trace_header *h = &file->header;
    double count = (double)h->in_place_count, mean = count > 0 ? (double)h->in_place_sum / count : 0;
    double variance = count > 1 ? (double)h->in_place_squares * (1 << PCOMP_FIX_SHIFT) / count - mean * mean : 0,
           factor = 1;
    file->context = (struct alpha_context){within(h->context), llabs(within(h->context_error))};
    if (mean > 0 && mean < 0x1p62)
        factor = alpha_factor(h->alpha, (int64_t)(mean + 0.5));
    if (factor == 1)
        return;
    for (uint32_t kind = 0; kind < PCOMP_ALPHA_COUNTED_ERROR; kind++)
        if (kind != PCOMP_EVENT_COUNTED) /* was not in that loop */
            h->alpha[kind] = alpha_times(h->alpha[kind], factor);
    if (variance > 0 && variance < mean * mean)
        file->alpha_spread = (uint64_t)sqrt(variance);
}

static bool add_segment(struct trace_file *file, uint64_t offset, const struct pcomp_trace_segment *s)
{
    struct trace_file_state *state = file->state;
    if ((file->segment_count & (file->segment_count + 1)) == 0) { /* full at 0, 1, 3, 7, ... */
        struct segment *grown = realloc(state->segments, (2 * (size_t)file->segment_count + 1) * sizeof *grown);
        if (!grown)
            return false;
        state->segments = grown;
    }
    state->segments[file->segment_count++] = (struct segment){offset, s->size, s->used, s->sequence, s->first_event};
    return true;
}

/* One segment header at `offset`. Returns its size; 0: there is none, *error is empty at the end of what was written.
 */
static uint64_t check_segment(struct trace_file *file, uint64_t offset, struct pcomp_trace_segment *s, char *error,
                              size_t error_size)
{
    unsigned long long where = (unsigned long long)offset;
    *error = 0;
    if (trace_source_read(file->state->source, offset, s, sizeof *s) != (int64_t)sizeof *s) {
        fail(file, error, error_size, "offset 0x%llx: expected a segment, found %s", where,
             file->size - offset < sizeof *s ? "the end of the file" : "what cannot be read");
        return 0;
    }
    if (!s->magic && !s->size)
        return 0;
    if (s->magic != PCOMP_TRACE_SEGMENT_MAGIC)
        fail(file, error, error_size, "offset 0x%llx: expected a segment (0x%08x), found 0x%08x", where,
             PCOMP_TRACE_SEGMENT_MAGIC, s->magic);
    else if (s->size < PAGE || s->size > SEGMENT_MAX || s->size % PAGE)
        fail(file, error, error_size, "offset 0x%llx: expected a multiple of %u as the size of a segment, found %llu",
             where + offsetof(struct pcomp_trace_segment, size), PAGE, (unsigned long long)s->size);
    else if (s->used > s->size - file->header.segment_header_size || s->used % sizeof(struct pcomp_event))
        fail(file, error, error_size, "offset 0x%llx: expected at most %llu bytes of records, found %llu",
             where + offsetof(struct pcomp_trace_segment, used),
             (unsigned long long)(s->size - file->header.segment_header_size), (unsigned long long)s->used);
    return *error ? 0 : s->size;
}

static int compare_segments(const void *x, const void *y)
{
    const struct segment *a = x, *b = y;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* In order of time, none missing in between or at an end. */
static bool order_segments(struct trace_file *file, char *error, size_t error_size)
{
    struct segment *s = file->state->segments;
    qsort(s, file->segment_count, sizeof *s, compare_segments);
    uint64_t wanted = file->header.flags & PCOMP_TRACE_RING ? s[0].sequence : 1;
    for (uint32_t i = 0; i < file->segment_count; i++, wanted++)
        if (s[i].sequence != wanted) {
            fail(file, error, error_size, "offset 0x%llx: expected segment %llu in order of time, found %llu",
                 (unsigned long long)s[i].offset, (unsigned long long)wanted, (unsigned long long)s[i].sequence);
            file->segment_count = i;
            return tolerate(file, error);
        }
    if ((file->header.flags & PCOMP_TRACE_CLOSED) && wanted <= file->header.segments) {
        fail(file, error, error_size, "offset 0x%llx: expected segment %llu of %llu, found the end of the file",
             (unsigned long long)file->size, (unsigned long long)wanted, (unsigned long long)file->header.segments);
        return tolerate(file, error);
    }
    return true;
}

static bool find_segments(struct trace_file *file, char *error, size_t error_size)
{
    struct pcomp_trace_segment s;
    uint64_t size = 0;
    *error = 0;
    for (uint64_t offset = file->header.header_size; offset < file->size; offset += size) {
        size = check_segment(file, offset, &s, error, error_size);
        if (!size && *error && !tolerate(file, error))
            return false;
        if (!size)
            break;
        if (size > file->size - offset) {
            fail(file, error, error_size, "offset 0x%llx: expected a segment of %llu bytes, found the end of the file",
                 (unsigned long long)file->size, (unsigned long long)size);
            if (!tolerate(file, error))
                return false;
            s.size = size = (file->size - offset) / PAGE * PAGE;
            if (size < PAGE)
                break;
            if (s.used > size - file->header.segment_header_size)
                s.used = size - file->header.segment_header_size;
        }
        if (!file->segment_count)
            file->alpha_spread = s.alpha_spread;
        if (s.sequence && !add_segment(file, offset, &s))
            return fail(file, error, error_size, "out of memory");
    }
    if (!file->segment_count)
        return true;
    if (!order_segments(file, error, error_size))
        return false;
    file->first_event = file->segment_count ? file->state->segments[0].first_event : 0;
    return true;
}

struct trace_file *trace_file_open(const char *path, bool salvage, char *error, size_t error_size)
{
    struct trace_file *file = calloc(1, sizeof *file);
    if (file) {
        file->path = strdup(path);
        file->state = calloc(1, sizeof *file->state);
    }
    if (!file || !file->state || !file->path) {
        snprintf(error, error_size, "%s: out of memory", path);
        trace_file_close(file);
        return NULL;
    }
    struct trace_file_state *state = file->state;
    state->salvage = salvage;
    state->source = trace_source_open(path, error, error_size);
    if (state->source)
        file->size = trace_source_size(state->source);
    if (!state->source || !read_header(file, error, error_size) || !find_segments(file, error, error_size)) {
        trace_file_close(file);
        return NULL;
    }
    adopt_in_place(file);
    trace_file_rewind(file);
    return file;
}

void trace_file_close(struct trace_file *file)
{
    if (!file)
        return;
    if (file->state && file->state->source)
        trace_source_close(file->state->source);
    if (file->state)
        free(file->state->segments);
    free(file->state);
    free(file->damage);
    free(file->path);
    free(file);
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

static const bool known_kinds[PCOMP_EVENT_KINDS] = {
    [PCOMP_EVENT_ENTER... PCOMP_EVENT_UNWIND] = true,
    [PCOMP_EVENT_EXTERNAL_BEGIN... PCOMP_EVENT_EXTERNAL_END] = true,
    [PCOMP_EVENT_CREATE... PCOMP_EVENT_JOIN_END] = true,
    [PCOMP_EVENT_BARRIER_EXIT] = true,
    [PCOMP_EVENT_SEM_V... PCOMP_EVENT_SEM_FAILED] = true,
    [PCOMP_EVENT_LOCK_REQUEST... PCOMP_EVENT_LOCK_RELEASE] = true,
    [PCOMP_EVENT_COND_SIGNAL... PCOMP_EVENT_COND_BROADCAST] = true,
    [PCOMP_EVENT_WAIT_ENTER... PCOMP_EVENT_WAIT_EXIT] = true,
    [PCOMP_EVENT_BARRIER_ENTER... PCOMP_EVENT_COND_WOKEN] = true,
    [PCOMP_EVENT_COUNTED] = true,
    [PCOMP_EVENT_SUPPRESSED... PCOMP_EVENT_CALLS] = true,
    [PCOMP_EVENT_ADVANCE... PCOMP_EVENT_AWAIT_END] = true,
    [PCOMP_EVENT_STREAM_WRITE... PCOMP_EVENT_STREAM_DONE] = true,
    [PCOMP_EVENT_SEND_POST... PCOMP_EVENT_REQUEST_GONE] = true,
    [PCOMP_EVENT_COLLECTIVE_ENTER... PCOMP_EVENT_COLLECTIVE_EXIT] = true,
};

static bool is_kind(const struct trace_file *file, uint32_t kind)
{
    return known_kinds[kind] || (kind == PCOMP_EVENT_CLOCK_SET && file->header.flags & PCOMP_TRACE_REMAPPED);
}

/* Where the records of a segment end that does not tell: behind the last that is not zero. */
static bool find_extent(struct trace_file *file, const struct segment *s, uint64_t *extent)
{
    static const uint64_t zeroes[SEARCH_BLOCK / sizeof(uint64_t)];
    uint64_t block[SEARCH_BLOCK / sizeof(uint64_t)], begin = s->offset + file->header.segment_header_size;
    for (uint64_t end = s->offset + s->size; end > begin;) {
        uint64_t from = end - begin > sizeof block ? end - sizeof block : begin;
        if (trace_source_read(file->state->source, from, block, end - from) != (int64_t)(end - from))
            return false;
        if (memcmp(block, zeroes, end - from) != 0) {
            uint64_t words = (end - from) / sizeof *block;
            while (!block[words - 1])
                words--;
            uint64_t bytes = from - begin + words * sizeof *block, whole = sizeof(struct pcomp_event);
            *extent = (bytes + whole - 1) / whole * whole;
            if (*extent + whole <= s->size - file->header.segment_header_size)
                *extent += whole; /* a long record may end in zeroes */
            return true;
        }
        end = from;
    }
    *extent = 0;
    return true;
}

/* Goes to the next record that there is. False: at the end; *error is set when it cannot be read. */
static bool go_on(struct trace_file *file, char *error, size_t error_size)
{
    struct trace_file_state *state = file->state;
    for (; state->current < file->segment_count; state->current++, state->at = 0, state->entered = false) {
        const struct segment *s = &state->segments[state->current];
        if (!state->entered) {
            state->extent = s->used;
            if (!s->used && !find_extent(file, s, &state->extent))
                return fail(file, error, error_size, "offset 0x%llx: %s", (unsigned long long)s->offset,
                            strerror(errno));
            state->entered = true;
        }
        if (state->at < state->extent)
            return true;
    }
    return false;
}

/* What is wrong with the record that begins with *e, `at` bytes behind the next one to be read. */
static void name_damage(const struct trace_file *file, const struct pcomp_event *e, uint64_t at, char *error,
                        size_t error_size)
{
    const struct trace_file_state *state = file->state;
    uint64_t offset = state->segments[state->current].offset + file->header.segment_header_size + state->at + at;
    char what[160];
    if (!is_kind(file, pcomp_event_kind(e)))
        snprintf(what, sizeof what, "expected a known kind, found %u", pcomp_event_kind(e));
    else if (e->time < state->time)
        snprintf(what, sizeof what, "expected a time from %llu ticks on, found %llu", (unsigned long long)state->time,
                 (unsigned long long)e->time);
    else
        snprintf(what, sizeof what, "expected %u bytes, found the end of the segment", pcomp_event_size(e));
    fail(file, error, error_size, "offset 0x%llx: event %llu: %s", (unsigned long long)offset,
         (unsigned long long)state->event, what);
}

/* Keeps the whole, good records of `n` bytes at `buffer`, moved together over gaps. Returns their size, and in *taken
 * how much of the file they are; *error is set when there is damage behind them. */
static uint64_t keep_records(struct trace_file *file, char *buffer, uint64_t n, uint64_t *taken, char *error,
                             size_t error_size)
{
    struct trace_file_state *state = file->state;
    uint64_t at = 0, kept = 0;
    while (at < n) {
        struct pcomp_event e;
        memcpy(&e, buffer + at, sizeof e);
        uint32_t size = pcomp_event_size(&e), kind = pcomp_event_kind(&e);
        if (!e.what) { /* its hook was left or killed before it came to write it */
            at += sizeof e;
            continue;
        }
        bool cut = size > n - at;
        if (!is_kind(file, kind) || e.time < state->time || (cut && state->at + n == state->extent)) {
            name_damage(file, &e, at, error, error_size);
            break;
        }
        if (cut)
            break;
        if (kept != at)
            memmove(buffer + kept, buffer + at, size);
        state->time = e.time;
        if (kind == PCOMP_EVENT_CLOCK_SET)
            state->time += (uint64_t)pcomp_event_clock_set(&e);
        else
            state->event++;
        at += size;
        kept += size;
    }
    *taken = at;
    return kept;
}

int64_t trace_file_read(struct trace_file *file, void *buffer, size_t max, char *error, size_t error_size)
{
    struct trace_file_state *state = file->state;
    *error = 0;
    while (go_on(file, error, error_size)) {
        const struct segment *s = &state->segments[state->current];
        uint64_t left = state->extent - state->at,
                 n = left < max ? left : max / sizeof(struct pcomp_event) * sizeof(struct pcomp_event), taken;
        uint64_t offset = s->offset + file->header.segment_header_size + state->at;
        int64_t got = trace_source_read(state->source, offset, buffer, n);
        uint64_t whole = got < 0 ? 0 : (uint64_t)got / sizeof(struct pcomp_event) * sizeof(struct pcomp_event);
        uint64_t kept = keep_records(file, buffer, whole, &taken, error, error_size);
        state->at += taken;
        if (kept)
            return (int64_t)kept; /* damage behind it is found by the next call */
        if (whole < n && !taken && !*error)
            fail(file, error, error_size, "offset 0x%llx: event %llu: %s", (unsigned long long)offset,
                 (unsigned long long)state->event, got < 0 ? strerror(errno) : "found the end of the file");
        if (*error)
            break;
    }
    if (!*error)
        return 0;
    if (!tolerate(file, error))
        return -1;
    state->current = file->segment_count;
    return 0;
}

void trace_file_rewind(struct trace_file *file)
{
    struct trace_file_state *state = file->state;
    state->current = 0;
    state->at = 0;
    state->entered = false;
    state->time = 0;
    state->event = file->first_event;
}

uint64_t trace_file_event(const struct trace_file *file)
{
    return file->state->event;
}

uint64_t trace_file_events(struct trace_file *file)
{
    struct trace_file_state *state = file->state;
    uint64_t buffer[SEARCH_BLOCK / sizeof(uint64_t)];
    char error[256];
    trace_file_rewind(file);
    if (file->segment_count) {
        state->current = file->segment_count - 1;
        state->event = state->segments[state->current].first_event;
        while (trace_file_read(file, buffer, sizeof buffer, error, sizeof error) > 0)
            ;
    }
    uint64_t events = state->event;
    trace_file_rewind(file);
    return events;
}

double trace_file_tick_ns(const struct trace_file *file)
{
    const struct pcomp_trace_header *h = &file->header;
    /* the pairs are more exact than what was measured at the start, if they lie apart */
    if (h->tick1 > h->tick0 && h->mono1_ns > h->mono0_ns && h->mono1_ns - h->mono0_ns >= 10000000)
        return (double)(h->mono1_ns - h->mono0_ns) / (double)(h->tick1 - h->tick0);
    return h->tick_hz > 0 ? 1e9 / h->tick_hz : 1;
}
