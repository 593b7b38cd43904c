#include "profiler/trace/trace_counted.h"

#include "profiler/base/counts.h"
#include "profiler/trace/trace_span.h"

#include <stddef.h>
#include <sys/mman.h>

#define SUM_FREE  16u  /* functions whose calls are always summed; of more ... */
#define SUM_TICKS 128u /* ... a span lasts so many ticks for each: summing costs some per cent at most */

static uint32_t *fallen;
static uint64_t fell;

bool trace_counted_start(void)
{
    fell = 0;
    if (!fallen) {
        void *room = mmap(NULL, COUNTS_MAX * sizeof(*fallen), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        fallen = room == MAP_FAILED ? NULL : room;
    }
    return fallen != NULL;
}

uint64_t trace_counted_fell(void)
{
    return __atomic_load_n(&fell, __ATOMIC_ACQUIRE);
}

uint32_t trace_counted_function(uint64_t which)
{
    return fallen[which];
}

void trace_counted_put(uint64_t which, uint32_t function)
{
    fallen[which] = function;
}

void trace_counted_publish(uint64_t count)
{
    __atomic_store_n(&fell, count, __ATOMIC_RELEASE);
}

int64_t trace_counted_calls(const struct counts_owner *own, uint64_t first, uint64_t end)
{
    int64_t sum = 0;
    for (uint64_t i = first; i < end; i++)
        sum += (int64_t)counts_of(own, fallen[i]);
    return sum;
}

bool trace_counted_is_behind(const struct thread_state *h)
{
    return h->tracing.counted.own && h->tracing.counted.known != trace_counted_fell();
}

uint64_t trace_counted_limit(const struct thread_state *h, uint64_t limit)
{
    if (!h->tracing.counted.own)
        return limit;
    uint64_t due = h->tracing.counted.looked + h->tracing.counted.stride;
    return trace_counted_is_behind(h) ? 0 : due < limit ? due : limit;
}

static int64_t unrecorded(const struct thread_state *h)
{
    return trace_counted_calls(h->tracing.counted.own, 0, h->tracing.counted.known) - h->tracing.counted.recorded;
}

bool trace_counted_goes_on(const struct thread_state *h, uint64_t now)
{
    const struct trace_span *span = &h->tracing.counted.span;
    return h->tracing.counted.known > SUM_FREE && span->record &&
           now - span->begin < h->tracing.counted.known * SUM_TICKS;
}

void trace_counted_sampled(struct thread_state *h)
{
    if (!h->tracing.counted.own || !h->tracing.counted.known)
        return;
    h->tracing.counted.sampled = true;
    __atomic_store_n(&h->trace_limit, 0, __ATOMIC_SEQ_CST);
}

void trace_counted_span_update(struct thread_state *h, uint64_t now, uint64_t cursor, bool ends)
{
    if (h->tracing.counted.own)
        trace_span_update(&h->tracing.counted.span, now, cursor, unrecorded(h), ends);
}

void trace_counted_span_begin(struct thread_state *h, uint64_t now, uint64_t cursor)
{
    if (h->tracing.counted.own)
        trace_span_begin(h, &h->tracing.counted.span, PCOMP_EVENT_CALLS, now, cursor, unrecorded(h), true);
}
