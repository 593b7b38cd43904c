#include "profiler/calibrate/calibrate.h"

#include "compensation/cost/calibration.h"
#include "profiler/base/clock.h"
#include "profiler/base/config.h"
#include "profiler/base/counts.h"
#include "profiler/base/store.h"
#include "profiler/base/thread_list.h"
#include "profiler/code/sites/sites.h"
#include "profiler/record/custom_timing.h"
#include "profiler/stack/counters.h"
#include "profiler/stack/paths.h"
#include "profiler/stack/shadow.h"

#include <string.h>

/* A skipped call of a sled saves all registers: it takes 20 times as long as a timed one. */
#define REPETITIONS      64
#define SKIP_REPETITIONS 8   /* of sleds */
#define CALLS            256 /* a batch */

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);
static void (*enter)(void *function, void *site) = __cyg_profile_func_enter;
static void (*leave)(void *function, void *site) = __cyg_profile_func_exit;

/* Any addresses will do for functions; these three cannot be functions of the program. */
static char tag[4];
#define REPEATED ((uint64_t)(uintptr_t)&tag[0])
#define OTHER    ((uint64_t)(uintptr_t)&tag[1])
#define PARENT   ((uint64_t)(uintptr_t)&tag[2])
#define SKIPPED  ((uint64_t)(uintptr_t)&tag[3])

/* What an instrumented empty function is, and the same without hooks. */
static __attribute__((noinline)) void instrumented(uint64_t function)
{
    enter((void *)(uintptr_t)function, tag);
    __asm__ volatile("" ::: "memory");
    leave((void *)(uintptr_t)function, tag);
    __asm__ volatile("" ::: "memory");
}

/* The same through what the sites of this process lead to. */
static void (*instrumented_here)(uint64_t function) = instrumented;
static uint32_t skip_repetitions = REPETITIONS;

static void choose_sites(void)
{
    const struct site_kernels *k = site_kernels(PROBES_TIMED);
    bool timed = config.full && !config.custom;
    enter = __cyg_profile_func_enter;
    leave = __cyg_profile_func_exit;
    instrumented_here = instrumented;
    skip_repetitions = REPETITIONS;
    if (k && timed && sites_known().sleds) {
        instrumented_here = k->sled;
        skip_repetitions = SKIP_REPETITIONS;
    } else if (k && config.counts) {
        enter = k->hook_enter;
        leave = k->hook_exit;
    }
}

static __attribute__((noinline)) void plain(uint64_t function)
{
    __asm__ volatile("" ::"r"(function) : "memory");
}

/* One batch in which the two functions take turns; its ticks. */
static int64_t batch(void (*call)(uint64_t), uint64_t first, uint64_t second)
{
    uint64_t begin = clock_read(config.clock);
    for (int i = 0; i < CALLS; i += 2) {
        call(first);
        call(second);
    }
    return (int64_t)(clock_read(config.clock) - begin);
}

static int64_t batch_of_clock(void)
{
    uint64_t begin = clock_read(config.clock);
    for (int i = 0; i < CALLS; i++) {
        clock_read(config.clock);
        clock_read(config.clock);
    }
    return (int64_t)(clock_read(config.clock) - begin);
}

struct nodes {
    struct pcomp_node *root, *parent, *repeated, *under_parent, *skipped;
};

static struct pcomp_node *make_node(struct thread_state *h, struct pcomp_node *parent, uint64_t function, bool skipped)
{
    if (!config.custom)
        return path_add(h, parent, function, PCOMP_FUNCTION_FIRST, skipped, true);
    struct pcomp_frame *root = shadow_top(h);
    struct custom_link *l =
        custom_add(h, parent, function, (uint64_t)(uintptr_t)tag, PCOMP_FUNCTION_FIRST, skipped, root, 0);
    return l ? l->node : NULL;
}

static bool make_nodes(struct thread_state *h, struct nodes *n)
{
    n->root = h->root;
    n->repeated = make_node(h, h->root, REPEATED, false);
    n->skipped = make_node(h, h->root, SKIPPED, true);
    n->parent = make_node(h, h->root, PARENT, false);
    n->under_parent = n->parent ? make_node(h, n->parent, REPEATED, false) : NULL;
    return n->repeated && n->skipped && n->under_parent && make_node(h, h->root, OTHER, false);
}

struct series {
    int64_t own[REPETITIONS], repeat[REPETITIONS], lookup[REPETITIONS], skip[REPETITIONS], in_parent[REPETITIONS];
    int64_t plain[REPETITIONS], clock[REPETITIONS], repeat_again[REPETITIONS], plain_again[REPETITIONS];
    int64_t plain_skip[REPETITIONS];
};

