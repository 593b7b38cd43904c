/* Times from sampled stacks: shares of timed nodes, sums that hold, and costs. */
#include "compensation/estimate/site_price.h"
#include "compensation/numeric/t_quantile.h"
#include "tests/support/sampled_program.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(stack_times, .init = sampled_program_begin, .fini = sampled_program_end);

Test(stack_times, are_the_shares_of_what_a_timed_node_took_itself)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 50), frame(F, 0, 1, 30), frame(G, 0, 2, 20),
                                               frame(INNER, inner_node, 1, 7)};
    profile_writer_stacks(&w, 0, frames, 4);
    count(1000, 500);
    load();
    assert_times("timed_main", 40, 100);
    assert_times("counted_f", 24, 40);
    assert_times("counted_g", 16, 16);
    assert_times("timed_inner", 20, 20);
    assert_conserved();
    assert_near(tree->total.compensated, 100 * MS, "total");
    cr_assert_eq(tree->how.stack_samples, 107);
    cr_assert_eq(find("counted_f")->calls, 1000);
    cr_assert(find("counted_f")->exact && !find("counted_f")->counted);
    cr_assert_eq(find("counted_f")->level, LEVEL_COUNTED);
    cr_assert_eq(find("timed_main")->level, LEVEL_TIMED);
    /* of 100 samples, 30 % +- 9 points */
    cr_assert_float_eq(find("counted_f")->exclusive.uncertainty, 80 * MS * PCOMP_NORMAL_95 * sqrt(0.3 * 0.7 / 100),
                       0.5 * MS);
}

Test(stack_times, of_recursion_count_once_in_what_they_contain)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 40), frame(F, 0, 1, 10), frame(F, 0, 2, 10),
                                               frame(G, 0, 3, 10), frame(F, 0, 4, 10)};
    profile_writer_stacks(&w, 0, frames, 5);
    count(1000, 500);
    load();
    assert_times("timed_main", 40, 100);
    assert_times("counted_f", 30, 40);
    assert_times("counted_g", 10, 20);
    assert_conserved();
}

/* counted_f calls timed_inner, in which counted_g is found. */
Test(stack_times, contain_what_timed_functions_do_that_they_call)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 60), frame(F, 0, 1, 20),
                                               frame(INNER, inner_node, 2, 3), frame(G, 0, 3, 1)};
    profile_writer_stacks(&w, 0, frames, 4);
    count(0, 1000000);
    load();
    assert_times("timed_main", 60, 100);
    assert_times("counted_f", 20, 40);
    assert_times("timed_inner", 15, 20);
    assert_times("counted_g", 5, 5);
    assert_conserved();
    profile_writer_header(&w)->count_cost = 2 << PCOMP_FIX_SHIFT; /* ns: calls of counted_g cost 2 ms */
    load();
    assert_near(find("timed_inner")->inclusive.compensated, 18 * MS, "inner");
    assert_near(find("counted_f")->inclusive.compensated, 38 * MS, "f");
    assert_near(find("counted_f")->inclusive.raw, 40 * MS, "raw of f");
    assert_conserved();
}

/* counted_f was timed for a millisecond before its level fell: what its activations called then has part of that
 * millisecond, and nothing of what samples found later. */
Test(stack_times, of_a_node_share_out_what_was_clocked_there)
{
    uint64_t f_node = profile_writer_node(&w, 0, main_node, F, sampled_program_timed(10, 1));
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 49), frame(F, f_node, 1, 0), frame(G, 0, 2, 1),
                                               frame(F, 0, 1, 30)};
    profile_writer_stacks(&w, 0, frames, 4);
    count(1000, 500);
    load();
    assert_times("timed_main", 49, 100);
    assert_times("counted_f", 30, 31);
    assert_times("counted_g", 1, 1);
    assert_conserved();
}

Test(stack_times, leave_waiting_where_it_was)
{
    *profile_writer_off_cpu(&w, main_node) = (struct pcomp_node_off_cpu){30 * 1000000, 10 * 1000000};
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 50), frame(F, 0, 1, 50)};
    profile_writer_stacks(&w, 0, frames, 2);
    count(1000, 0);
    load();
    assert_times("timed_main", 60, 100);
    assert_times("counted_f", 20, 20);
    assert_near(find("timed_main")->exclusive.waiting, 30 * MS, "waiting");
    assert_near(find("timed_main")->exclusive.ready, 10 * MS, "ready");
    assert_near(find("counted_f")->exclusive.waiting, 0, "waiting of f");
    assert_conserved();
}

