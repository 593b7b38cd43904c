/* The reader of traces under damage: whatever the bytes, it gives whole records in order of time, the same again after
 * going back, or one line of error; and what follows events (stacks, links) takes all that it gives. Entry of libFuzzer
 * (target fuzz_trace_file) and of fuzz_trace_regression. */
#include "reporters/trace/files/trace_file.h"
#include "reporters/trace/files/trace_links.h"
#include "reporters/trace/trace_activity.h"
#include "tests/fuzz/fuzz_seeds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_trace_file: %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                   \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { BLOCK = 4096, SEGMENT = 4096, READ_MAX = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct followed {
    struct trace_activity activity;
    struct trace_links *links;
    uint64_t events, sum; /* how many, and a checksum */
};

static void note_link(void *context, const struct trace_link *link)
{
    (void)context;
    REQUIRE(link->from == 0 && link->to == 0);
}

static void follow(struct followed *f, const struct pcomp_event_long *event)
{
    struct trace_change change;
    REQUIRE(trace_activity_follow(&f->activity, event, &change));
    REQUIRE(trace_links_follow(f->links, 0, event));
}

/* Reads all, in blocks of at most `most` bytes. False: it ended with an error. */
static bool read_all(struct trace_file *file, size_t max, bool followed, struct followed *f)
{
    static uint64_t block[BLOCK / 8];
    char error[512] = "";
    uint64_t last = 0, first = trace_file_event(file);
    int64_t size;
    f->events = f->sum = 0;
    while ((size = trace_file_read(file, block, max, error, sizeof error)) > 0 && f->events < READ_MAX) {
        REQUIRE((size_t)size <= max);
        int64_t at = 0;
        while (at < size) {
            struct pcomp_event_long event = {0};
            memcpy(&event, (char *)block + at, 16);
            size_t whole = pcomp_event_size((struct pcomp_event *)&event);
            REQUIRE(at + (int64_t)whole <= size);
            memcpy(&event, (char *)block + at, whole);
            REQUIRE(event.time >= last && event.what);
            bool sets = pcomp_event_kind((struct pcomp_event *)&event) == PCOMP_EVENT_CLOCK_SET;
            last = event.time + (sets ? (uint64_t)pcomp_event_clock_set((struct pcomp_event *)&event) : 0);
            f->sum = f->sum * 31 + event.time + event.what;
            f->events += !sets; /* that is no event of the program */
            at += (int64_t)whole;
            if (followed)
                follow(f, &event);
        }
        REQUIRE(trace_file_event(file) == first + f->events);
    }
    REQUIRE(size >= 0 || (*error && !strchr(error, '\n')));
    return size >= 0;
}

static void open_bytes(const uint8_t *data, size_t size, bool salvage)
{
    static const struct trace_link_location location = {0, 0};
    char path[64], error[512] = "";
    struct followed f = {.links = trace_links_open(&location, 1, note_link, NULL)}, again = {.links = NULL};
    int fd = memfd_create("trace", MFD_CLOEXEC);
    REQUIRE(f.links && fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct trace_file *file = trace_file_open(path, salvage, error, sizeof error);
    if (file) {
        REQUIRE(trace_file_tick_ns(file) > 0);
        bool good = read_all(file, BLOCK, true, &f);
        trace_file_rewind(file);
        REQUIRE(read_all(file, 32, false, &again) == good);
        REQUIRE(again.events == f.events && again.sum == f.sum);
        trace_file_close(file);
    } else {
        REQUIRE(*error && !strchr(error, '\n'));
    }
    trace_activity_free(&f.activity);
    trace_links_close(f.links);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_bytes(data, size, false);
    open_bytes(data, size, true);
    return 0;
}

/* --- Seeds: a file of two segments; a ring that went round; one that was being written; each also compressed ---------
 */

static size_t put_records(uint8_t *to, uint64_t time, unsigned count)
{
    size_t size = 0;
    for (unsigned i = 0; i < count; i++) {
        static const uint8_t kinds[] = {PCOMP_EVENT_ENTER,          PCOMP_EVENT_BARRIER_ENTER,
                                        PCOMP_EVENT_BARRIER_EXIT,   PCOMP_EVENT_SEND_POST,
                                        PCOMP_EVENT_SEND_DONE,      PCOMP_EVENT_EXIT,
                                        PCOMP_EVENT_SUPPRESSED,     PCOMP_EVENT_UNRECORDED,
                                        PCOMP_EVENT_PREEMPTED,      PCOMP_EVENT_COLLECTIVE_ENTER,
                                        PCOMP_EVENT_COLLECTIVE_EXIT};
        struct pcomp_event_long event = {time + i, (uint64_t)kinds[i % sizeof kinds] << 56 | 64, 1, 2 << 16 | 2};
        memcpy(to + size, &event, pcomp_event_size((struct pcomp_event *)&event));
        size += pcomp_event_size((struct pcomp_event *)&event);
    }
    return size;
}

uint8_t *fuzz_seed(unsigned i, size_t *size)
{
    unsigned form = i / 2, segments = form == 3 ? 0 : 2;
    struct pcomp_trace_header header = {.version = PCOMP_TRACE_VERSION,
                                        .endian = 0x01020304,
                                        .header_size = sizeof header,
                                        .segment_header_size = sizeof(struct pcomp_trace_segment),
                                        .flags = form == 1 ? PCOMP_TRACE_RING : PCOMP_TRACE_CLOSED,
                                        .pid = 10,
                                        .rank = -1,
                                        .segments = form == 1 ? 5 : segments,
                                        .size = sizeof header + (uint64_t)segments * SEGMENT,
                                        .tick_hz = 1e9};
    *size = sizeof header + (size_t)segments * SEGMENT;
    uint8_t *data = calloc(1, *size), *packed = malloc(2 * *size);
    if (!data || !packed)
        abort();
    memcpy(header.magic, PCOMP_TRACE_MAGIC, sizeof header.magic);
    memcpy(data, &header, sizeof header);
    size_t packed_size = ZSTD_compress(packed, 2 * *size, data, sizeof header, 1);
    for (unsigned k = 0; k < segments; k++) {
        uint8_t *at = data + sizeof header + (size_t)k * SEGMENT;
        unsigned sequence = form == 1 ? 5 - k : k + 1; /* of a ring, the later one may lie first */
        size_t used = put_records(at + sizeof(struct pcomp_trace_segment), 1000 * sequence, 40);
        struct pcomp_trace_segment segment = {.magic = PCOMP_TRACE_SEGMENT_MAGIC,
                                              .size = SEGMENT,
                                              .sequence = sequence,
                                              .first_event = 40 * (uint64_t)(sequence - 1),
                                              .used = form == 2 && k ? 0 : used};
        memcpy(at, &segment, sizeof segment);
        packed_size += ZSTD_compress(packed + packed_size, 2 * *size - packed_size, at, SEGMENT, 1);
    }
    if (i % 2 == 0) {
        free(packed);
        return data;
    }
    free(data);
    *size = packed_size;
    return packed;
}