enum count_series { COUNT_PLAIN, COUNT_OWN, COUNT_REPEAT, COUNT_LOOKUP, COUNT_SKIP, COUNT_SERIES };

/* What is measured beside the deltas, of the last calibration; a field of the header each. */
static struct {
    int64_t clock_pair, count;
    struct pcomp_counter counters[PCOMP_COUNTERS_MAX];
} prices;

/* What each batch added to each counter. */
static int64_t added[PCOMP_COUNTERS_MAX][COUNT_SERIES][REPETITIONS];

/* One batch, as above, and repetition `i` of a series of counts. */
static int64_t count_batch(struct thread_state *h, enum count_series series, uint32_t i, void (*call)(uint64_t),
                           uint64_t first, uint64_t second)
{
    int64_t before[PCOMP_COUNTERS_MAX] = {0}, after[PCOMP_COUNTERS_MAX] = {0};
    if (!store_header->counter_count)
        return batch(call, first, second);
    custom_read_counters(h, before);
    int64_t ticks = batch(call, first, second);
    custom_read_counters(h, after);
    for (uint32_t c = 0; c < store_header->counter_count; c++)
        added[c][series][i] = after[c] - before[c];
    return ticks;
}

/* Adds `sign` times what the calls of a path were charged with to a series of counts. */
static void count_path(struct thread_state *h, const struct pcomp_node *node, enum count_series series, uint32_t i,
                       int sign)
{
    const struct pcomp_node_counter *sums = custom_node_counters(path_extra(h, node));
    for (uint32_t c = 0; c < store_header->counter_count; c++)
        added[c][series][i] = sums[c].raw + sign * added[c][series][i];
}

static void run(struct thread_state *h, struct nodes *n, struct series *s)
{
    for (int warm = 0; warm < 4; warm++)
        batch(instrumented_here, REPEATED, OTHER);
    for (uint32_t i = 0; i < REPETITIONS; i++) {
        s->plain[i] = count_batch(h, COUNT_PLAIN, i, plain, REPEATED, REPEATED);
        uint64_t before = n->repeated->raw;
        count_path(h, n->repeated, COUNT_OWN, i, 0);
        s->repeat[i] = count_batch(h, COUNT_REPEAT, i, instrumented_here, REPEATED, REPEATED);
        count_path(h, n->repeated, COUNT_OWN, i, -1);
        s->own[i] = (int64_t)(n->repeated->raw - before);
        s->lookup[i] = count_batch(h, COUNT_LOOKUP, i, instrumented_here, REPEATED, OTHER);
        if (i < skip_repetitions)
            s->skip[i] = count_batch(h, COUNT_SKIP, i, instrumented_here, SKIPPED, SKIPPED);
        /* as seen by the direct parent: what accounting a child costs it shows as the difference */
        before = n->parent->raw;
        enter((void *)(uintptr_t)PARENT, tag);
        s->repeat_again[i] = batch(instrumented_here, REPEATED, REPEATED);
        leave((void *)(uintptr_t)PARENT, tag);
        s->in_parent[i] = (int64_t)(n->parent->raw - before);
        s->clock[i] = batch_of_clock();
        s->plain_again[i] = s->plain_skip[i] = s->plain[i];
    }
}

#define BATCHES(array) ((struct pcomp_batches){array, REPETITIONS})
#define NO_BATCHES     ((struct pcomp_batches){NULL, 0})

static void conclude(struct series *s, struct pcomp_delta *delta)
{
    struct pcomp_estimate own = pcomp_estimate_cost(BATCHES(s->own), NO_BATCHES, CALLS);
    struct pcomp_estimate repeat = pcomp_estimate_cost(BATCHES(s->repeat), BATCHES(s->plain), CALLS);
    struct pcomp_estimate lookup = pcomp_estimate_cost(BATCHES(s->lookup), BATCHES(s->plain_again), CALLS);
    struct pcomp_estimate skip =
        pcomp_estimate_cost((struct pcomp_batches){s->skip, skip_repetitions}, BATCHES(s->plain_skip), CALLS);
    struct pcomp_estimate direct = pcomp_estimate_cost(BATCHES(s->in_parent), BATCHES(s->repeat_again), CALLS);
    struct pcomp_estimate none = {0, 0, 0};
    delta[PCOMP_VARIANT_REPEAT] = pcomp_delta_from_estimates(own, repeat, direct, CALLS);
    /* between its clock reads a looked-up call runs the same instructions, so own is the same */
    delta[PCOMP_VARIANT_LOOKUP] = pcomp_delta_from_estimates(own, lookup, direct, CALLS);
    none.repetitions = skip.repetitions;
    delta[PCOMP_VARIANT_SKIP] = pcomp_delta_from_estimates(none, skip, none, CALLS);
    prices.clock_pair = pcomp_estimate_cost(BATCHES(s->clock), NO_BATCHES, CALLS).value;
}

