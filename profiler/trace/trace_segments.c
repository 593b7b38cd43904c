#include "profiler/trace/trace_segments.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/own_stack.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"
#include "profiler/base/store.h"
#include "profiler/code/functions.h"
#include "profiler/trace/trace_counted.h"
#include "profiler/trace/trace_processor.h"
#include "profiler/trace/trace_room.h"
#include "profiler/trace/trace_suppressed.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE            4096u
#define FILE_FIRST      65536u /* size of the file with its first segment; four times as much with each other ... */
#define SEGMENT_MAX     (4ull << 20) /* ... until they are as large as this */
#define SEGMENT_MIN     (2ull * PAGE)
#define RING_PARTS      8 /* a ring consists of at least as many segments */
#define RENEWED_MAX     10000u
#define END_SIZE        (2 * sizeof(struct pcomp_event)) /* FLUSH_END and END */
#define ALPHA_NS        4000000u                         /* so often alpha is measured again, */
#define ALPHA_BYTES_MIN 16384u                           /* but not within as many bytes of records */
#define ALPHAS_MAX      4                                /* alpha is the mean of about as many */

struct pcomp_trace_header trace_header;
uint64_t trace_alpha_spread;
int64_t (*trace_alpha_now)(void);

static uint32_t locations;   /* files begun */
static uint64_t alpha_ticks; /* ticks */

static bool path_of(uint32_t location, char path[4400])
{
    const char *profile = store_path();
    int stem = (int)(strlen(profile) - strlen(".pcomp"));
    return snprintf(path, 4400, "%.*s.%u" PCOMP_TRACE_SUFFIX, stem, profile, location) < 4400;
}

static int open_file(uint32_t location, int how)
{
    char path[4400];
    return path_of(location, path) ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | how, 0666) : -1;
}

void trace_segments_start(void)
{
    locations = 0;
    alpha_ticks = (uint64_t)(run_tick_hz * 1e-9 * ALPHA_NS);
}

static struct pcomp_event *first_record(struct pcomp_trace_segment *s)
{
    return (struct pcomp_event *)(s + 1);
}

static uint64_t records_in(const struct thread_state *h)
{
    uint64_t bytes = h->trace_cursor - (uint64_t)(uintptr_t)first_record(h->tracing.segment);
    return bytes / sizeof(struct pcomp_event) - h->tracing.longs;
}

void trace_set_limits(struct thread_state *h)
{
    struct tracing *t = &h->tracing;
    bool fast = (config.clock == PCOMP_CLOCK_TSC || config.clock == PCOMP_CLOCK_CNTVCT) && !config.pattern_count &&
                !h->paused && !t->hooks_to_register;
    h->trace_limit = fast ? trace_counted_limit(h, t->limit) : 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST); /* before the look that may come too late for an alarm */
    if (trace_counted_is_behind(h))
        h->trace_limit = 0;
}

void trace_calibrating(struct thread_state *h, uint64_t end)
{
    h->budget = TRACE_NO_BUDGET;
    h->tracing.limit = end;
    trace_set_limits(h);
}

/* Sets *size of a segment that begins at `offset`. Returns 0 or why there is none (enum pcomp_stopped). */
static uint32_t plan(uint64_t offset, uint64_t *size)
{
    uint64_t end = FILE_FIRST;
    while (end <= offset && end < SEGMENT_MAX)
        end *= 4;
    if (end <= offset)
        end = (offset / SEGMENT_MAX + 1) * SEGMENT_MAX;
    uint64_t limit = config.trace_limit / PAGE * PAGE, max = limit / RING_PARTS / PAGE * PAGE,
             file = trace_size_limit();
    if (config.trace_ring && end - offset > max)
        end = offset + (max < SEGMENT_MIN ? SEGMENT_MIN : max);
    if (limit && end > limit)
        end = limit;
    if (end > file)
        end = file;
    *size = end > offset ? end - offset : 0;
    if (*size >= SEGMENT_MIN)
        return 0;
    return end == file ? PCOMP_STOPPED_FILE_SIZE : PCOMP_STOPPED_TRACE;
}

/* --- segments ------------------------------------------------------------------------------------------------------
 */

