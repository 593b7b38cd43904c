/* The share of the program's own time that its sites take as no-ops, from a profile. */
#include "compensation/estimate/site_price.h"
#include "compensation/estimate/window_calls.h"
#include "compensation/numeric/t_quantile.h"
#include "reporters/profile/profile_sites.h"
#include "tests/support/profile_writer.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MAIN = PCOMP_FUNCTION_FIRST, HOT, FUNCTIONS };

#define OWN   0.1 /* seconds */
#define CALLS 10000000.0

static struct profile_writer w;

/* HOT fell and has CALLS calls; MAIN has more and is timed. Calls counted in place cost 1 ns. */
static void init(void)
{
    const uint64_t counters[FUNCTIONS] = {0, 0, 2 * (uint64_t)CALLS, (uint64_t)CALLS};
    profile_writer_init(&w, PCOMP_FLAG_COUNTS, 0);
    profile_writer_function(&w, UINT32_MAX, 0x1000, "main");
    profile_writer_function(&w, UINT32_MAX, 0x2000, "hot");
    profile_writer_function_at(&w, HOT)->flags |= PCOMP_FUNCTION_COUNTED;
    profile_writer_thread(&w, 1, "main", PCOMP_THREAD_MAIN);
    profile_writer_counters(&w, PCOMP_COUNTS_THREAD, counters, FUNCTIONS);
    profile_writer_header(&w)->count_cost = 1 << PCOMP_FIX_SHIFT;
    profile_writer_header(&w)->own_seconds = OWN;
    profile_writer_header(&w)->site_enters = 4;
}

static void fini(void)
{
    profile_writer_free(&w);
}

TestSuite(profile_sites, .init = init, .fini = fini);

static struct profile_site_cost cost(void)
{
    char error[512];
    profile_writer_finish(&w);
    struct profile_file *f = profile_file_from_memory("p", w.data, w.size, false, error, sizeof error);
    cr_assert_not_null(f, "%s", error);
    struct profile_site_cost found = profile_site_cost(f);
    profile_file_close(f);
    return found;
}

Test(profile_sites, cost_a_part_of_what_counting_costs)
{
    struct profile_site_cost c = cost();
    cr_expect_float_eq(c.call, pcomp_site_price(false, CALLS, OWN * 1e9, 1).price, 1e-9, "of functions that fell");
    cr_expect_float_eq(c.call_deviation, hypot(0.5, PCOMP_SITE_HOOK_ERROR) / PCOMP_NORMAL_95, 1e-9,
                       "with the kernel's");
    cr_expect_eq(c.share, 0, "all calls are counted");
}

Test(profile_sites, are_cheaper_where_they_are_sleds)
{
    profile_writer_header(&w)->site_sleds = 4;
    cr_expect_float_eq(cost().call, PCOMP_SITE_SLED, 1e-9);
}

Test(profile_sites, cost_a_part_of_the_price_that_the_run_measured)
{
    profile_writer_header(&w)->site_sleds = 4;
    profile_writer_header(&w)->count_price = 1.3e-9;
    profile_writer_header(&w)->count_price_error = 0.26e-9;
    struct profile_site_cost c = cost();
    cr_expect_float_eq(c.call, 1.3 * PCOMP_SITE_SLED, 1e-9);
    cr_expect_float_eq(c.call_deviation, hypot(PCOMP_NORMAL_95 * 0.2, PCOMP_SITE_SLED_ERROR) / PCOMP_NORMAL_95, 1e-9);
}

Test(profile_sites, cost_no_part_of_what_counters_wait_for)
{
    profile_writer_header(&w)->site_sleds = 4;
    profile_writer_header(&w)->count_price = 3e-9;
    cr_expect_float_eq(cost().call, PCOMP_SITE_KERNEL_MAX * PCOMP_SITE_SLED, 1e-9);
}

/* Half of the calls of HOT were counted; windows tell that there are as many more again, about. */
Test(profile_sites, of_calls_between_windows_take_a_share_of_the_time_with_the_error_of_their_number)
{
    struct pcomp_sampled_calls sampled = {.function = HOT, .sampled = 1, .exact = (uint64_t)CALLS / 2};
    pcomp_window_calls_begin(&sampled.sums, 1e8);
    for (int i = 0; i < 5; i++)
        pcomp_window_calls_add(&sampled.sums, i % 2 ? 0 : 5e6, 1e-3, 0, 1e-3, 0.5);
    pcomp_window_calls_end(&sampled.sums, 1e-3);
    profile_writer_function_at(&w, HOT)->flags |= PCOMP_FUNCTION_SAMPLED;
    profile_writer_windows(&w, &sampled, 1);
    struct pcomp_window_estimate e =
        pcomp_window_calls_estimate(&sampled.sums, 0, (struct pcomp_window_overhead){1, PCOMP_WINDOW_PRICE});
    struct profile_site_cost c = cost();
    double all = CALLS / 2 + e.calls, price = pcomp_site_price(false, all, OWN * 1e9, 1).price;
    cr_assert_gt(all, 1.1 * CALLS);
    cr_expect_float_eq(c.call, price, 1e-6);
    cr_expect_float_eq(c.share, (all - CALLS) * price * 1e-9 / OWN, 1e-6);
    cr_expect_gt(c.share_deviation, 1.1 * c.call_deviation);
    cr_expect_leq(c.share_deviation, hypot(0.5, PCOMP_SITE_HOOK_ERROR + 1) / PCOMP_NORMAL_95 + 1e-9);
}

Test(profile_sites, have_no_cost_where_nothing_or_nonsense_is_known)
{
    static const double nonsense[] = {0, -1, 1e-9, 1e300, NAN, INFINITY};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        profile_writer_header(&w)->own_seconds = nonsense[i];
        struct profile_site_cost c = cost();
        cr_expect(c.call >= 0 && c.call < 1 && c.share >= 0 && c.share < 1, "%g: %g", nonsense[i], c.share);
    }
    profile_writer_header(&w)->own_seconds = OWN;
    profile_writer_header(&w)->site_enters = 0;
    cr_expect_eq(cost().call, 0, "no sites");
}
