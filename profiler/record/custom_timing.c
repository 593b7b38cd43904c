#include "profiler/record/custom_timing.h"

#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/run.h"
#include "profiler/base/store.h"
#include "profiler/record/spreads.h"
#include "profiler/stack/counters.h"
#include "profiler/stack/native_frames.h"
#include "profiler/stack/paths.h"
#include "profiler/stack/shadow.h"

#include <string.h>
#include <sys/mman.h>

#define TABLE_FIRST 512u

struct custom_timing {
    struct custom_link **table;
    uint64_t mask, used;
    uint64_t events;
    int64_t direct; /* paper: accounting of a child in its direct parent */
    struct counter_set *counters;
    int64_t counter_overhead[PCOMP_COUNTERS_MAX]; /* what measuring added to each, 1/1024 count */
    int64_t slow_begin[PCOMP_COUNTERS_MAX];       /* counters where the slow enter under way began */
    char *at, *end;                               /* block that links are taken from */
    void *blocks;
};

static void *take(struct custom_timing *g, uint64_t size)
{
    if ((uint64_t)(g->end - g->at) < size) {
        char *block = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            return NULL;
        *(void **)block = g->blocks;
        g->blocks = block;
        g->at = block + 64;
        g->end = block + 65536;
    }
    void *given = g->at;
    g->at += size;
    return given;
}

void custom_configure(void)
{
    shadow_stride = sizeof(struct timed_frame);
    uint32_t extra = sizeof(struct pcomp_node_extra);
    if (config.custom)
        shadow_stride = sizeof(struct custom_frame) + 2 * store_header->counter_count * sizeof(int64_t);
    if (config.flags & PCOMP_FLAG_FOLD_RECURSION)
        extra += sizeof(struct pcomp_node_exclusive);
    extra += store_header->counter_count * (uint32_t)sizeof(struct pcomp_node_counter);
    if (config.counts)
        extra += sizeof(struct pcomp_node_off_cpu);
    store_header->frame_size = (uint32_t)shadow_stride;
    store_header->node_extra_size = extra;
}

static uint64_t link_hash(uint64_t parent, uint64_t function, uint64_t site)
{
    return path_slot(parent + site * 0x94d049bb133111ebu, function, 20);
}

/* Behind each table: the one that it replaced, which an interrupted custom_find may still read. */
struct table_tail {
    struct custom_link **replaced;
    uint64_t slots; /* of the replaced one */
};
#define TABLE_TAIL 4096u

static bool resize(struct custom_timing *g, uint64_t slots)
{
    struct custom_link **fresh =
        mmap(NULL, slots * sizeof(*fresh) + TABLE_TAIL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        return false;
    for (uint64_t i = 0; g->table && i <= g->mask; i++) {
        struct custom_link *l = g->table[i];
        if (!l)
            continue;
        uint64_t to = link_hash(l->parent, l->function, l->site);
        while (fresh[to & (slots - 1)])
            to++;
        fresh[to & (slots - 1)] = l;
    }
    if (g->table)
        *(struct table_tail *)(fresh + slots) = (struct table_tail){g->table, g->mask + 1};
    g->table = fresh;
    g->mask = slots - 1;
    return true;
}

bool custom_begin(struct thread_state *h)
{
    struct custom_timing *g = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g == MAP_FAILED || !resize(g, TABLE_FIRST))
        return false;
    if (config.model == PCOMP_MODEL_PAPER)
        g->direct = run_delta[PCOMP_VARIANT_REPEAT].direct;
    h->custom = g;
    if (store_header->counter_count) {
        h->in_counters++;
        g->counters = counters_begin();
        h->in_counters--;
    }
    return true;
}

void custom_end(struct thread_state *h)
{
    struct custom_timing *g = h->custom;
    if (!g)
        return;
    h->custom = NULL;
    counters_end(g->counters);
    uint64_t slots = g->mask + 1;
    for (struct custom_link **table = g->table; table;) {
        struct table_tail tail = *(struct table_tail *)(table + slots);
        munmap(table, slots * sizeof(*table) + TABLE_TAIL);
        table = tail.replaced;
        slots = tail.slots;
    }
    for (void *block = g->blocks, *next; block; block = next) {
        next = *(void **)block;
        munmap(block, 65536);
    }
    munmap(g, 4096);
}

