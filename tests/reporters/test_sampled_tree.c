/* Profiles in which every call was counted and a few were timed: from file to call tree. A random tree is written as an
 * execution without noise would leave it, so that every time is known: exactly where only the total of its intervals
 * matters, else to the blur of a stamp. */
#include "reporters/call_tree_memory.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES   60
#define FIXED   1024
#define STAMP   30 /* ticks, and so ns: of a stamped segment with nothing in it */
#define COUNTED 12 /* of a counted call */
#define SKIP    15 /* of a filtered one */
#define BLUR    (STAMP / 6.0)
#define OTHERS  7 /* functions; and one for each path that is stamped always */

struct made {
    int parent;
    uint32_t function;
    bool skipped, stamped; /* stamped: always, so that its intervals are known apart */
    uint64_t calls, open, hook;
    uint64_t counted_ticks, counted_events;
    uint64_t enter, exit;  /* duration of one segment */
    double own, inclusive; /* truth */
    uint64_t link;
};

static struct profile_writer w;
static struct made made[NODES];
static char error[512];
static unsigned state;
static double thread_raw[2], root_exits[2],
    hooks[2]; /* what the clock said; what follows root activations; stamped hooks */
static uint64_t calls[2], own_segments[OTHERS + NODES];
static double around_events[2]; /* counted outside those stamped always */