static bool read_segment(int fd, uint64_t offset, struct pcomp_trace_segment *s)
{
    return pread(fd, s, sizeof(*s), (off_t)offset) == (ssize_t)sizeof(*s) && s->magic == PCOMP_TRACE_SEGMENT_MAGIC &&
           s->size >= SEGMENT_MIN && s->size <= SEGMENT_MAX;
}

/* Maps the oldest segment of a full ring, emptied. While it is, its sequence is 0, which readers pass over. */
static struct pcomp_trace_segment *reuse(struct thread_state *h, int fd, uint64_t *offset)
{
    struct pcomp_trace_segment old, next;
    if (*offset >= h->tracing.header->size)
        *offset = sizeof(struct pcomp_trace_header);
    if (!read_segment(fd, *offset, &old))
        return NULL;
    struct pcomp_trace_segment *s = trace_map_part(fd, *offset, old.size);
    if (!s)
        return NULL;
    __atomic_exchange_n(&s->sequence, 0, __ATOMIC_SEQ_CST); /* before the records go */
    memset(first_record(s), 0, old.size - sizeof(*s));
    uint64_t after = *offset + old.size;
    if (read_segment(fd, after >= h->tracing.header->size ? sizeof(struct pcomp_trace_header) : after, &next))
        h->tracing.header->overwritten = next.first_event;
    return s;
}

/* The next segment, mapped: a new part of the file, or the oldest of a full ring. NULL: *stopped says why. */
static struct pcomp_trace_segment *make_segment(struct thread_state *h, int fd, uint64_t *offset, uint32_t *stopped)
{
    uint64_t size;
    bool round = h->tracing.header->overwritten || *offset < h->tracing.header->size;
    *stopped = round ? 0 : plan(*offset, &size);
    if (round || (*stopped && config.trace_ring && h->tracing.header->segments > 1)) {
        struct pcomp_trace_segment *s = reuse(h, fd, offset);
        *stopped = s ? 0 : PCOMP_STOPPED_NO_SPACE;
        return s;
    }
    if (*stopped)
        return NULL;
    *stopped = PCOMP_STOPPED_NO_SPACE;
    if (!trace_write_zeroes(fd, *offset, size))
        return NULL;
    struct pcomp_trace_segment *s = trace_map_part(fd, *offset, size);
    if (!s)
        return NULL;
    *s = (struct pcomp_trace_segment){.magic = PCOMP_TRACE_SEGMENT_MAGIC, .size = size};
    h->tracing.header->size = *offset + size;
    return s;
}

/* The old segment stays mapped for a while (struct tracing). */
static void leave(struct tracing *t)
{
    if (!t->segment)
        return;
    int last = (int)(sizeof(t->left) / sizeof(t->left[0])) - 1;
    if (t->left[last].address)
        munmap(t->left[last].address, t->left[last].size);
    memmove(&t->left[1], &t->left[0], sizeof(t->left[0]) * (size_t)last);
    t->left[0].address = t->segment;
    t->left[0].size = t->segment->size;
}

static void write_record(struct thread_state *h, uint64_t time, uint64_t what)
{
    struct pcomp_event *e = (struct pcomp_event *)(uintptr_t)h->trace_cursor;
    e->time = time;
    e->what = what;
    h->trace_cursor += sizeof(*e);
}

static void use_segment(struct thread_state *h, struct pcomp_trace_segment *s, uint64_t first_event)
{
    struct tracing *t = &h->tracing;
    if (t->segment)
        t->written += h->trace_cursor - (uint64_t)(uintptr_t)first_record(t->segment);
    s->used = 0;
    s->first_event = first_event;
    s->alpha_spread = trace_alpha_spread;
    __atomic_store_n(&s->sequence, ++t->header->segments, __ATOMIC_RELEASE);
    t->segment = s;
    t->longs = 0;
    t->alpha_cursor += (uint64_t)(uintptr_t)first_record(s) - h->trace_cursor; /* as many bytes ago */
    h->trace_cursor = (uint64_t)(uintptr_t)first_record(s);
    t->limit = t->end = (uint64_t)(uintptr_t)s + s->size - sizeof(struct pcomp_event);
}

