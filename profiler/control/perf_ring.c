#include "profiler/control/perf_ring.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/processor_time.h"
#include "profiler/base/raw_call.h"
#include "profiler/base/run.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#if defined(__x86_64__)

#define PAGE       4096u
#define RING       (16u * PAGE) /* fifteen samples: threads read them once a tick */
#define STACK_COPY 4096u        /* outer frames are those of the stack that the reader is on */

/* As PERF_SAMPLE_REGS_USER names registers of x86, in the order in which they are written. */
enum { USER_BX = 1, USER_BP = 6, USER_SP = 7, USER_IP = 8, USER_R12 = 20 };
#define USER_REGISTERS                                                                                                 \
    (1u << USER_BX | 1u << USER_BP | 1u << USER_SP | 1u << USER_IP | 1u << USER_R12 | 2u << USER_R12 |                 \
     4u << USER_R12 | 8u << USER_R12)

struct sample { /* what the kernel writes for the attributes below */
    struct perf_event_header header;
    uint64_t time;                                    /* CLOCK_MONOTONIC, ns */
    uint64_t abi, bx, bp, sp, ip, r12, r13, r14, r15; /* no registers when abi is 0 */
    uint64_t size;                                    /* of the copy: less than was asked for on some stacks */
    uint8_t stack[STACK_COPY];
    uint64_t used; /* bytes of it; behind `size` bytes in the buffer */
};

static bool open_event(struct perf_ring *ring, uint64_t period_ns, bool with_kernel)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof(a),
                                .config = PERF_COUNT_SW_CPU_CLOCK,
                                .sample_period = period_ns,
                                .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                                .sample_regs_user = USER_REGISTERS,
                                .sample_stack_user = STACK_COPY,
                                .exclude_kernel = !with_kernel,
                                .exclude_hv = 1,
                                .use_clockid = 1,
                                .clockid = CLOCK_MONOTONIC};
    long fd = raw_call6(SYS_perf_event_open, (long)(uintptr_t)&a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
    if (fd < 0)
        return false;
    long page = raw_call6(SYS_mmap, 0, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    bool good = page >= 0 || page < -(long)PAGE;
    raw_call(SYS_close, fd, 0, 0, 0);
    if (!good)
        return false;
    raw_call(SYS_madvise, page, PAGE + RING, MADV_DONTFORK, 0);
    ring->page = (struct perf_event_mmap_page *)(uintptr_t)page;
    return true;
}

/* Of the calling thread, so far. */
static uint64_t switches_so_far(void)
{
    struct thread_switches s = {0, 0};
    thread_switches_read(&s);
    return s.voluntary + s.involuntary;
}

bool perf_ring_open(struct perf_ring *ring, uint64_t period_ns)
{
    *ring = (struct perf_ring){
        .switches = {PCOMP_SWITCH_FIRST}, .switched = switches_so_far(), .switched_ns = processor_time_ns(0)};
    return open_event(ring, period_ns, true) || open_event(ring, period_ns, false);
}

void perf_ring_close(struct perf_ring *ring)
{
    if (ring->page)
        raw_call(SYS_munmap, (long)(uintptr_t)ring->page, PAGE + RING, 0, 0);
    ring->page = NULL;
}

double perf_ring_note_switches(struct perf_ring *ring, uint64_t now_ns, double cost)
{
    uint64_t now = switches_so_far();
    double switches = (double)(now - ring->switched), seconds = (double)(now_ns - ring->switched_ns) * 1e-9;
    ring->switched = now;
    ring->switched_ns = now_ns;
    if (!pcomp_sample_switches_add(&ring->switches, switches, seconds, cost))
        perf_ring_close(ring);
    return switches * cost;
}

uint64_t perf_ring_written(const struct perf_ring *ring)
{
    return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

bool perf_ring_holds_some(const struct perf_ring *ring)
{
    return perf_ring_written(ring) != ring->page->data_tail;
}

/* What lies at `at` of the data, which go round. */
static void take(const struct perf_event_mmap_page *page, uint64_t at, void *to, size_t size)
{
    const uint8_t *data = (const uint8_t *)page + PAGE;
    size_t from = at % RING, first = RING - from < size ? RING - from : size;
    memcpy(to, data + from, first);
    memcpy((uint8_t *)to + first, data, size - first);
}

/* A sample with registers, and as much of the stack as there was. */
static bool read_sample(const struct perf_event_mmap_page *page, uint64_t at, struct sample *s)
{
    if (s->header.type != PERF_RECORD_SAMPLE || s->header.size < offsetof(struct sample, stack))
        return false;
    take(page, at, s, offsetof(struct sample, stack));
    if (s->abi != PERF_SAMPLE_REGS_ABI_64 || s->size > STACK_COPY)
        return false;
    s->used = 0;
    if (s->size && s->header.size == offsetof(struct sample, stack) + s->size + sizeof(s->used)) {
        take(page, at + offsetof(struct sample, stack), s->stack, s->size);
        take(page, at + s->header.size - sizeof(s->used), &s->used, sizeof(s->used));
    }
    return s->used <= s->size;
}

static void pass_on(const struct sample *s, uint64_t tick, perf_ring_visit *visit, void *argument)
{
    const struct frame_registers r = {
        .value = {
            [3] = s->bx, [6] = s->bp, [FRAME_SP] = s->sp, [12] = s->r12, s->r13, s->r14, s->r15, [FRAME_PC] = s->ip}};
    const struct frame_stack stack = {s->sp, s->sp + s->used, s->stack};
    visit(&r, &stack, tick, argument);
}

void perf_ring_read(struct perf_ring *ring, perf_ring_visit *visit, void *argument)
{
    struct perf_event_mmap_page *page = ring->page;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now_ns = (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
    uint64_t now = clock_read(config.clock);
    uint64_t tail = page->data_tail, head = perf_ring_written(ring);
    for (struct sample s; tail < head && head - tail >= sizeof(s.header); tail += s.header.size) {
        take(page, tail, &s.header, sizeof(s.header));
        if (s.header.size < sizeof(s.header))
            break;
        if (read_sample(page, tail, &s))
            pass_on(&s, now - (uint64_t)((now_ns - (double)s.time) * 1e-9 * run_tick_hz), visit, argument);
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

#endif
