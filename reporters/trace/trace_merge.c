#include "reporters/trace/trace_merge.h"

#include "reporters/trace/trace_directory.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUFFERS = 64 << 20, BUFFER_MAX = 256 << 10, BUFFER_MIN = 4 << 10 };

struct merge_input {
    uint32_t location;
    char *buffer; /* allocated with the first read */
    size_t at, size;
};

struct trace_merge {
    struct trace_feed feed;
    struct merge_input *inputs;
    uint32_t *heap; /* positions in inputs that have an event, the earliest at [0] */
    uint32_t count, heaped;
    size_t buffer_size;
    bool taken; /* the event of heap[0] was handed out */
    char *error;
    size_t error_size;
};

static int64_t read_directory(void *context, uint32_t location, void *buffer, size_t max, char *error,
                              size_t error_size)
{
    return trace_directory_read(context, location, buffer, max, error, error_size);
}

struct trace_feed trace_feed_of(struct trace_directory *directory)
{
    return (struct trace_feed){directory, read_directory};
}

static const struct pcomp_event *merge_event(const struct trace_merge *m, uint32_t which)
{
    return (const struct pcomp_event *)(m->inputs[which].buffer + m->inputs[which].at);
}

static bool merge_before(const struct trace_merge *m, uint32_t x, uint32_t y)
{
    uint64_t a = merge_event(m, x)->time, b = merge_event(m, y)->time;
    return a != b ? a < b : x < y;
}

static void merge_sink(struct trace_merge *m, uint32_t at)
{
    uint32_t moving = m->heap[at];
    for (uint32_t child; (child = 2 * at + 1) < m->heaped; at = child) {
        if (child + 1 < m->heaped && merge_before(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!merge_before(m, m->heap[child], moving))
            break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = moving;
}

/* Makes sure that the input has an event: 1; 0 at its end; -1 after an error. */
static int merge_fill(struct trace_merge *m, struct merge_input *input)
{
    if (input->at < input->size)
        return 1;
    if (!input->buffer && !(input->buffer = malloc(m->buffer_size))) {
        snprintf(m->error, m->error_size, "out of memory");
        return -1;
    }
    int64_t size =
        m->feed.read(m->feed.context, input->location, input->buffer, m->buffer_size, m->error, m->error_size);
    if (size < 0)
        return -1;
    input->at = 0;
    input->size = (size_t)size;
    if (!size) { /* many locations end early: pool threads */
        free(input->buffer);
        input->buffer = NULL;
    }
    return size > 0;
}

struct trace_merge *trace_merge_open(const struct trace_feed *feed, const uint32_t *locations, uint32_t count,
                                     char *error, size_t error_size)
{
    struct trace_merge *m = calloc(1, sizeof *m);
    if (m) {
        size_t share = count ? BUFFERS / count : BUFFER_MAX;
        m->buffer_size = (share > BUFFER_MAX ? BUFFER_MAX : share < BUFFER_MIN ? BUFFER_MIN : share) & ~(size_t)31;
        *m = (struct trace_merge){.feed = *feed,
                                  .inputs = calloc(count + (size_t)1, sizeof *m->inputs),
                                  .heap = calloc(count + (size_t)1, sizeof *m->heap),
                                  .count = count,
                                  .buffer_size = m->buffer_size,
                                  .error = error,
                                  .error_size = error_size};
    }
    if (!m || !m->inputs || !m->heap) {
        snprintf(error, error_size, "out of memory");
        trace_merge_close(m);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        m->inputs[i].location = locations[i];
        int filled = merge_fill(m, &m->inputs[i]);
        if (filled < 0) {
            trace_merge_close(m);
            return NULL;
        }
        if (filled)
            m->heap[m->heaped++] = i;
    }
    for (uint32_t i = m->heaped / 2; i-- > 0;)
        merge_sink(m, i);
    return m;
}

void trace_merge_close(struct trace_merge *merge)
{
    if (!merge)
        return;
    for (uint32_t i = 0; merge->inputs && i < merge->count; i++)
        free(merge->inputs[i].buffer);
    free(merge->inputs);
    free(merge->heap);
    free(merge);
}

enum trace_next trace_merge_next(struct trace_merge *merge, uint32_t *which, const struct pcomp_event_long **event)
{
    if (merge->taken) {
        struct merge_input *input = &merge->inputs[merge->heap[0]];
        input->at += pcomp_event_size(merge_event(merge, merge->heap[0]));
        int filled = merge_fill(merge, input);
        if (filled < 0)
            return TRACE_NEXT_FAILED;
        if (!filled)
            merge->heap[0] = merge->heap[--merge->heaped];
        merge->taken = false;
        if (merge->heaped)
            merge_sink(merge, 0);
    }
    if (!merge->heaped)
        return TRACE_NEXT_END;
    *which = merge->heap[0];
    *event = (const struct pcomp_event_long *)merge_event(merge, *which);
    merge->taken = true;
    return TRACE_NEXT_EVENT;
}
