/* Activations that had not ended: of killed processes, ended threads, signal handlers, coroutines, forked children. */
#include "reporters/profile/open_activations.h"
#include "reporters/tree/call_tree.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <string.h>

#define FIXED(ticks) ((int64_t)((ticks)*1024))

static struct profile_writer w;
static struct profile_file *file;
static struct open_activations open;
static char error[512];
static uint32_t f, g;
static uint64_t a, b;

/* root > a > b, killed */
static void begin_with(uint32_t flags)
{
    profile_writer_init(&w, flags, 0);
    struct pcomp_header *h = profile_writer_header(&w);
    h->state = PCOMP_STATE_LIVE;
    h->end_tick = 0;
    h->delta_start[PCOMP_VARIANT_REPEAT] =
        (struct pcomp_delta){.own = FIXED(2), .descendant = FIXED(5), .repetitions = 1};
    f = profile_writer_function(&w, UINT32_MAX, 0x10, "a");
    g = profile_writer_function(&w, UINT32_MAX, 0x20, "b");
    profile_writer_thread(&w, 4242, "main", PCOMP_THREAD_MAIN);
    a = profile_writer_node(&w, 0, w.root[0], f, (struct writer_counts){0});
    b = profile_writer_node(&w, 0, a, g, (struct writer_counts){.calls = 3, .raw = 30, .compensated = FIXED(24)});
}

static void begin(void)
{
    begin_with(0);
}

static void end(void)
{
    open_activations_free(&open);
    profile_file_close(file);
    file = NULL;
    profile_writer_free(&w);
}

TestSuite(open_activations, .init = begin, .fini = end);

static void find(bool running)
{
    profile_writer_finish(&w);
    file = profile_file_from_memory("FILE", w.data, w.size, false, error, sizeof error);
    cr_assert_not_null(file, "%s", error);
    cr_assert(open_activations_find(file, running, &open));
}

static const struct open_activation *of(uint64_t node)
{
    for (size_t i = 0; i < open.count; i++)
        if (open.items[i].node == profile_node_index(file, node))
            return &open.items[i];
    cr_assert(false, "not open");
    return NULL;
}

Test(open_activations, are_closed_at_the_last_event)
{
    struct pcomp_frame frames[4] = {{.node = w.root[0], .start = 100},
                                    {.node = a, .start = 1000, .overhead = FIXED(1)},
                                    {.node = b, .start = 2000, .end = 2500, .overhead = FIXED(40)},
                                    {.node = b, .start = 1500, .end = 1600}};
    profile_writer_stack(&w, 0, 0, 1, frames, 4);
    find(false);
    cr_assert_eq(open.count, 1);
    cr_assert_eq(open.end_tick, 2500);
    cr_assert_eq(of(a)->raw, 1500);
    /* b entered with 40 accumulated, and added 5 at its exit */
    cr_assert_eq(of(a)->compensated, FIXED(1500 - (40 + 5 - 1)));
    cr_assert(of(a)->counted);
}

Test(open_activations, include_all_up_to_the_top)
{
    struct pcomp_frame frames[3] = {{.node = w.root[0], .start = 100},
                                    {.node = a, .start = 1000},
                                    {.node = b, .start = 2000, .end = 1900, .overhead = FIXED(40)}};
    profile_writer_stack(&w, 0, 0, 1, frames, 3);
    find(false);
    cr_assert_eq(open.count, 2);
    cr_assert_eq(of(a)->raw, 1000);
    cr_assert_eq(of(a)->compensated, FIXED(1000 - 40));
    cr_assert_eq(of(b)->raw, 0);
}