Test(stack_times, lose_what_counting_and_sampling_cost)
{
    struct pcomp_header *h = profile_writer_header(&w);
    const struct pcomp_stack_frame frames[] = {
        frame(MAIN, main_node, 0, 60), frame(F, 0, 1, 20), {.pc = 0x1234, .hits = 1, .weight = 1}}; /* nobody's */
    h->count_cost = 2 << PCOMP_FIX_SHIFT;                                                           /* ns */
    profile_writer_stacks(&w, 0, frames, 3);
    h = profile_writer_header(&w);
    h->sample_ticks = h->samples * 3000;
    h->sample_delivery = 2000 << PCOMP_FIX_SHIFT;
    count(1000000, 0);
    load();
    double signals = 80 * 5e-3, calls = 2; /* ms */
    assert_near(find("counted_f")->exclusive.raw, 20 * MS, "raw of f");
    assert_near(find("counted_f")->exclusive.compensated, (20 - calls - 20 * 5e-3) * MS, "f");
    assert_near(find("timed_main")->exclusive.compensated, (60 - 60 * 5e-3) * MS, "main");
    assert_near(find("timed_main")->inclusive.compensated, (100 - calls - signals) * MS, "main");
    cr_assert_eq(find("[counting in place]")->exclusive.compensated, 0, "it is not unknown whose cost that is");
    cr_assert_eq(find("[counting in place]")->exclusive.uncertainty, 0);
    assert_near(tree->total.compensated, (100 - calls - signals) * MS, "total");
    assert_conserved();
    options.model = PCOMP_MODEL_NONE;
    load();
    assert_times("counted_f", 20, 20);
    assert_conserved();
}

/* 10 million calls of counted_g cost 20 ms, and one sample in a hundred found it. */
Test(stack_times, are_never_below_zero)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 49), frame(F, 0, 1, 30), frame(G, 0, 2, 1)};
    profile_writer_header(&w)->count_cost = 2 << PCOMP_FIX_SHIFT; /* ns */
    profile_writer_stacks(&w, 0, frames, 3);
    count(0, 10000000);
    load();
    assert_near(find("counted_g")->exclusive.raw, 1 * MS, "raw of g");
    assert_near(find("counted_g")->exclusive.compensated, 0, "g");
    assert_near(find("counted_g")->inclusive.compensated, 0, "all of g");
    assert_near(find("counted_f")->exclusive.compensated, (30 - 19) * MS, "f lacks what g had not");
    assert_near(find("counted_f")->inclusive.compensated, (30 - 19) * MS, "all of f");
    assert_near(find("timed_main")->exclusive.compensated, 49 * MS, "main");
    assert_near(find("timed_main")->inclusive.compensated, 80 * MS, "all of main");
    assert_conserved();
    count(0, 10000000); /* as many again */
    load();
    assert_near(find("counted_f")->inclusive.compensated, 0, "f and g");
    assert_near(find("timed_main")->exclusive.compensated, (49 - 9) * MS, "main lacks what both had not");
    assert_near(find("timed_main")->inclusive.compensated, 60 * MS, "all of main");
    assert_conserved();
}

Test(stack_times, allow_for_an_unsteady_machine_and_for_exceptions)
{
    count(1000, 500);
    load();
    double before = find("timed_main")->inclusive.uncertainty, layout = PCOMP_SITE_LAYOUT * 100 * MS;
    assert_near(tree->total.uncertainty, hypot(before, layout), "sites move code");
    size_t warnings = tree->warning_count;
    profile_writer_header(&w)->speed_lost = 0.04;
    load();
    double unsteady = hypot(before, 0.04 * 100 * MS);
    assert_near(tree->total.uncertainty, hypot(unsteady, layout), "total");
    assert_near(find("timed_main")->inclusive.uncertainty, unsteady, "main");
    cr_assert_eq(tree->warning_count, warnings, "calm machines get none");
    profile_writer_header(&w)->speed_lost = 0.25;
    load();
    cr_assert_eq(tree->warning_count, warnings + 1, "slow machines get a note");
    assert_near(find("timed_main")->inclusive.uncertainty, hypot(before, 25 * MS), "faster for moments");
    profile_writer_header(&w)->speed_lost = 0.04;
    profile_writer_header(&w)->catches = 1000;
    load();
    assert_near(tree->total.uncertainty, hypot(hypot(unsteady, layout), 5 * MS), "with exceptions");
    profile_writer_header(&w)->site_sleds = 1;
    load();
    assert_near(find("timed_main")->inclusive.uncertainty, unsteady, "sleds have no clean-up");
    assert_near(tree->total.uncertainty, hypot(unsteady, PCOMP_SITE_LAYOUT_SLEDS * 100 * MS), "total of sleds");
}

