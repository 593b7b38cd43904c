#include "profiler/pc_sampling.h"

#include "profiler/code/sites/call_frames.h"
#include "profiler/code/sites/sites.h"
#include "profiler/raw_call.h"
#include "profiler/sampling.h"
#include "profiler/session.h"
#include "profiler/store.h"
#include "profiler/threads.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PERIOD_LEAST   997331u /* ns of processor time; no round number that a program could beat with */
#define RINGS_MOST     64u     /* threads that are sampled at once */
#define PAGE           4096u
#define RING           (32u * PAGE) /* 15 samples and more: a stack is seldom so deep */
#define STACK_COPY     8192u        /* qsort takes 1 KiB, dlopen 4 */
#define ARGUMENT       7u           /* bytes of the instruction that loads the second argument of a hook, at most */
#define SLOTS_FIRST    4096u
#define SLOTS_MOST     (1u << 22)
#define COST_SAMPLES   32u       /* to find out what one costs ... */
#define COST_PERIOD_NS 50021u    /* ... at this distance ... */
#define COST_NS        6000000.0 /* ... for at most so long */
#define COST_USUAL_NS  10000.0   /* where that did not tell */
#define PAUSE_NS       300.0     /* between two readings of the clock: something came in between */

/* As PERF_SAMPLE_REGS_USER names registers of x86, in the order in which they are written. */
enum { USER_BX = 1, USER_BP = 6, USER_SP = 7, USER_IP = 8, USER_R12 = 20 };
#define USER_REGISTERS                                                                                                 \
    (1u << USER_BX | 1u << USER_BP | 1u << USER_SP | 1u << USER_IP | 1u << USER_R12 | 2u << USER_R12 |                 \
     4u << USER_R12 | 8u << USER_R12)

struct sample { /* what the kernel writes for the attributes below */
    struct perf_event_header header;
    uint64_t abi, bx, bp, sp, ip, r12, r13, r14, r15; /* no registers when abi is 0 */
    uint64_t size;                                    /* of the copy: less than was asked for on some stacks */
    uint8_t stack[STACK_COPY];
    uint64_t used; /* bytes of it; behind `size` bytes in the buffer */
};

struct ring {
    struct pcomp_thread *thread;       /* NULL: free */
    struct perf_event_mmap_page *page; /* the data follow */
    unsigned samples;                  /* lately */
};

static struct ring rings[RINGS_MOST];
static unsigned rings_used;
static bool refused, kernel_refused; /* by the system */
static uint64_t period;              /* ns; 0: no samples are taken */
static double cost;                  /* of one, ticks */
static struct pcomp_chunk *table;
static uint32_t filled;

/* --- counting --------------------------------------------------------------------------------------------------------
 */

static struct pcomp_sample *slot_of(struct pcomp_chunk *c, uint64_t pc, uint32_t thread)
{
    struct pcomp_sample *slots = (struct pcomp_sample *)(c + 1);
    uint64_t mixed = (pc ^ (uint64_t)thread << 48) * 0x9e3779b97f4a7c15u;
    uint32_t mask = c->capacity - 1, i = (uint32_t)(mixed >> 32) & mask;
    while (slots[i].count && (slots[i].pc != pc || slots[i].thread != thread))
        i = (i + 1) & mask;
    return &slots[i];
}

static struct pcomp_chunk *new_table(uint32_t slots)
{
    uint64_t size = sizeof(struct pcomp_chunk) + (uint64_t)slots * sizeof(struct pcomp_sample);
    struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_SAMPLES, size, 0, sizeof(struct pcomp_sample));
    if (c)
        c->capacity = slots;
    return c;
}

/* At no moment two tables count: what is lost when the process dies here is samples. */
static void grow(void)
{
    const struct pcomp_sample *old = (const struct pcomp_sample *)(table + 1);
    struct pcomp_chunk *c = table->capacity < SLOTS_MOST ? new_table(2 * table->capacity) : NULL;
    for (uint32_t i = 0; c && i < table->capacity; i++)
        if (old[i].count)
            *slot_of(c, old[i].pc, old[i].thread) = old[i];
    if (!c)
        return;
    __atomic_store_n(&table->count, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&c->count, c->capacity, __ATOMIC_RELEASE);
    store_free(table);
    table = c;
}

static void count(uint64_t pc, uint32_t thread)
{
    struct pcomp_sample *slot = slot_of(table, pc, thread);
    if (!slot->count) {
        if (filled > table->capacity / 2) {
            grow();
            slot = slot_of(table, pc, thread);
        }
        if (filled > table->capacity / 8 * 7) /* there is no memory for more */
            return;
        filled++;
    }
    slot->pc = pc;
    slot->thread = thread;
    __atomic_store_n(&slot->count, slot->count + 1, __ATOMIC_RELEASE);
}

/* --- one sample ------------------------------------------------------------------------------------------------------
 */