Test(open_activations, pass_over_frames_that_are_not_measured)
{
    struct pcomp_frame frames[4] = {{.node = w.root[0], .start = 100},
                                    {.node = a, .start = 1000},
                                    {.node = a, .start = 2000, .end = UINT64_MAX, .overhead = INT64_MAX},
                                    {.node = b, .start = 1500, .overhead = FIXED(7)}};
    profile_writer_stack(&w, 0, 0, 1, frames, 4);
    find(false);
    cr_assert_eq(open.count, 2);
    cr_assert_eq(of(a)->raw, 1000);
    cr_assert_eq(of(a)->compensated, FIXED(1000 - 7));
}

Test(open_activations, of_an_idle_thread_last_as_long_as_the_process)
{
    struct pcomp_frame idle[2] = {{.node = w.root[0], .start = 100}, {.node = a, .start = 1000}};
    profile_writer_stack(&w, 0, 0, 1, idle, 2);
    profile_writer_thread(&w, 4243, "busy", 0);
    uint64_t other = profile_writer_node(&w, 1, w.root[1], f, (struct writer_counts){0});
    struct pcomp_frame busy[3] = {
        {.node = w.root[1], .start = 100}, {.node = other, .start = 1000}, {.node = other, .start = 8000, .end = 8888}};
    profile_writer_stack(&w, 1, 0, 1, busy, 3);
    find(false);
    cr_assert_eq(of(a)->raw, 7888);
    cr_assert_eq(of(other)->raw, 7888);
}

Test(open_activations, of_an_ended_thread_end_with_it)
{
    struct pcomp_frame frames[2] = {{.node = w.root[0], .start = 100}, {.node = a, .start = 1000}};
    profile_writer_stack(&w, 0, 0, 1, frames, 2);
    ((struct pcomp_thread *)profile_writer_at(&w, w.record[0]))->end_tick = 5000;
    find(false);
    cr_assert_eq(of(a)->raw, 4000);
}

Test(open_activations, of_a_closed_process_end_at_its_exit)
{
    struct pcomp_frame frames[2] = {{.node = w.root[0], .start = 100}, {.node = a, .start = 1000}};
    profile_writer_stack(&w, 0, 0, 1, frames, 2);
    profile_writer_header(&w)->end_tick = 6000;
    find(false);
    cr_assert_eq(of(a)->raw, 5000);
}

Test(open_activations, below_a_signal_handler_run_on_and_a_resting_coroutine_does_not)
{
    uint64_t handler = profile_writer_node(&w, 0, b, f, (struct writer_counts){0});
    uint64_t coroutine = profile_writer_node(&w, 0, w.root[0], g, (struct writer_counts){0});
    struct pcomp_frame own[3] = {
        {.node = w.root[0], .start = 100}, {.node = a, .start = 1000}, {.node = b, .start = 2000}};
    struct pcomp_frame resting[2] = {{.node = w.root[0], .start = 100}, {.node = coroutine, .start = 1700}};
    struct pcomp_frame signal[3] = {
        {.node = b, .start = 2900}, {.node = handler, .start = 3000}, {.start = 3500, .end = 4000}};
    profile_writer_stack(&w, 0, 0, 1, own, 3);
    profile_writer_stack(&w, 0, 1, 1, resting, 2);
    profile_writer_stack(&w, 0, 2, 1, signal, 3);
    find(false);
    cr_assert_eq(of(handler)->raw, 1000);
    cr_assert_eq(of(b)->raw, 2000);
    cr_assert_eq(of(a)->raw, 3000);
    cr_assert_eq(of(coroutine)->raw, 0);
}

Test(open_activations, inherited_through_fork_have_time_but_no_count)
{
    struct pcomp_thread *t = profile_writer_at(&w, w.record[0]);
    t->flags |= PCOMP_THREAD_INHERITED;
    struct pcomp_frame frames[4] = {{.node = w.root[0], .start = 900},
                                    {.node = a, .start = t->start_tick},
                                    {.node = b, .start = 2000},
                                    {.node = b, .start = 2100, .end = 2200}};
    profile_writer_stack(&w, 0, 0, 1, frames, 4);
    find(false);
    cr_assert_not(of(a)->counted);
    cr_assert_eq(of(a)->raw, 1200);
    cr_assert(of(b)->counted);
}