static unsigned below(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static uint32_t thread_of(int i)
{
    while (made[i].parent >= 0)
        i = made[i].parent;
    return (uint32_t)i;
}

/* The innermost path around i in which all is stamped; -1: the root of its thread. */
static int region_of(int i)
{
    do
        i = made[i].parent;
    while (i >= 0 && !made[i].stamped);
    return i;
}

/* So many events were counted inside a path, or a root, and took so long. */
static void add_interval(uint32_t thread, uint64_t link, uint64_t events, uint64_t ticks)
{
    struct pcomp_thread *t = profile_writer_at(&w, w.record[thread]);
    struct pcomp_node_always *inside = (struct pcomp_node_always *)(profile_writer_extra(&w, link) + 1);
    inside->counted_events += events;
    inside->counted_ticks += ticks;
    t->counted_events += events;
    t->counted_ticks += ticks;
}

/* Times `always` and `sampled` of `count` segments of `duration`, and adds the others to the counted of the thread. */
static void divide(struct pcomp_thread *thread, const struct made *m, uint64_t count, uint64_t duration,
                   uint64_t *always, uint64_t *always_ticks, uint32_t *sampled, uint64_t *ticks)
{
    *always = count < 20 || m->stamped ? count : 20;
    *sampled = (uint32_t)((count - *always) / 10);
    *always_ticks = *always * (duration + STAMP);
    *ticks = *sampled * (duration + STAMP);
    uint64_t counted = count - *always - *sampled;
    uint64_t took = counted * duration + counted * (m->skipped ? SKIP : COUNTED) / 2;
    thread_raw[thread->index] += (double)(*always_ticks + *ticks);
    int region = region_of((int)(m - made));
    add_interval(thread->index, region < 0 ? w.root[thread->index] : made[region].link, counted, took);
    if (region >= 0) {
        made[region].counted_ticks += took;
        made[region].counted_events += counted;
    }
}

static void write_node(struct made *m, uint32_t thread)
{
    struct pcomp_thread *t = profile_writer_at(&w, w.record[thread]);
    struct writer_segments s = {.calls = m->calls,
                                .flags = (m->skipped ? PCOMP_NODE_SKIPPED : 0) | (m->stamped ? 0 : PCOMP_NODE_COUNTED)};
    s.hook_ticks = m->hook;
    t->hook_ticks += m->hook;
    hooks[thread] += (double)m->hook;
    calls[thread] += m->calls + m->open;
    divide(t, m, m->calls + m->open, m->enter, &s.always.enters, &s.always.enter_ticks, &s.enters, &s.enter_ticks);
    divide(t, m, m->calls, m->exit, &s.always.exits, &s.always.exit_ticks, &s.exits, &s.exit_ticks);
    s.squares = s.enter_ticks * (m->enter + STAMP) + s.exit_ticks * (m->exit + STAMP);
    uint64_t parent = m->parent < 0 ? w.root[thread] : made[m->parent].link;
    m->link = profile_writer_sampled_node(&w, thread, parent, m->function, s);
}

/* Two threads with a root activation each, which is open in the first. */
static void make(unsigned seed)
{
    state = seed;
    memset(made, 0, sizeof made);
    memset(thread_raw, 0, sizeof thread_raw);
    memset(root_exits, 0, sizeof root_exits);
    memset(hooks, 0, sizeof hooks);
    memset(calls, 0, sizeof calls);
    memset(own_segments, 0, sizeof own_segments);
    profile_writer_init(&w, PCOMP_FLAG_SAMPLED, 0);
    struct pcomp_header *h = profile_writer_header(&w);
    h->delta_start[PCOMP_VARIANT_REPEAT] =
        (struct pcomp_delta){.descendant = 7 * FIXED, .descendant_spread = 3 * FIXED / 10, .repetitions = 10};
    h->delta_start[PCOMP_VARIANT_BARE] = (struct pcomp_delta){
        .descendant = (COUNTED - 7) * FIXED, .descendant_spread = 4 * FIXED / 10, .repetitions = 10};
    h->delta_start[PCOMP_VARIANT_SKIP] = (struct pcomp_delta){.descendant = SKIP * FIXED, .repetitions = 10};
    h->stamp = STAMP * FIXED;
    h->burst = 64, h->gap = 4096;
    uint32_t ids[OTHERS + NODES];
    for (unsigned i = 0; i < OTHERS + NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        ids[i] = profile_writer_function(&w, UINT32_MAX, 0x1000 + i, name);
    }
    profile_writer_thread(&w, 100, "main", PCOMP_THREAD_MAIN);
    profile_writer_thread(&w, 101, "other", 0);
    for (int i = 0; i < NODES; i++) {
        struct made *m = &made[i];
        *m = (struct made){.parent = i < 2 ? -1 : (int)below((unsigned)i), .function = ids[i < 2 ? 0 : 1 + below(6)]};
        while (m->parent >= 0 && made[m->parent].skipped)
            m->parent = made[m->parent].parent;
        m->calls = i < 2 ? (uint64_t)i : 2 * (1 + below(3000));
        m->skipped = i >= 2 && below(8) == 0;
        m->stamped = i >= 2 && !m->skipped && below(4) == 0;
        if (m->stamped)
            m->function = ids[OTHERS + i];
        m->open = i == 0;
        m->hook = below(4000);
        m->enter = 2 + below(200);
        m->exit = 2 + below(200);
        struct made *owner = m->skipped ? &made[m->parent] : m;
        owner->own += (double)((m->calls + m->open) * m->enter);
        own_segments[owner->function - PCOMP_FUNCTION_FIRST] += m->calls + m->open;
        if (m->parent >= 0) {
            made[m->parent].own += (double)(m->calls * m->exit);
            own_segments[made[m->parent].function - PCOMP_FUNCTION_FIRST] += m->calls;
        } else
            root_exits[i] = (double)(m->calls * m->exit);
    }
    for (int i = NODES; i-- > 0;) {
        made[i].inclusive += made[i].own;
        if (made[i].parent >= 0)
            made[made[i].parent].inclusive += made[i].inclusive;
    }
    for (int i = 0; i < NODES; i++)
        write_node(&made[i], thread_of(i));
    const struct pcomp_frame frames[] = {{.node = w.root[0], .start = w.root[0]},
                                         {.node = made[0].link, .start = made[0].link}};
    profile_writer_stack(&w, 0, 0, 1, frames, 2);
    for (uint32_t t = 0; t < 2; t++) {
        const struct pcomp_thread *record = profile_writer_at(&w, w.record[t]);
        thread_raw[t] += (double)record->counted_ticks + hooks[t];
        around_events[t] = (double)record->counted_events;
        for (int i = 0; i < NODES; i++)
            if (thread_of(i) == t && made[i].counted_events >= 2000)
                around_events[t] -= (double)made[i].counted_events;
    }
    profile_writer_finish(&w);
}

static void done(void)
{
    profile_writer_free(&w);
}

TestSuite(sampled_tree, .fini = done);

static struct call_tree *load(int model)
{
    struct call_tree_options options = {.rank = -1, .model = model};
    struct call_tree *tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
    return tree;
}

static void assert_near(double value, double expected)
{
    cr_assert(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)), "%.17g is not %.17g", value, expected);
}

