/* Calls of sampled functions: what windows tell, in a tree of the profile. */
#include "compensation/estimate/window_calls.h"
#include "compensation/numeric/t_quantile.h"
#include "tests/support/sampled_program.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(sampled_calls, .init = sampled_program_begin, .fini = sampled_program_end);

/* Ten windows of 1 ms in 100 ms, with a thousand calls or so in each. */
static struct pcomp_sampled_calls windows_of(uint32_t function, double scatter)
{
    struct pcomp_sampled_calls r = {.function = function, .sampled = 1, .exact = 5000};
    pcomp_window_calls_begin(&r.sums, 1e6);
    for (int k = 0; k < 10; k++)
        pcomp_window_calls_add(&r.sums, 1000 + (k % 2 ? scatter : -scatter), 1e-3, 0, 9e-3, 0.5);
    pcomp_window_calls_end(&r.sums, 0);
    return r;
}

static void load_windows(const struct pcomp_sampled_calls *records, uint32_t n)
{
    profile_writer_function_at(&w, F)->flags = PCOMP_FUNCTION_COUNTED | PCOMP_FUNCTION_SAMPLED;
    profile_writer_windows(&w, records, n);
    const struct pcomp_stack_frame frames[] = {frame(MAIN, main_node, 0, 50), frame(F, 0, 1, 50)};
    profile_writer_stacks(&w, 0, frames, 2);
    count(15000, 500);
    load();
}

Test(sampled_calls, go_with_calls_that_windows_tell)
{
    const struct pcomp_sampled_calls r = windows_of(F, 100);
    load_windows(&r, 1);
    struct pcomp_window_estimate e = pcomp_window_calls_estimate(&r.sums, 0, (struct pcomp_window_overhead){1, 0.25});
    const struct tree_function *f = find("counted_f");
    cr_assert_eq(f->level, LEVEL_SAMPLED);
    cr_assert_not(f->exact);
    cr_assert_float_eq((double)f->calls, 105000, 2000);
    cr_assert_float_eq((double)f->calls, 5000 + e.calls, 1);
    cr_assert_float_eq(f->calls_deviation * PCOMP_NORMAL_95, e.half, 1);
    cr_assert_gt(f->calls_deviation, 0);
    assert_times("counted_f", 40, 40);
    cr_assert(find("counted_g")->exact);
    cr_assert_eq(find("counted_g")->calls, 500);
    cr_assert_eq(tree->counting.sampled, 1);
    cr_assert_float_eq(tree->total_all_threads.calls_half, e.half, 1);
    assert_conserved();
}

/* One price of probes, the same windows: a sum of halves, not of squares. */
Test(sampled_calls, calls_of_two_sampled_functions_err_together)
{
    struct pcomp_sampled_calls two[] = {windows_of(F, 100), windows_of(G, 50)};
    two[1].exact = 100; /* of 500 that its counter has */
    profile_writer_function_at(&w, G)->flags = PCOMP_FUNCTION_COUNTED | PCOMP_FUNCTION_SAMPLED;
    load_windows(two, 2);
    double halves = (find("counted_f")->calls_deviation + find("counted_g")->calls_deviation) * PCOMP_NORMAL_95;
    cr_assert_gt(find("counted_g")->calls_deviation, 0);
    cr_assert_float_eq(tree->total_all_threads.calls_half, halves, 1);
}

/* Overhead in windows was half of what they took it for: the program came further in them, and calls are fewer. */
Test(sampled_calls, go_with_calls_that_a_reference_corrects)
{
    struct pcomp_sampled_calls r = windows_of(F, 100);
    r.sums.slope = r.sums.beside; /* as much overhead in windows as progress */
    struct pcomp_header *h = profile_writer_header(&w);
    h->window_factor = 0.5;
    h->window_factor_error = 0.02;
    load_windows(&r, 1);
    struct pcomp_window_estimate e = pcomp_window_calls_estimate(&r.sums, 0, (struct pcomp_window_overhead){0.5, 0.02});
    cr_assert_float_eq((double)find("counted_f")->calls, 5000 + e.calls, 1);
    cr_assert_float_eq(e.calls, r.sums.seen + r.sums.beside / 1.5, 1);
}

/* It returned: what its counter has since then is exact, too. */
Test(sampled_calls, go_with_calls_of_a_function_that_is_sampled_no_more)
{
    struct pcomp_sampled_calls r = windows_of(F, 0);
    r.sampled = 0;
    r.exact = (uint64_t)-10000; /* of 15000, all but those in windows */
    load_windows(&r, 1);
    cr_assert_float_eq((double)find("counted_f")->calls, 105000, 1);
}

Test(sampled_calls, take_no_damaged_windows)
{
    struct pcomp_sampled_calls r[6];
    for (int i = 0; i < 6; i++)
        r[i] = windows_of(F, 0);
    r[0].function = 1000;
    r[1].exact = 15001; /* more than were counted */
    r[2].sums.beside = NAN;
    r[3].sums.seen = -INFINITY;
    r[4].sums.variation = r[4].sums.slope = NAN;
    r[5].sampled = 0;
    r[5].exact = 1;
    load_windows(r, 6);
    const struct tree_function *f = find("counted_f");
    cr_assert(isfinite(f->calls_deviation));
    cr_assert(f->calls == 15000 || !f->exact, "%lu", f->calls);
    assert_conserved();
    sampled_program_end();
    sampled_program_begin();
    r[0] = windows_of(F, 0);
    r[0].sums.beside = r[0].sums.seen = 1e300;
    load_windows(r, 1);
    cr_assert(isfinite(find("counted_f")->calls_deviation));
    assert_conserved();
}