struct custom_link *custom_find(const struct thread_state *h, uint64_t parent, uint64_t function, uint64_t site)
{
    const struct custom_timing *g = h->custom;
    if (!(config.flags & (PCOMP_FLAG_CALL_SITES | PCOMP_FLAG_NATIVE_FRAMES)))
        site = 0;
    uint64_t mask = g->mask; /* first: a handler may replace the table by a greater one now */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    struct custom_link *const *table = g->table;
    for (uint64_t i = link_hash(parent, function, site);; i++) {
        struct custom_link *l = table[i & mask];
        if (!l || (l->parent == parent && l->function == function && l->site == site))
            return l;
    }
}

/* The ancestor-or-self of `node` that is an activation of the same key. */
static struct pcomp_node *folded(const struct thread_state *h, struct pcomp_node *node, uint64_t function)
{
    if (!(config.flags & PCOMP_FLAG_FOLD_RECURSION))
        return NULL;
    while (node != h->root && node->function != function)
        node = (struct pcomp_node *)(uintptr_t)node->parent;
    return node == h->root ? NULL : node;
}

static uint64_t *open_count(struct custom_timing *g, const struct pcomp_node *node)
{
    for (uint64_t i = 0; i <= g->mask; i++)
        if (g->table[i] && g->table[i]->node == node)
            return g->table[i]->open;
    return NULL;
}

struct custom_link *custom_add(struct thread_state *h, struct pcomp_node *parent, uint64_t function, uint64_t site,
                               uint32_t function_id, bool skipped, const struct pcomp_frame *caller, uint64_t sp)
{
    struct custom_timing *g = h->custom;
    if (!(config.flags & (PCOMP_FLAG_CALL_SITES | PCOMP_FLAG_NATIVE_FRAMES)))
        site = 0;
    if (g->used * 4 >= g->mask && !resize(g, (g->mask + 1) * 2))
        return NULL;
    struct custom_link *l = take(g, sizeof(*l));
    if (!l)
        return NULL;
    *l = (struct custom_link){(uint64_t)(uintptr_t)parent, function, site, NULL, NULL, NULL};
    if ((l->node = folded(h, parent, function)))
        l->open = open_count(g, l->node);
    else if ((l->node = path_add(h, parent, function, function_id, skipped, false))) {
        struct pcomp_node_extra *extra = path_extra(h, l->node);
        extra->site = site;
        if ((config.flags & PCOMP_FLAG_NATIVE_FRAMES) && sp) /* calibration has no stack to show */
            extra->native_link = native_frames_between(caller->sp, sp);
    }
    if (!l->node || (!l->open && !(l->open = take(g, sizeof(uint64_t)))))
        return NULL;
    l->extra = path_extra(h, l->node);
    uint64_t i = link_hash(l->parent, function, site);
    while (g->table[i & g->mask])
        i++;
    g->table[i & g->mask] = l;
    g->used++;
    return l;
}

static bool read_counters(struct thread_state *h, int64_t *values)
{
    if (!h->custom->counters || h->in_counters)
        return false;
    h->in_counters++;
    counters_read(h->custom->counters, values);
    h->in_counters--;
    return true;
}

/* slow: what was counted since custom_slow_begin is the measurement's. */
static void fill(struct thread_state *h, struct pcomp_frame *f, struct custom_link *link, bool slow)
{
    struct custom_timing *g = h->custom;
    struct custom_frame *gf = (struct custom_frame *)f;
    uint32_t count = store_header->counter_count;
    gf->link = (uint64_t)(uintptr_t)link;
    gf->child_raw = 0;
    gf->child_compensated = 0;
    gf->events = ++g->events;
    ++*link->open;
    /* before they are read: what a handler's calls add meanwhile is in this activation */
    memcpy(gf->counters + count, g->counter_overhead, count * sizeof(int64_t));
    if (read_counters(h, gf->counters) && slow)
        for (uint32_t i = 0; i < count; i++) {
            int64_t added = (gf->counters[i] - g->slow_begin[i]) * (1 << PCOMP_FIX_SHIFT);
            g->counter_overhead[i] += added;
            gf->counters[count + i] += added;
        }
    f->overhead = h->overhead;
    uint64_t start = clock_read(config.clock);
    if (start <= f->end)
        f->end = start - 1; /* a coarse clock */
    f->start = start;
    h->late_at = start + LATE_TICKS;
}