static void touch(struct pcomp_trace_header *header)
{
    uint64_t tick, ns;
    clock_pair(config.clock, &tick, &ns);
    header->tick1 = tick;
    header->mono1_ns = ns;
}

void trace_count_lost(struct thread_state *h)
{
    if (!h->tracing.header) {
        run_count_lost();
        return;
    }
    h->tracing.header->lost++;
    if (h->tracing.lost)
        ++*h->tracing.lost;
}

static void stop(struct thread_state *h, uint64_t now, uint32_t why)
{
    struct tracing *t = &h->tracing;
    __atomic_or_fetch(&store_header->stopped, why, __ATOMIC_RELAXED);
    if (t->segment) { /* in the place kept for it */
        write_record(h, now, (uint64_t)PCOMP_EVENT_LOST << 56);
        t->lost = (uint64_t *)(uintptr_t)(h->trace_cursor - sizeof(uint64_t));
    }
    t->stopped = true;
    t->limit = t->end = h->trace_limit = 0;
}

/* --- alpha in place ----------------------------------------------------------------------------------------------- */

/* Bytes of records until it is measured again: as many as would come in ALPHA_NS at the pace since it was done last. */
static uint64_t bytes_to_alpha(const struct thread_state *h, uint64_t now)
{
    const struct tracing *t = &h->tracing;
    uint64_t bytes = t->alpha_tick ? (h->trace_cursor - t->alpha_cursor) * alpha_ticks / (now - t->alpha_tick + 1) : 0;
    bytes = bytes / END_SIZE * END_SIZE;
    return bytes < ALPHA_BYTES_MIN ? ALPHA_BYTES_MIN : bytes < SEGMENT_MAX ? bytes : SEGMENT_MAX;
}

/* Measures alpha, and plans when to do so again. */
static void look(struct thread_state *h)
{
    struct tracing *t = &h->tracing;
    int64_t alpha = trace_alpha_now ? trace_alpha_now() : 0;
    uint64_t now = clock_read(config.clock), limit = h->trace_cursor + bytes_to_alpha(h, now);
    t->limit = limit < t->end ? limit : t->end;
    t->alpha_cursor = h->trace_cursor;
    t->alpha_tick = now;
    if (!alpha)
        return;
    t->alphas += t->alphas < ALPHAS_MAX;
    t->alpha += (alpha - t->alpha) / (int32_t)t->alphas;
    t->header->in_place_sum += alpha;
    t->header->in_place_squares += (uint64_t)(alpha * alpha) >> PCOMP_FIX_SHIFT;
    t->header->in_place_count++;
}

static void begin_flush(struct thread_state *h, uint64_t begin)
{
    if (h->tracing.suppressed)
        trace_suppressed_span_update(h, begin, h->trace_cursor, true);
    trace_counted_span_update(h, begin, h->trace_cursor, true);
    write_record(h, begin, (uint64_t)PCOMP_EVENT_FLUSH_BEGIN << 56);
}

static void end_flush(struct thread_state *h, int64_t alpha)
{
    uint64_t now = clock_read(config.clock);
    write_record(h, now, (uint64_t)PCOMP_EVENT_FLUSH_END << 56 | (uint64_t)alpha);
    if (h->tracing.suppressed)
        trace_suppressed_span_begin(h, now, h->trace_cursor);
    trace_counted_span_begin(h, now, h->trace_cursor);
    own_stack_enter_anew(now); /* what comes in the same hook begins behind it */
}

bool trace_look_again(struct thread_state *h, uint64_t begin, uint64_t size)
{
    if (h->trace_cursor + END_SIZE + size > h->tracing.end)
        return false;
    begin_flush(h, begin);
    look(h);
    end_flush(h, h->tracing.alpha);
    return true;
}

/* Room for records of so many bytes, and FLUSH_BEGIN. *begin: now, behind the flush of a new segment. */
static bool make_room(struct thread_state *h, uint64_t *begin, uint64_t size)
{
    if (h->tracing.stopped || !h->tracing.segment)
        return false;
    if (h->trace_cursor + size > h->tracing.end) {
        if (!trace_next_segment(h, *begin))
            return false;
        *begin = clock_read(config.clock);
    }
    return true;
}

