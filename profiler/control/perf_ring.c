#include "profiler/control/perf_ring.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
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
#define STACK_COPY 4096u        /* qsort takes 1 KiB, dlopen 4 */

#define FEW_PERIODS 4u  /* of a sample while system calls are few; ... */
#define MANY        16u /* ... until there were so many of these ... */
#define MANY_SHARE  8u  /* ... that stand for this part of all periods, or more */

/* Part of a period that a period of the ring is longer: in step with beats, the event would come in their handlers each
 * time, and in nothing else. */
#define OUT_OF_STEP 89u

#define REST_PERIODS 64u /* without a system call, behind which they are no longer sampled ... */
#define REST_SHARE   50u /* ... as long as one period in so many, and ... */
#define MISSED_MAX   4u  /* ... so many at once, have no sample */
#define REST_WEIGHT  4u  /* greatest of a sample meanwhile */

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

/* In the place of the ring's event, which ends so: who reads the ring at this moment finds it empty. */
static bool map_empty(const struct perf_ring *ring)
{
    long at = (long)(uintptr_t)ring->page;
    return raw_call6(SYS_mmap, at, PAGE + RING, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                     0) == at;
}

/* In the place of the ring's former event, too. */
static bool map_event(struct perf_ring *ring, long fd)
{
    long at = (long)(uintptr_t)ring->page;
    long page = raw_call6(SYS_mmap, at, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), fd, 0);
    bool good = page >= 0 || page < -(long)PAGE;
    if (at && !good)
        map_empty(ring);
    if (good)
        ring->page = (struct perf_event_mmap_page *)(uintptr_t)page;
    return good;
}

static bool open_event(struct perf_ring *ring, uint64_t period_ns)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof(a),
                                .config = PERF_COUNT_SW_CPU_CLOCK,
                                .sample_period = period_ns + period_ns / OUT_OF_STEP,
                                .sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                                .sample_regs_user = USER_REGISTERS,
                                .sample_stack_user = STACK_COPY,
                                .exclude_user = 1,
                                .exclude_hv = 1,
                                .use_clockid = 1,
                                .clockid = CLOCK_MONOTONIC};
    long fd = raw_call6(SYS_perf_event_open, (long)(uintptr_t)&a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
    if (fd < 0)
        return false;
    bool good = map_event(ring, fd);
    raw_call(SYS_close, fd, 0, 0, 0);
    if (good)
        raw_call(SYS_madvise, (long)(uintptr_t)ring->page, PAGE + RING, MADV_DONTFORK, 0);
    return good;
}

bool perf_ring_open(struct perf_ring *ring, uint64_t period_ns)
{
    *ring = (struct perf_ring){.periods = FEW_PERIODS};
    return open_event(ring, FEW_PERIODS * period_ns);
}

static void rest(struct perf_ring *ring)
{
    if (!map_empty(ring))
        return;
    raw_call(SYS_madvise, (long)(uintptr_t)ring->page, PAGE + RING, MADV_DONTFORK, 0);
    ring->periods = ring->missed = 0;
}

/* A leaky bucket: a period with a sample takes out what a REST_SHARE-th one without puts in. Where no event can be
 * had, it fills anew before the next try. */
static void look_out(struct perf_ring *ring, uint64_t period_ns, uint64_t given, uint32_t weight)
{
    uint64_t missed = ring->missed + (uint64_t)REST_SHARE * (weight ? weight - 1 : 0);
    bool full = missed >= REST_SHARE * MISSED_MAX;
    ring->missed = full || !missed ? 0 : (uint32_t)missed - 1;
    if (full && open_event(ring, FEW_PERIODS * period_ns)) {
        ring->samples = ring->samples_before = 0;
        ring->since = ring->before = given;
        ring->periods = FEW_PERIODS;
    }
}

static bool may_rest(struct perf_ring *ring, uint64_t given)
{
    if (given - ring->before < REST_PERIODS)
        return false;
    bool calm = ring->samples == ring->samples_before;
    ring->samples_before = ring->samples;
    ring->before = given;
    return calm;
}

uint32_t perf_ring_adapt(struct perf_ring *ring, uint64_t period_ns, uint64_t given, uint32_t weight)
{
    if (!ring->periods) {
        look_out(ring, period_ns, given, weight);
        return weight < REST_WEIGHT ? weight : REST_WEIGHT;
    }
    if (given < ring->before) /* beats began anew */
        ring->since = ring->before = given;
    uint64_t passed = given - ring->since, in_calls = ring->samples * ring->periods;
    if (may_rest(ring, given))
        rest(ring);
    else if (ring->periods > 1 && ring->samples >= MANY && in_calls >= passed / MANY_SHARE) {
        ring->periods = 1;
        ring->samples *= FEW_PERIODS;
        open_event(ring, period_ns);
    }
    return weight;
}

void perf_ring_close(struct perf_ring *ring)
{
    if (ring->page)
        raw_call(SYS_munmap, (long)(uintptr_t)ring->page, PAGE + RING, 0, 0);
    ring->page = NULL;
}

bool perf_ring_holds_some(const struct perf_ring *ring)
{
    return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) != ring->page->data_tail;
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
    uint64_t tail = page->data_tail, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    for (struct sample s; tail < head && head - tail >= sizeof(s.header); tail += s.header.size) {
        take(page, tail, &s.header, sizeof(s.header));
        if (s.header.size < sizeof(s.header))
            break;
        if (read_sample(page, tail, &s) && ++ring->samples)
            pass_on(&s, now - (uint64_t)((now_ns - (double)s.time) * 1e-9 * run_tick_hz), visit, argument);
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

#endif
