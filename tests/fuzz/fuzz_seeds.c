#include "tests/fuzz/fuzz_seeds.h"

#include "tests/support/profile_writer.h"

#include <stdlib.h>
#include <string.h>

enum seed {
    SEED_PLAIN,
    SEED_KILLED,
    SEED_FOLDED,
    SEED_COUNTERS,
    SEED_SITES,
    SEED_THREADS,
    SEED_CALIBRATED,
    SEED_FITTED,
    SEED_COUNTS,
    SEED_STACKS
};

extern const char __executable_start[]; /* of the linker */

static void set_deltas(struct pcomp_header *h)
{
    for (int v = 0; v < PCOMP_VARIANT_SKIP + 1; v++) {
        h->delta_start[v] = (struct pcomp_delta){.own = 9000 + v,
                                                 .descendant = 20000 + v,
                                                 .direct = 10,
                                                 .own_spread = 30,
                                                 .descendant_spread = 40,
                                                 .direct_spread = 1,
                                                 .repetitions = 20,
                                                 .batch = 1000};
        h->delta_exit[v] = h->delta_start[v];
        h->delta_exit[v].descendant += 3000;
    }
}

/* main > a > b > a, main > region, main > filtered */
static void write_tree(struct profile_writer *w, uint32_t thread, const uint32_t *f, uint64_t site)
{
    struct writer_counts calls = {.calls = 10, .lookups = 3, .raw = 5000, .compensated = 4000 << 10, .site = site};
    uint64_t main = profile_writer_node(
        w, thread, w->root[thread], f[0],
        (struct writer_counts){.calls = 1, .raw = 90000, .compensated = 80000ll << 10, .slow_ticks = 70});
    uint64_t a = profile_writer_node(w, thread, main, f[1], calls);
    profile_writer_spread(w, thread, a, 180, (const uint32_t[]){7, 0, 2, 1}, 4, 900 << 10, 3000);
    uint64_t b = profile_writer_node(w, thread, a, f[2], calls);
    uint64_t inner = profile_writer_node(w, thread, b, f[1], calls);
    profile_writer_node(w, thread, main, f[3], calls);
    calls.flags = PCOMP_NODE_SKIPPED;
    profile_writer_node(w, thread, main, f[4], calls);
    struct pcomp_frame frames[6] = {{.node = w->root[thread], .sp = UINT64_MAX, .start = 1000},
                                    {.node = main, .start = 2000, .overhead = 5},
                                    {.node = a, .start = 3000, .overhead = 90},
                                    {.node = b, .start = 4000, .end = UINT64_MAX},
                                    {.node = inner, .start = 5000, .overhead = 100},
                                    {.node = inner, .start = 6000, .end = 7000, .overhead = 300}};
    if (profile_writer_header(w)->state != PCOMP_STATE_CLOSED) {
        profile_writer_stack(w, thread, 0, 1, frames, 3);
        profile_writer_stack(w, thread, 0, 2, frames, 6);
        frames[0].node = inner;
        profile_writer_stack(w, thread, 1, 1, frames, 2);
    }
}

static uint32_t seed_flags(unsigned i)
{
    return i == SEED_FOLDED   ? PCOMP_FLAG_FOLD_RECURSION
           : i == SEED_SITES  ? PCOMP_FLAG_NATIVE_FRAMES
           : i == SEED_FITTED ? PCOMP_FLAG_FITTED
           : i >= SEED_COUNTS ? PCOMP_FLAG_COUNTS
                              : 0;
}

/* Of the functions of write_tree, f[2] fell to counted, f[4] is off. */
static void write_counters(struct profile_writer *w, const uint32_t *f)
{
    static const uint64_t live[] = {0, 0, 1, 20, 500, 10, 0, 0}, ended[] = {0, 0, 0, 0, 700},
                          common[] = {0, 0, 0, 0, 3};
    profile_writer_function_at(w, f[2])->flags |= PCOMP_FUNCTION_COUNTED;
    profile_writer_function_at(w, f[4])->flags |= PCOMP_FUNCTION_OFF;
    profile_writer_counters(w, PCOMP_COUNTS_THREAD, live, sizeof live / sizeof *live);
    profile_writer_counters(w, PCOMP_COUNTS_ENDED, ended, sizeof ended / sizeof *ended);
    profile_writer_counters(w, PCOMP_COUNTS_COMMON, common, sizeof common / sizeof *common);
    profile_writer_header(w)->count_cost = 700;
    profile_writer_header(w)->level_falls = 1;
}