void custom_fill(struct thread_state *h, struct pcomp_frame *f, struct custom_link *link)
{
    fill(h, f, link, false);
}

void custom_slow_begin(struct thread_state *h)
{
    if (h->custom)
        read_counters(h, h->custom->slow_begin);
}

void custom_fill_slow(struct thread_state *h, struct pcomp_frame *f, struct custom_link *link, uint64_t begin)
{
    bool charge = config.model == PCOMP_MODEL_SPLIT;
    uint64_t now = clock_read(config.clock);
    if (charge)
        thread_charge_slow(h, link->extra, now - begin);
    fill(h, f, link, charge);
}

void custom_leave_skipped(struct thread_state *h)
{
    if (h->custom && config.model == PCOMP_MODEL_SPLIT)
        for (uint32_t i = 0; i < store_header->counter_count; i++)
            h->custom->counter_overhead[i] += store_header->counters[i].descendant[PCOMP_VARIANT_SKIP];
}

void custom_read_counters(struct thread_state *h, int64_t *values)
{
    read_counters(h, values);
}

struct pcomp_node_counter *custom_node_counters(struct pcomp_node_extra *extra)
{
    char *at = (char *)(extra + 1);
    if (config.flags & PCOMP_FLAG_FOLD_RECURSION)
        at += sizeof(struct pcomp_node_exclusive);
    return (struct pcomp_node_counter *)at;
}

static void account_counters(struct thread_state *h, struct custom_frame *gf, bool outermost)
{
    struct custom_link *link = (struct custom_link *)(uintptr_t)gf->link;
    struct pcomp_node_counter *sum = custom_node_counters(link->extra);
    int64_t now[PCOMP_COUNTERS_MAX], *overhead = h->custom->counter_overhead;
    uint32_t count = store_header->counter_count;
    if (!read_counters(h, now))
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct pcomp_counter *c = &store_header->counters[i];
        bool none = config.model == PCOMP_MODEL_NONE;
        int64_t raw = now[i] - gf->counters[i], added = overhead[i] - gf->counters[count + i] + c->own[0];
        if (outermost) {
            sum[i].raw += raw;
            sum[i].compensated += raw * (1 << PCOMP_FIX_SHIFT) - (none ? 0 : added);
        }
        overhead[i] += c->descendant[0];
    }
}

/* The frame of the caller, past functions that are not measured. */
static struct custom_frame *measured_below(struct pcomp_frame *f)
{
    do
        f = frame_below(f);
    while (frame_is_skipped(f));
    return (struct custom_frame *)f;
}

void custom_account(struct thread_state *h, struct pcomp_frame *f, uint64_t now)
{
    struct custom_timing *g = h->custom;
    struct custom_frame *gf = (struct custom_frame *)f, *below = measured_below(f);
    struct custom_link *link = (struct custom_link *)(uintptr_t)gf->link;
    struct pcomp_node *node = link->node;
    /* unfolded, two open activations of one path are those of two coroutines */
    bool outermost = --*link->open == 0 || !(config.flags & PCOMP_FLAG_FOLD_RECURSION);
    if (now <= f->start)
        now = f->start; /* the frame is not live: its end is not before its start */
    f->end = now;
    h->late_at = now + LATE_TICKS;
    uint64_t raw = now - f->start;
    int64_t compensated = pcomp_compensate_activation((int64_t)raw, h->overhead - f->overhead, h->own);
    h->overhead += h->descendant;
    node->calls++;
    if (config.model == PCOMP_MODEL_PAPER)
        below->frame.overhead -= g->direct;
    below->child_raw += raw;
    below->child_compensated += compensated;
    if (outermost) {
        node->raw += raw;
        node->compensated += compensated;
        node->min = compensated < node->min ? compensated : node->min;
        spread_add(h, node, f->start, compensated);
    }
    if (config.flags & PCOMP_FLAG_FOLD_RECURSION) {
        struct pcomp_node_exclusive *exclusive = (struct pcomp_node_exclusive *)(link->extra + 1);
        exclusive->raw += raw - gf->child_raw;
        exclusive->compensated += compensated - gf->child_compensated;
    }
    if (g->counters)
        account_counters(h, gf, outermost);
}