static const struct tree_function *function_of(const struct call_tree *tree, const char *name)
{
    for (size_t i = 0; i < tree->function_count; i++)
        if (!strcmp(tree->functions[i].name, name))
            return &tree->functions[i];
    cr_assert(false, "no %s", name);
    return NULL;
}

static void assert_within(double value, double expected, double slack)
{
    cr_assert(fabs(value - expected) <= slack, "%.17g is not %.17g within %g", value, expected, slack);
}

/* Of a region, or of a thread, the intervals are known; the segments timed in bursts are corrected in the same way, and
 * there are not quite as many of every kind. Where too little was counted, the brief may be anything. */
static double slack_of(uint32_t thread)
{
    return 2 * NODES * BLUR + (around_events[thread] < 2000 ? 2000 * BLUR : 0);
}

Test(sampled_tree, without_noise_every_time_is_exact_to_the_blur)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        make(seed);
        struct call_tree *tree = load(-1);
        double exclusive[OTHERS + NODES] = {0}, total = 0;
        uint64_t n[OTHERS + NODES] = {0};
        for (int i = 0; i < NODES; i++) {
            unsigned f = made[i].function - PCOMP_FUNCTION_FIRST;
            exclusive[f] += made[i].own;
            n[f] += made[i].skipped ? 0 : made[i].calls + made[i].open;
            total += made[i].own;
        }
        for (unsigned f = 0; f < OTHERS + NODES; f++) {
            char name[16];
            snprintf(name, sizeof name, "f%u", f);
            if (!n[f])
                continue;
            const struct tree_function *found = function_of(tree, name);
            assert_within(found->exclusive.compensated, exclusive[f], (double)own_segments[f] * BLUR);
            cr_assert_eq(found->calls, n[f]);
            cr_assert(found->exact && isnan(found->min));
        }
        cr_assert_eq(function_of(tree, "f0")->open, 1);
        assert_within(function_of(tree, "f0")->inclusive.compensated, made[0].inclusive + made[1].inclusive,
                      slack_of(0) + slack_of(1));
        assert_within(tree->total.compensated, made[0].inclusive, slack_of(0));
        assert_within(tree->total_all_threads.compensated, total, slack_of(0) + slack_of(1));
        cr_assert_str_eq(tree->mode, "exact");
        assert_near(tree->how.call_overhead, COUNTED);
        assert_near(tree->how.call_uncertainty, 1.959964 * hypot(307 / 1024.0, 409 / 1024.0));
        cr_assert(tree->how.timed_share > 0.1 && tree->how.timed_share < 0.6);
        call_tree_free(tree);
        profile_writer_free(&w);
    }
}

/* Writes that calls cost this while the program ran, in ticks, and fetching a path so much of that. */
static void measure_in_place(double call, unsigned fetching)
{
    struct pcomp_header *h = profile_writer_header(&w);
    struct pcomp_thread *record = profile_writer_at(&w, w.record[0]);
    record->place_count = 20;
    record->place_cost = (int64_t)(20 * (call - fetching) * FIXED);
    record->place_squares = 20 * (call - fetching) * FIXED * (call - fetching) * FIXED;
    h->near = h->lookups = 100;
    h->near_ticks = 100 * 48;
    h->lookup_ticks = 100 * (60 + fetching); /* a quarter of the 48 is hidden */
}