/* Begins a flush of records of so many bytes, at *begin. */
static bool begin_own(struct thread_state *h, uint64_t *begin, uint64_t size)
{
    if (!make_room(h, begin, END_SIZE + sizeof(struct pcomp_event_long) + size))
        return false;
    begin_flush(h, *begin);
    return true;
}

bool trace_write_marks(struct thread_state *h, uint64_t begin, const struct pcomp_event marks[], uint32_t count)
{
    if (!begin_own(h, &begin, count * sizeof(*marks)))
        return false;
    for (uint32_t i = 0; i < count; i++)
        write_record(h, begin, marks[i].what);
    end_flush(h, 0);
    return true;
}

bool trace_write_notes(struct thread_state *h, uint64_t begin, const struct pcomp_event_long notes[], uint32_t count)
{
    struct tracing *t = &h->tracing;
    if (!begin_own(h, &begin, count * sizeof(*notes)))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct pcomp_event_long *e = (struct pcomp_event_long *)(uintptr_t)h->trace_cursor;
        *e = notes[i];
        e->time = begin;
        h->trace_cursor += sizeof(*e);
        t->longs++;
    }
    end_flush(h, 0);
    return true;
}

bool trace_next_segment(struct thread_state *h, uint64_t begin)
{
    struct tracing *t = &h->tracing;
    uint64_t offset = t->segment ? t->offset + t->segment->size : sizeof(struct pcomp_trace_header);
    uint64_t first_event = 0;
    uint32_t stopped = PCOMP_STOPPED_NO_SPACE;
    int fd = open_file(t->location, 0);
    struct pcomp_trace_segment *s = fd >= 0 ? make_segment(h, fd, &offset, &stopped) : NULL;
    if (fd >= 0)
        descriptor_close(fd);
    if (!s) {
        stop(h, begin, stopped);
        return false;
    }
    bool first = !t->segment, stretch = false;
    if (!first) {
        begin_flush(h, begin);
        stretch = trace_processor_leaves(h, begin);
        if (t->suppressed)
            t->suppressed->span.record = NULL; /* it is of the segment that is left */
        t->counted.span.record = NULL;
        first_event = t->segment->first_event + records_in(h);
        t->segment->used = h->trace_cursor - (uint64_t)(uintptr_t)first_record(t->segment);
        leave(t);
    }
    t->offset = offset;
    use_segment(h, s, first_event);
    touch(t->header);
    if (functions_register_modules() || !first)
        run_touch();
    look(h);
    if (!first)
        end_flush(h, t->alpha);
    if (stretch) {
        trace_processor_follows(h);
        t->longs++;
    }
    return true;
}

void trace_keep_end(struct thread_state *h, uint64_t begin)
{
    struct tracing *t = &h->tracing;
    if (!make_room(h, &begin, END_SIZE))
        return;
    write_record(h, begin, (uint64_t)PCOMP_EVENT_FLUSH_BEGIN << 56);
    t->end_at = t->offset + (h->trace_cursor - (uint64_t)(uintptr_t)t->segment);
    h->trace_cursor += END_SIZE;
}