Test(stack_times, outside_of_timed_functions_are_periods)
{
    profile_writer_thread(&w, 2, "worker", 0);
    const struct pcomp_stack_frame frames[] = {
        frame(F, 0, 0, 5), frame(G, 0, 1, 3), {.pc = 0x1234, .hits = 1, .weight = 2}};
    profile_writer_stacks(&w, 1, frames, 3);
    count(1000, 500);
    load();
    assert_times("counted_f", 5, 8);
    assert_times("counted_g", 3, 3);
    assert_near(tree->nodes[0].inclusive.compensated, 108 * MS, "root, without what is in no function");
    assert_near(tree->threads[1].compensated, 8 * MS, "thread");
    assert_conserved();
}

Test(stack_times, of_several_chunks_have_numbers_through_all_of_them)
{
    const struct pcomp_stack_frame first[] = {frame(MAIN, main_node, 0, 40), frame(F, 0, 1, 0)},
                                   others[] = {frame(F, 0, 0, 5)}, second[] = {frame(G, 0, 2, 40)};
    profile_writer_thread(&w, 2, "worker", 0);
    profile_writer_stacks(&w, 0, first, 2);
    profile_writer_stacks(&w, 1, others, 1);
    profile_writer_stacks(&w, 0, second, 1);
    count(1000, 500);
    load();
    assert_times("timed_main", 40, 100);
    assert_times("counted_f", 5, 45);
    assert_times("counted_g", 40, 40);
}

Test(stack_times, of_the_library_are_nobodys)
{
    const struct pcomp_stack_frame frames[] = {
        frame(MAIN, main_node, 0, 50),
        frame(F, 0, 1, 50),
        {.pc = PCOMP_STACK_LIBRARY, .hits = 900, .weight = 900},
        {.pc = PCOMP_STACK_UNKNOWN, .node = inner_node},
        {.pc = sampled_program_address(G) + 2, .parent = 4, .hits = 5, .weight = 5}};
    profile_writer_stacks(&w, 0, frames, 5);
    count(1000, 500);
    load();
    assert_times("timed_main", 40, 100);
    assert_times("counted_f", 40, 40);
    assert_times("counted_g", 20, 20);
    assert_times("timed_inner", 0, 20);
    assert_conserved();
}

/* Whatever a damaged file says: times are numbers, and sums hold. */
Test(stack_times, of_damaged_frames_do_no_harm)
{
    const uint64_t nodes[] = {1, 8, WRITER_BASE, WRITER_BASE + 8, main_node + 1, w.root[0], UINT64_MAX, UINT64_MAX - 7};
    struct pcomp_stack_frame frames[40];
    uint32_t n = 0;
    frames[n++] = frame(MAIN, main_node, 0, 40);
    frames[n++] = frame(F, 0, 1, 40);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        frames[n++] = frame(G, nodes[i], 2, 1);
    for (uint32_t i = 0; i < 4; i++, n++)
        frames[n] = frame(F, 0, n + 1 + i, 1); /* its own number, or one behind */
    frames[n++] = frame(F, 0, UINT32_MAX, 1);
    frames[n] = frame(F, 0, 2, 1);
    frames[n++].hits = UINT32_MAX;
    frames[n] = frame(G, 0, 2, 1);
    frames[n++].pc = UINT64_MAX;
    frames[n] = frame(G, 0, 2, 1);
    frames[n++].pc = 2;
    profile_writer_stacks(&w, 0, frames, n);
    count(1000, 500);
    load();
    for (size_t i = 0; i < tree->node_count; i++)
        cr_assert(isfinite(tree->nodes[i].inclusive.compensated) && isfinite(tree->nodes[i].exclusive.uncertainty));
    cr_assert_geq(find("counted_f")->exclusive.raw, 30 * MS);
    cr_assert_leq(find("counted_f")->inclusive.raw, 110 * MS);
    double paths = 0;
    for (size_t i = 1; i < tree->node_count; i++)
        paths += tree->nodes[i].exclusive.compensated;
    cr_assert_leq(paths, tree->total_all_threads.compensated + 1);
}

Test(stack_times, lose_what_sites_cost_as_no_ops)
{
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 60), frame(F, 0, 1, 40)};
    profile_writer_stacks(&w, 0, frames, 2);
    struct pcomp_header *h = profile_writer_header(&w);
    h->site_enters = 4;
    h->end_tick = 1000 + (uint64_t)(100 * MS); /* the thread began at 1000 */
    h->count_cost = 1 << PCOMP_FIX_SHIFT;      /* ns */
    count(10000000, 0);
    load();
    double hooks = tree->counting.sites, seldom = PCOMP_SITE_HOOK * 10 * MS;
    assert_near(hooks, seldom / (1 + seldom / (90 * MS)), "sites of 10 M calls, of 1 ns each to count");
    assert_near(tree->counting.sites_uncertainty, hooks * hypot(PCOMP_SITE_HOOK_ERROR, 0.5), "of the price, too");
    cr_assert(tree->counting.hook_sites);
    assert_near(tree->total.compensated, 90 * MS - hooks, "total");
    assert_conserved();
}