Test(sampled_tree, what_fetching_call_paths_costs_is_taken_out_and_said)
{
    double alone = 0;
    for (unsigned fetching = 0; fetching < COUNTED; fetching++) {
        make(3);
        measure_in_place(COUNTED, fetching);
        struct call_tree *tree = load(-1);
        assert_near(tree->how.call_overhead, COUNTED);
        uint64_t skipped = 0; /* these cost more in proportion to the rest, which is less of what they cost */
        for (int i = 0; i < NODES; i++)
            skipped += made[i].skipped && thread_of(i) == 0 ? made[i].calls : 0;
        assert_within(tree->total.compensated, made[0].inclusive,
                      slack_of(0) + (double)skipped * fetching * (1.0 * SKIP / COUNTED - 1));
        alone = fetching ? alone : tree->how.call_uncertainty;
        assert_within(tree->how.call_uncertainty, hypot(alone, 1.959964 * fetching / 2), 0.01);
        bool said = tree->warning_count && strstr(tree->warnings[tree->warning_count - 1], "fetching them is");
        cr_assert_eq(said, fetching > 0.3 * COUNTED, "%u", fetching);
        call_tree_free(tree);
        profile_writer_free(&w);
    }
}

/* Nothing below it was counted where too little was. */
static bool is_known_apart(int i)
{
    bool known = made[i].stamped && made[i].counted_events >= 2000;
    for (int k = i + 1; known && k < NODES; k++)
        for (int up = k; up > i; up = made[up].parent)
            if (made[up].parent == i && made[k].counted_events && made[k].counted_events < 2000)
                known = false;
    return known;
}

Test(sampled_tree, a_path_that_is_stamped_always_takes_its_own_intervals)
{
    int regions = 0;
    for (unsigned seed = 1; seed <= 20; seed++) {
        make(seed);
        struct call_tree *tree = load(-1);
        for (int i = 0; i < NODES; i++) {
            char name[16];
            if (!is_known_apart(i))
                continue;
            snprintf(name, sizeof name, "f%u", made[i].function - PCOMP_FUNCTION_FIRST);
            assert_within(function_of(tree, name)->inclusive.compensated, made[i].inclusive, 2 * NODES * BLUR);
            regions++;
        }
        call_tree_free(tree);
        profile_writer_free(&w);
    }
    cr_assert(regions >= 20, "%d", regions);
}

/* What is not inside a root activation: what follows its exit, half of its own measurement and its stamped hooks. */
static double outside(uint32_t thread, double overhead_a_call)
{
    return root_exits[thread] + overhead_a_call / 2 + (double)made[thread].hook;
}

Test(sampled_tree, raw_times_close_on_the_thread)
{
    for (unsigned seed = 1; seed <= 20; seed++) {
        make(seed);
        struct call_tree *tree = load(PCOMP_MODEL_SPLIT);
        double raw = 0;
        for (size_t i = 0; i < tree->function_count; i++) {
            const struct tree_function *f = &tree->functions[i];
            raw += f->exclusive.raw;
            assert_near(f->inclusive.raw - f->inclusive.compensated,
                        f->inclusive.own + f->inclusive.descendants + f->inclusive.direct);
            assert_near(f->exclusive.raw - f->exclusive.compensated,
                        f->exclusive.own + f->exclusive.descendants + f->exclusive.direct);
        }
        assert_near(raw, tree->total_all_threads.raw);
        for (uint32_t t = 0; t < 2; t++) {
            double each = (thread_raw[t] - hooks[t] - tree->threads[t].compensated - root_exits[t]) / (double)calls[t];
            assert_near(tree->threads[t].raw, thread_raw[t] - outside(t, each));
            assert_within(tree->threads[t].compensated, made[t].inclusive, slack_of(t));
        }
        call_tree_free(tree);
        profile_writer_free(&w);
    }
}