/* Stacks of the first thread, whose first node is main, and windows of f[2]. */
static void write_stacks(struct profile_writer *w, const uint32_t *f)
{
    uint64_t main = w->beyond[0] + sizeof(struct pcomp_node), pc[5];
    for (int k = 0; k < 5; k++)
        pc[k] = profile_writer_function_at(w, f[k])->address + 4;
    const struct pcomp_stack_frame
        frames[] = {{.pc = pc[0], .node = main, .hits = 50, .weight = 60},
                    {.pc = pc[2], .parent = 1, .hits = 30, .weight = 30},
                    {.pc = pc[1], .parent = 2, .node = main + sizeof(struct pcomp_node), .hits = 9, .weight = 9},
                    {.pc = pc[2], .parent = 3, .hits = 8, .weight = 8},
                    {.pc = pc[2], .parent = 4, .hits = 7, .weight = 7},
                    {.pc = PCOMP_STACK_LIBRARY, .hits = 6, .weight = 6}},
        more[] = {{.pc = PCOMP_STACK_UNKNOWN, .node = main}, {.pc = pc[4], .parent = 7, .hits = 5, .weight = 5}},
        outside[] = {{.pc = pc[2], .hits = 4, .weight = 4}};
    struct pcomp_sampled_calls windows = {.function = f[2], .sampled = 1, .exact = 600};
    pcomp_window_calls_begin(&windows.sums, 1e6);
    for (int k = 0; k < 5; k++)
        pcomp_window_calls_add(&windows.sums, 900 + 50 * k, 1e-3, 1e-4, 9e-3, 0.5);
    pcomp_window_calls_end(&windows.sums, 0);
    profile_writer_function_at(w, f[2])->flags |= PCOMP_FUNCTION_SAMPLED;
    profile_writer_stacks(w, 0, frames, sizeof frames / sizeof *frames);
    profile_writer_stacks(w, 1, outside, 1);
    profile_writer_stacks(w, 0, more, sizeof more / sizeof *more);
    profile_writer_windows(w, &windows, 1);
    struct pcomp_header *h = profile_writer_header(w);
    h->sample_ticks = 9000;
    h->sample_delivery = 5000;
    h->windows = 5;
    strcpy(h->sampler_why, "some threads have no samples");
}

/* Of the module of write_stacks: the program that reads it, so that it has symbols. */
static uint64_t own_address(int k, uint64_t start)
{
    void (*const functions[])(void) = {(void (*)(void))set_deltas, (void (*)(void))write_tree,
                                       (void (*)(void))seed_flags, NULL, (void (*)(void))write_counters};
    return start + (uint64_t)((uintptr_t)functions[k] - (uintptr_t)__executable_start);
}

uint8_t *fuzz_seed(unsigned i, size_t *size)
{
    struct profile_writer w;
    uint32_t flags = seed_flags(i);
    profile_writer_init(&w, flags, i == SEED_COUNTERS ? 2 : 0);
    struct pcomp_header *h = profile_writer_header(&w);
    if (i == SEED_KILLED || i == SEED_THREADS) {
        h->state = PCOMP_STATE_LIVE;
        h->end_tick = 0;
    }
    if (i >= SEED_SITES)
        set_deltas(h);
    if (i == SEED_FITTED)
        strcpy(h->fitted, "./prog");
    bool own = i == SEED_STACKS;
    uint32_t module =
        profile_writer_module(&w, own ? "/proc/self/exe" : "/bin/prog", 0x400000, own ? 1 << 24 : 0x10000);
    uint32_t f[5];
    for (int k = 0; k < 5; k++)
        f[k] = k == 3 ? profile_writer_function(&w, UINT32_MAX, 0x400100, "my region")
                      : profile_writer_function(&w, module,
                                                own ? own_address(k, 0x400000) : 0x401000u + (unsigned)k * 64, NULL);
    for (unsigned t = 0; t < (i == SEED_THREADS ? 3u : i >= SEED_COUNTS ? 2u : 1u); t++) {
        uint32_t thread = profile_writer_thread(&w, 4242 + (int)t, "thread", t ? 0 : PCOMP_THREAD_MAIN);
        write_tree(&w, thread, f, i == SEED_SITES ? 0x401077 : 0);
        if (t)
            ((struct pcomp_thread *)profile_writer_at(&w, w.record[t]))->creator_link = w.root[0] + 128;
    }
    if (i >= SEED_COUNTS)
        write_counters(&w, f);
    if (i == SEED_STACKS)
        write_stacks(&w, f);
    if (i == SEED_SITES)
        profile_writer_extra(&w, w.root[0] + 192)->native_link = profile_writer_text(&w, "0x401080 0x77", 14);
    uint64_t command = profile_writer_text(&w, "prog\0an arg\0", 13);
    profile_writer_header(&w)->command_link = command;
    profile_writer_finish(&w);
    uint8_t *copy = malloc(w.size);
    if (copy)
        memcpy(copy, w.data, w.size);
    *size = w.size;
    profile_writer_free(&w);
    return copy;
}