/* The deltas of the counters, as those of the time. */
static void conclude_counters(void)
{
    struct pcomp_counter *counters = prices.counters;
    static const struct {
        enum pcomp_variant variant;
        enum count_series whole;
    } variants[] = {
        {PCOMP_VARIANT_REPEAT, COUNT_REPEAT}, {PCOMP_VARIANT_LOOKUP, COUNT_LOOKUP}, {PCOMP_VARIANT_SKIP, COUNT_SKIP}};
    for (uint32_t c = 0; c < store_header->counter_count; c++) {
        struct pcomp_estimate own = pcomp_estimate_cost(BATCHES(added[c][COUNT_OWN]), NO_BATCHES, CALLS);
        for (int v = 2; v >= 0; v--) { /* the spreads are those of a repeated call */
            struct pcomp_estimate whole =
                pcomp_estimate_cost(BATCHES(added[c][variants[v].whole]), BATCHES(added[c][COUNT_PLAIN]), CALLS);
            counters[c].own[variants[v].variant] = variants[v].variant == PCOMP_VARIANT_SKIP ? 0 : own.value;
            counters[c].descendant[variants[v].variant] = whole.value;
            counters[c].descendant_spread = whole.spread;
        }
        counters[c].own_spread = own.spread;
    }
}

static bool measure(struct thread_state *h, struct series *s, struct pcomp_delta *delta)
{
    struct nodes n;
    struct pcomp_chunk *c = store_chunk(PCOMP_CHUNK_THREAD, 4096, 0, sizeof(struct pcomp_thread));
    if (!c)
        return false;
    h->thread = (struct pcomp_thread *)(c + 1);
    h->recording = config.custom ? RECORDING_CUSTOM : RECORDING_FAST;
    if (!paths_start(h) || (config.custom && !custom_begin(h)) ||
        !shadow_start(h, (uint64_t)(uintptr_t)__builtin_frame_address(0)) || !make_nodes(h, &n))
        return false;
    h->poll_at = UINT64_MAX;
    h->probes_left = INT64_MAX;
    struct thread_state *before = current_thread;
    current_thread = h;
    run(h, &n, s);
    conclude(s, delta);
    current_thread = before;
    if (store_header->counter_count)
        conclude_counters();
    return true;
}

void calibrate_count(void)
{
    static int64_t counted[REPETITIONS], uncounted[REPETITIONS];
    static uint64_t counters[4];
    const struct site_kernels *k = site_kernels(PROBES_TIMED);
    uint64_t *own = counts_thread;
    if (!k || !config.in_place)
        return;
    counts_thread = counters;
    for (int i = 0; i < REPETITIONS; i++) {
        uint64_t begin = clock_read(config.clock);
        for (int n = 0; n < CALLS / SITE_KERNEL_CALLS; n++)
            k->uncounted();
        uint64_t middle = clock_read(config.clock);
        for (int n = 0; n < CALLS / SITE_KERNEL_CALLS; n++)
            k->counted();
        uncounted[i] = (int64_t)(middle - begin);
        counted[i] = (int64_t)(clock_read(config.clock) - middle);
    }
    counts_thread = own;
    prices.count = pcomp_estimate_cost(BATCHES(counted), BATCHES(uncounted), CALLS).value;
}

void calibrate_publish(struct pcomp_header *header)
{
    header->clock_pair = prices.clock_pair;
    header->count_cost = prices.count;
    for (uint32_t i = 0; i < header->counter_count; i++) {
        memcpy(prices.counters[i].name, header->counters[i].name, sizeof(prices.counters[i].name));
        header->counters[i] = prices.counters[i];
    }
}

bool calibrate(struct pcomp_delta delta[PCOMP_VARIANTS])
{
    static struct series series; /* not on the stack of a thread that may have little of it */
    if (!store_scratch_begin())
        return false;
    choose_sites();
    struct thread_state *h = thread_state_new();
    bool done = h && measure(h, &series, delta);
    if (h) {
        custom_end(h);
        paths_end(h);
        if (h->shadow)
            shadow_end(h);
        thread_state_free(h);
    }
    store_scratch_end();
    return done;
}