Test(sampled_tree, model_none_shows_raw_times)
{
    make(7);
    struct call_tree *split = load(-1), *none = load(PCOMP_MODEL_NONE);
    for (size_t i = 0; i < none->function_count; i++) {
        assert_near(none->functions[i].inclusive.raw, split->functions[i].inclusive.raw);
        assert_near(none->functions[i].inclusive.compensated, split->functions[i].inclusive.raw);
        assert_near(none->functions[i].exclusive.compensated, split->functions[i].exclusive.raw);
    }
    assert_near(none->total.compensated, split->total.raw);
    call_tree_free(split);
    call_tree_free(none);
}

Test(sampled_tree, model_paper_is_refused)
{
    make(7);
    struct call_tree_options options = {.rank = -1, .model = PCOMP_MODEL_PAPER};
    cr_assert_null(call_tree_from_memory(w.data, w.size, &options, error, sizeof error));
    cr_assert_not_null(strstr(error, "--mode full"), "%s", error);
}

Test(sampled_tree, uncertainty_grows_with_the_calls)
{
    make(7);
    struct call_tree *tree = load(-1);
    double each = tree->how.call_uncertainty;
    /* and with the time itself: two builds of one program differ by 0.75 % */
    double expected = hypot(each * (double)calls[0], 1.96 * 0.0075 * tree->total.compensated); /* filtered ones, too */
    cr_assert(fabs(tree->total.uncertainty - expected) < 0.001 * expected, "%g is not %g", tree->total.uncertainty,
              expected);
    for (size_t i = 0; i < tree->function_count; i++) {
        const struct tree_function *f = &tree->functions[i];
        double least = each * (double)(f->outermost + f->descendants);
        cr_assert(f->inclusive.uncertainty >= least * (1 - 1e-6), "%s: %g below %g", f->name, f->inclusive.uncertainty,
                  least);
    }
    call_tree_free(tree);
}

Test(sampled_tree, fitted_calibration_is_told)
{
    make(7);
    struct pcomp_header *h = profile_writer_header(&w);
    h->flags |= PCOMP_FLAG_FITTED;
    memset(h->fitted, 'x', sizeof h->fitted); /* no end */
    struct call_tree *tree = load(-1);
    cr_assert_eq(strlen(tree->how.fitted), sizeof h->fitted);
    call_tree_free(tree);
    h->flags &= ~(uint32_t)PCOMP_FLAG_FITTED;
    tree = load(-1);
    cr_assert_null(tree->how.fitted);
    call_tree_free(tree);
}

/* 4 calls of f in 1000 ticks, and in these 100 of a filtered one for 3 ticks each, which version 2 did not count among
 * the events. */
Test(sampled_tree, in_files_of_version_2_filtered_calls_are_no_events)
{
    profile_writer_init(&w, PCOMP_FLAG_SAMPLED, 0);
    struct pcomp_header *h = profile_writer_header(&w);
    h->version = 2;
    h->delta_start[PCOMP_VARIANT_SKIP] = (struct pcomp_delta){.descendant = 3 * FIXED, .repetitions = 10};
    uint32_t f = profile_writer_function(&w, UINT32_MAX, 0x1000, "f");
    uint32_t g = profile_writer_function(&w, UINT32_MAX, 0x2000, "g");
    profile_writer_thread(&w, 100, "main", PCOMP_THREAD_MAIN);
    struct writer_segments timed = {.calls = 4, .always = {.enters = 4, .enter_ticks = 1000, .exits = 4}};
    uint64_t node = profile_writer_sampled_node(&w, 0, w.root[0], f, timed);
    struct writer_segments filtered = {.calls = 100, .flags = PCOMP_NODE_SKIPPED};
    profile_writer_sampled_node(&w, 0, node, g, filtered);
    profile_writer_finish(&w);
    struct call_tree *tree = load(-1);
    assert_near(tree->total.compensated, 1000 - 300);
    cr_assert_eq(tree->total.calls, 4);
    call_tree_free(tree);
}