static uint64_t place_of(const struct sample *s)
{
    struct frame_registers r = {
        .value = {
            [3] = s->bx, [6] = s->bp, [FRAME_SP] = s->sp, [12] = s->r12, s->r13, s->r14, s->r15, [FRAME_PC] = s->ip}};
    struct frame_stack stack = {s->sp, s->sp + s->used, s->stack};
    uint64_t pc = call_frames_find(&r, &stack, sites_enter_first);
    return pc && pc == s->ip && sites_follow(pc, ARGUMENT) ? pc | PCOMP_SAMPLE_AT_SITE : pc;
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

static void read_ring(struct ring *r, bool off)
{
    struct perf_event_mmap_page *page = r->page;
    uint64_t tail = page->data_tail, head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
    for (struct sample s; tail < head && head - tail >= sizeof(s.header); tail += s.header.size) {
        take(page, tail, &s.header, sizeof(s.header));
        if (s.header.size < sizeof(s.header))
            break;
        if (s.header.type != PERF_RECORD_SAMPLE)
            continue;
        r->samples++;
        count(!off                          ? PCOMP_SAMPLE_APART
              : read_sample(page, tail, &s) ? place_of(&s)
                                            : PCOMP_SAMPLE_LOST,
              r->thread->index);
    }
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

/* --- the kernel's side -----------------------------------------------------------------------------------------------
 */

/* The buffer of an event of thread `tid`, 0: the caller; NULL: none. */
static struct perf_event_mmap_page *open_event(int tid, uint64_t period_ns)
{
    struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
                                .size = sizeof(a),
                                .config = PERF_COUNT_SW_CPU_CLOCK,
                                .sample_period = period_ns,
                                .sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
                                .sample_regs_user = USER_REGISTERS,
                                .sample_stack_user = STACK_COPY,
                                .exclude_kernel = kernel_refused,
                                .exclude_hv = 1};
    long fd = raw_call6(SYS_perf_event_open, (long)(uintptr_t)&a, tid, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
    if ((fd == -EACCES || fd == -EPERM) && !kernel_refused) {
        kernel_refused = true; /* what system calls take is not sampled then */
        return open_event(tid, period_ns);
    }
    if (fd < 0) {
        refused |= fd != -ESRCH && fd != -EMFILE && fd != -ENFILE;
        return NULL;
    }
    long page = raw_call6(SYS_mmap, 0, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    raw_call(SYS_close, fd, 0, 0, 0);
    return page < 0 && page > -(long)PAGE ? NULL : (struct perf_event_mmap_page *)(uintptr_t)page;
}

static void close_event(struct perf_event_mmap_page *page)
{
    raw_call(SYS_munmap, (long)(uintptr_t)page, PAGE + RING, 0, 0);
}

static void sample_thread(struct hot *h, uint64_t unused)
{
    (void)unused;
    struct ring *r = NULL;
    for (unsigned i = 0; i < RINGS_MOST; i++) {
        if (i < rings_used && rings[i].thread == h->thread)
            return;
        r = !r && !rings[i].thread ? &rings[i] : r;
    }
    if (refused || !r || h->thread->end_tick || !(r->page = open_event(h->thread->tid, period)))
        return;
    r->thread = h->thread;
    r->samples = 0;
    if (r >= rings + rings_used)
        rings_used = (unsigned)(r - rings) + 1;
}

/* What one costs: the thread reads the clock all the time, and samples of itself come in between. */
static double measure_cost(void)
{
    double pauses[COST_SAMPLES];
    unsigned found = 0;
    struct perf_event_mmap_page *page = open_event(0, COST_PERIOD_NS);
    if (!page)
        return 0;
    double tick = session_tick_hz * 1e-9;
    uint64_t head = 0, begin = sampling_clock(), last = begin;
    while (found < COST_SAMPLES && (double)(last - begin) < COST_NS * tick) {
        uint64_t now = sampling_clock(), at = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
        double pause = (double)(now - last);
        if (at != head && pause > PAUSE_NS * tick) {
            unsigned i = found++;
            for (; i && pauses[i - 1] > pause; i--)
                pauses[i] = pauses[i - 1];
            pauses[i] = pause;
        }
        head = at;
        page->data_tail = at;
        last = now;
    }
    close_event(page);
    return found > COST_SAMPLES / 4 ? pauses[found / 2] : COST_USUAL_NS * tick;
}

/* --- for the switching thread ----------------------------------------------------------------------------------------
 */

void pc_sampling_prepare(double share)
{
    period = 0;
    cost = measure_cost();
    if (!(cost > 0) || !(share > 0))
        return;
    table = new_table(SLOTS_FIRST);
    filled = 0;
    if (!table)
        return;
    __atomic_store_n(&table->count, SLOTS_FIRST, __ATOMIC_RELEASE);
    double least = cost / share / session_tick_hz * 1e9;
    period = least > PERIOD_LEAST ? (uint64_t)least : PERIOD_LEAST;
    store_header->sample_period_ns = period;
    store_header->sample_cost = (int64_t)(cost * (1 << PCOMP_FIX_SHIFT));
}

void pc_sampling_begin(void)
{
    if (period)
        threads_each(sample_thread, 0);
}

double pc_sampling_look(bool off)
{
    unsigned most = 0;
    if (call_frames_look_begin()) {
        for (struct ring *r = rings; r < rings + rings_used; r++) {
            if (!r->thread)
                continue;
            r->samples = 0;
            read_ring(r, off);
            most = r->samples > most ? r->samples : most;
            if (__atomic_load_n(&r->thread->end_tick, __ATOMIC_ACQUIRE)) {
                close_event(r->page);
                r->thread = NULL;
            }
        }
        call_frames_look_end();
    }
    return most * cost;
}

double pc_sampling_share(void)
{
    return period ? cost / ((double)period * 1e-9 * session_tick_hz) : 0;
}

void pc_sampling_end(void)
{
    for (struct ring *r = rings; r < rings + rings_used; r++) {
        if (r->thread)
            close_event(r->page);
        r->thread = NULL;
    }
}

void pc_sampling_forget(void)
{
    memset(rings, 0, sizeof(rings));
    rings_used = 0;
}