Test(open_activations, of_a_running_process_last_until_now)
{
    struct pcomp_frame frames[2] = {{.node = w.root[0], .start = 100}, {.node = a, .start = 1000}};
    profile_writer_stack(&w, 0, 0, 1, frames, 2);
    profile_writer_finish(&w);
    file = profile_file_from_memory("FILE", w.data, w.size, false, error, sizeof error);
    file->read_mono = file->header.mono0_ns + 123456789; /* as after copying a live file */
    cr_assert(open_activations_find(file, true, &open));
    cr_assert_eq(of(a)->raw, file->header.tick0 + 123456789 - 1000);
}

Test(open_activations, are_in_the_tree_and_in_its_counts)
{
    struct pcomp_frame frames[4] = {{.node = w.root[0], .start = 100},
                                    {.node = a, .start = 1000},
                                    {.node = b, .start = 2000, .overhead = FIXED(15)},
                                    {.node = b, .start = 2100, .end = 2200, .overhead = FIXED(15)}};
    profile_writer_stack(&w, 0, 0, 1, frames, 4);
    profile_writer_finish(&w);
    struct call_tree_options options = {.rank = -1, .model = -1};
    struct call_tree *tree = call_tree_from_memory(w.data, w.size, &options, error, sizeof error);
    cr_assert_not_null(tree, "%s", error);
    cr_assert_eq(tree->total.calls, 5);
    cr_assert_float_eq(tree->total.raw, 1200, 1e-6);
    cr_assert_float_eq(tree->total.compensated, 1200 - 20, 1e-6);
    for (size_t i = 0; i < tree->function_count; i++)
        if (!strcmp(tree->functions[i].name, "b")) {
            cr_assert_eq(tree->functions[i].calls, 4);
            cr_assert_eq(tree->functions[i].open, 1);
            cr_assert_float_eq(tree->functions[i].inclusive.raw, 230, 1e-6);
        }
    cr_assert(tree->processes[0].killed);
    call_tree_free(tree);
}

static struct pcomp_frame_more *more_of(size_t stack, uint32_t frame)
{
    const struct pcomp_header *h = profile_writer_header(&w);
    return (struct pcomp_frame_more *)(w.data + stack + h->chunk_header_size + h->stack_size +
                                       (size_t)frame * h->frame_size + sizeof(struct pcomp_frame));
}

Test(folded_open_activations, have_exclusive_times_and_count_nested_time_once, .fini = end)
{
    begin_with(PCOMP_FLAG_FOLD_RECURSION);
    struct pcomp_frame frames[5] = {{.node = w.root[0], .start = 100},
                                    {.node = a, .start = 1000},
                                    {.node = b, .start = 2000, .overhead = FIXED(10)},
                                    {.node = a, .start = 3000, .overhead = FIXED(20)},
                                    {.node = b, .start = 4000, .end = 5000, .overhead = FIXED(35)}};
    size_t stack = profile_writer_stack(&w, 0, 0, 1, frames, 5);
    more_of(stack, 1)->child_raw = 300;
    more_of(stack, 1)->child_compensated = FIXED(280);
    more_of(stack, 3)->child_raw = 1000;
    more_of(stack, 3)->child_compensated = FIXED(998);
    find(false);
    cr_assert_eq(open.count, 3);
    cr_assert_eq(open.items[0].raw, 4000);
    cr_assert_eq(open.items[0].raw_exclusive, 4000 - 300 - 3000);
    cr_assert_eq(open.items[0].compensated_exclusive, FIXED(4000 - 40 - 280 - (3000 - 30)));
    cr_assert_eq(open.items[1].raw_exclusive, 1000);
    cr_assert_not(open.items[1].nested);
    cr_assert(open.items[2].nested);
    cr_assert_eq(open.items[2].raw_exclusive, 2000 - 1000);
}