Test(sampled_tree, files_of_version_1_are_read_as_fully_timed)
{
    profile_writer_init(&w, 0, 0);
    profile_writer_header(&w)->version = 1;
    uint32_t f = profile_writer_function(&w, UINT32_MAX, 0x1000, "f");
    profile_writer_thread(&w, 100, "main", PCOMP_THREAD_MAIN);
    struct writer_counts counts = {.calls = 3, .raw = 90, .compensated = 60 * FIXED};
    profile_writer_node(&w, 0, w.root[0], f, counts);
    profile_writer_finish(&w);
    struct call_tree *tree = load(-1);
    cr_assert_str_eq(tree->mode, "full");
    assert_near(tree->how.timed_share, 1);
    assert_near(tree->total.raw, 90);
    assert_near(tree->total.compensated, 60);
    call_tree_free(tree);
}

/* main > f > g, written in this or in another order. */
static struct call_tree *load_three(const int order[3])
{
    profile_writer_init(&w, PCOMP_FLAG_SAMPLED, 0);
    uint32_t ids[3];
    for (unsigned i = 0; i < 3; i++)
        ids[i] = profile_writer_function(&w, UINT32_MAX, 0x1000 + i, (const char *const[]){"main", "f", "g"}[i]);
    profile_writer_thread(&w, 100, "main", PCOMP_THREAD_MAIN);
    uint64_t links[3];
    for (int k = 0; k < 3; k++) {
        uint64_t n = (uint64_t)order[k] + 1;
        struct writer_segments segments = {.calls = n, .hook_ticks = 7 * n, .always = {100 * n, 10 * n, n, n, 0, 0}};
        links[order[k]] = profile_writer_sampled_node(&w, 0, w.root[0], ids[order[k]], segments);
    }
    for (int i = 1; i < 3; i++)
        ((struct pcomp_node_sampled *)profile_writer_at(&w, links[i]))->parent = links[i - 1];
    profile_writer_finish(&w);
    return load(-1);
}

Test(sampled_tree, nodes_may_come_before_their_parents)
{
    static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        struct call_tree *tree = load_three(orders[k]);
        assert_near(function_of(tree, "main")->inclusive.compensated, 100 + (200 + 20) + (300 + 30));
        assert_near(function_of(tree, "main")->exclusive.compensated, 100 + 20);
        assert_near(function_of(tree, "f")->exclusive.compensated, 200 + 30);
        assert_near(function_of(tree, "g")->inclusive.compensated, 300);
        /* no stamp is known: only the stamped hooks of those below are overhead */
        assert_near(function_of(tree, "main")->inclusive.raw, 650 + 14 + 21);
        assert_near(function_of(tree, "f")->inclusive.raw, 530 + 21);
        call_tree_free(tree);
        profile_writer_free(&w);
    }
}

static void calibrate(void)
{
    struct pcomp_header *h = profile_writer_header(&w);
    h->delta_start[PCOMP_VARIANT_REPEAT] = (struct pcomp_delta){.descendant = COUNTED * FIXED, .repetitions = 10};
    h->stamp = STAMP * FIXED;
}

/* A thread with a path p that calls a leaf 60000 times. Both were counted for the first 50000; then p was stamped, and
 * what is counted in it from there on is in its own intervals. Segments last 100 ticks. */