void trace_write_end(const struct thread_state *h)
{
    const struct tracing *t = &h->tracing;
    int fd = t->end_at ? open_file(t->location, 0) : -1;
    if (fd < 0)
        return;
    uint64_t now = clock_read(config.clock);
    struct pcomp_event records[2] = {{now, (uint64_t)PCOMP_EVENT_FLUSH_END << 56},
                                     {now, (uint64_t)PCOMP_EVENT_END << 56 | t->token}};
    _Static_assert(sizeof(records) == END_SIZE, "what was kept");
    if (!trace_overwrite(fd, records, sizeof(records), t->end_at))
        run_count_lost();
    descriptor_close(fd);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

bool trace_file_begin(struct thread_state *h)
{
    struct tracing *t = &h->tracing;
    *t = (struct tracing){.location = __atomic_fetch_add(&locations, 1, __ATOMIC_RELAXED)};
    struct pcomp_trace_header header = trace_header;
    header.location = t->location;
    header.tid = (int32_t)syscall(SYS_gettid);
    header.flags = (config.trace_ring ? PCOMP_TRACE_RING : 0) | (header.tid == header.pid ? PCOMP_TRACE_MAIN : 0);
    header.size = sizeof(header);
    prctl(PR_GET_NAME, header.name);
    touch(&header);
    int fd = trace_size_limit() < FILE_FIRST ? -1 : open_file(t->location, O_CREAT | O_EXCL);
    if (fd >= 0 && pwrite(fd, &header, sizeof(header), 0) == (ssize_t)sizeof(header))
        t->header = trace_map_part(fd, 0, sizeof(header));
    if (fd >= 0)
        descriptor_close(fd);
    if (t->header)
        return trace_next_segment(h, 0);
    stop(h, 0, trace_size_limit() < FILE_FIRST ? PCOMP_STOPPED_FILE_SIZE : PCOMP_STOPPED_NO_SPACE);
    return false;
}

/* Cuts off what the last segment of the file does not use. Another thread's late hooks write to memory then. */
static void cut(struct thread_state *h, bool own)
{
    struct tracing *t = &h->tracing;
    uint64_t size = (h->trace_cursor - (uint64_t)(uintptr_t)t->segment + PAGE - 1) / PAGE * PAGE, rest;
    rest = t->segment->size - size;
    if (!rest || t->offset + t->segment->size != t->header->size)
        return;
    if (!own && mmap((char *)t->segment + size, rest, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        return;
    int fd = open_file(t->location, 0);
    if (fd < 0)
        return;
    if (own)
        munmap((char *)t->segment + size, rest);
    t->segment->size = size;
    t->header->size = t->offset + size;
    if (ftruncate(fd, (off_t)t->header->size) != 0)
        t->header->size += rest; /* zeroes behind the end */
    descriptor_close(fd);
}

uint64_t trace_file_end(struct thread_state *h, bool own)
{
    struct tracing *t = &h->tracing;
    h->trace_limit = t->limit = t->end = 0;
    t->stopped = true;
    if (!t->header)
        return 0;
    uint64_t records = 0;
    if (t->segment) {
        records = t->segment->first_event + records_in(h) - (t->lost != NULL);
        t->segment->used = h->trace_cursor - (uint64_t)(uintptr_t)first_record(t->segment);
        cut(h, own);
    }
    touch(t->header);
    if (own)
        prctl(PR_GET_NAME, t->header->name);
    t->header->flags |= PCOMP_TRACE_CLOSED;
    __atomic_add_fetch(&store_header->lost_calls, t->header->lost, __ATOMIC_RELAXED);
    if (!own)
        return records;
    if (t->segment)
        munmap(t->segment, t->segment->size);
    for (size_t i = 0; i < sizeof(t->left) / sizeof(t->left[0]) && t->left[i].address; i++)
        munmap(t->left[i].address, t->left[i].size);
    munmap(t->header, sizeof(*t->header));
    t->header = NULL;
    t->segment = NULL;
    t->lost = NULL;
    h->trace_cursor = 0;
    return records;
}

void trace_headers_renew(void)
{
    uint32_t count = __atomic_load_n(&locations, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < count && i < RENEWED_MAX; i++) {
        int fd = open_file(i, 0);
        if (fd < 0)
            continue;
        const char *from = (const char *)&trace_header;
        static const struct {
            size_t begin, end;
        } parts[] = {{offsetof(struct pcomp_trace_header, rank), offsetof(struct pcomp_trace_header, run_id)},
                     {offsetof(struct pcomp_trace_header, offset_tick), offsetof(struct pcomp_trace_header, name)},
                     {offsetof(struct pcomp_trace_header, alpha), offsetof(struct pcomp_trace_header, in_place_sum)},
                     {offsetof(struct pcomp_trace_header, eager_max), offsetof(struct pcomp_trace_header, reserved)}};
        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
            if (!trace_overwrite(fd, from + parts[p].begin, parts[p].end - parts[p].begin, parts[p].begin))
                break; /* as it was */
        descriptor_close(fd);
    }
}