Test(sampled_tree, a_path_that_is_stamped_again_is_no_region)
{
    profile_writer_init(&w, PCOMP_FLAG_SAMPLED, 0);
    calibrate();
    uint32_t f[2] = {profile_writer_function(&w, UINT32_MAX, 0x1000, "p"),
                     profile_writer_function(&w, UINT32_MAX, 0x1001, "leaf")};
    profile_writer_thread(&w, 100, "main", PCOMP_THREAD_MAIN);
    const uint64_t ticks = 100 + COUNTED / 2, stamped = 100 + STAMP;
    struct writer_segments p = {.calls = 60000, .always = {10000 * stamped, 10000 * stamped, 10000, 10000, 0, 0}},
                           leaf = {.calls = 60000, .flags = PCOMP_NODE_COUNTED};
    p.enter_ticks = p.exit_ticks = leaf.enter_ticks = leaf.exit_ticks = 50 * stamped;
    p.enters = p.exits = leaf.enters = leaf.exits = 50;
    p.squares = leaf.squares = 100 * stamped * stamped;
    const uint64_t late = 2 * 10000, early = 4 * (50000 - 50);
    uint64_t link = profile_writer_sampled_node(&w, 0, w.root[0], f[0], p);
    profile_writer_sampled_node(&w, 0, link, f[1], leaf);
    add_interval(0, link, late, late * ticks);
    add_interval(0, w.root[0], early, early * ticks);
    profile_writer_finish(&w);
    struct call_tree *tree = load(-1);
    assert_within(function_of(tree, "p")->inclusive.compensated, 180000 * 100, 1000);
    assert_within(function_of(tree, "leaf")->inclusive.compensated, 60000 * 100, 1000);
    call_tree_free(tree);
}

Test(sampled_tree, calls_beyond_a_limit_have_no_segments)
{
    profile_writer_init(&w, PCOMP_FLAG_SAMPLED, 0);
    calibrate();
    uint32_t f = profile_writer_function(&w, UINT32_MAX, 0x1000, "f");
    profile_writer_thread(&w, 100, "main", PCOMP_THREAD_MAIN);
    struct writer_segments s = {.calls = 10000,
                                .flags = PCOMP_NODE_COUNTED,
                                .enter_ticks = 100 * (100 + STAMP),
                                .exit_ticks = 100 * (100 + STAMP),
                                .enters = 100,
                                .exits = 100};
    profile_writer_sampled_node(&w, 0, w.root[0], f, s);
    add_interval(0, w.root[0], 2 * 9900, 2 * 9900 * (100 + COUNTED / 2));
    ((struct pcomp_node_sampled *)profile_writer_at(&w, w.beyond[0]))->calls = 1000000;
    profile_writer_finish(&w);
    struct call_tree *tree = load(-1);
    assert_within(tree->total.compensated, 10000 * 100, 100); /* what follows the exits is the root's */
    cr_assert_eq(function_of(tree, "[beyond limit]")->calls, 1000000);
    assert_near(function_of(tree, "[beyond limit]")->inclusive.compensated, 0);
    call_tree_free(tree);
}

Test(sampled_tree, absurd_values_stay_numbers)
{
    make(7);
    struct pcomp_header *h = profile_writer_header(&w);
    h->stamp = INT64_MIN;
    h->delta_start[PCOMP_VARIANT_REPEAT].descendant = INT64_MAX;
    struct pcomp_thread *t = profile_writer_at(&w, w.record[0]);
    t->counted_ticks = UINT64_MAX;
    struct pcomp_node_sampled *node = profile_writer_at(&w, made[0].link);
    node->squares = UINT64_MAX;
    node->calls = UINT64_MAX;
    node->enter_ticks = UINT64_MAX;
    node->enters = 1;
    struct pcomp_node_always *always = (struct pcomp_node_always *)(profile_writer_extra(&w, made[NODES / 2].link) + 1);
    always->counted_ticks = always->counted_events = UINT64_MAX;
    struct call_tree *tree = load(-1);
    for (size_t i = 0; i < tree->function_count; i++) {
        cr_assert(isfinite(tree->functions[i].inclusive.raw));
        cr_assert(isfinite(tree->functions[i].inclusive.compensated));
        cr_assert_not(isnan(tree->functions[i].inclusive.uncertainty));
    }
    call_tree_free(tree);
}
