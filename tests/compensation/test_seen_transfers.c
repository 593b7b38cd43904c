/* What transfers that were seen say of others. */
#include "compensation/estimate/seen_transfers.h"

#include <criterion/criterion.h>

static struct seen_transfers seen;

static void init(void)
{
    seen = (struct seen_transfers){0};
}

static void add(uint64_t bytes, int64_t time, int times)
{
    while (times-- > 0)
        seen_transfers_add(&seen, bytes, time);
}

TestSuite(seen_transfers, .init = init);

Test(seen_transfers, say_nothing_until_there_are_some)
{
    add(100, 50, SEEN_TRANSFERS_MIN - 1);
    cr_assert_eq(seen_transfers_bound(&seen, 100), INT64_MAX);
    add(100, 50, 1);
    cr_assert_eq(seen_transfers_bound(&seen, 100), 50);
}

Test(seen_transfers, bound_shorter_messages_and_no_longer_ones)
{
    add(320000, 40000, 8);
    cr_assert_eq(seen_transfers_bound(&seen, 1), 40000);
    cr_assert_eq(seen_transfers_bound(&seen, 0), 40000);
    cr_assert_eq(seen_transfers_bound(&seen, 1 << 20), INT64_MAX);
    add(64, 700, 8);
    cr_assert_eq(seen_transfers_bound(&seen, 1), 700);
    cr_assert_eq(seen_transfers_bound(&seen, 65536), 40000);
}

Test(seen_transfers, of_the_same_class_bound_longer_ones_in_proportion)
{
    add(1024, 1000, 8);
    cr_assert_eq(seen_transfers_bound(&seen, 1536), 1500);
    cr_assert_eq(seen_transfers_bound(&seen, 1024), 1000);
}

Test(seen_transfers, are_meant_in_the_mean)
{
    add(8, 100, 8);
    add(8, 300, 8);
    cr_assert_eq(seen_transfers_bound(&seen, 8), 200);
}

Test(seen_transfers, of_nothing_and_of_the_greatest_size_are_bounds_too)
{
    add(0, 20, 8);
    cr_assert_eq(seen_transfers_bound(&seen, 0), 20);
    add(UINT64_MAX, 1 << 30, 8);
    cr_assert_eq(seen_transfers_bound(&seen, UINT64_MAX / 2), 1 << 30);
}

Test(seen_transfers, tell_what_those_like_them_took)
{
    add(100, 50, SEEN_TRANSFERS_MIN - 1);
    cr_assert_eq(seen_transfers_like(&seen, 100), 0);
    add(100, 58, 1);
    cr_assert_eq(seen_transfers_like(&seen, 100), 51);
    cr_assert_eq(seen_transfers_like(&seen, 65), 51);
    cr_assert_eq(seen_transfers_like(&seen, 128), 0, "a class above");
    cr_assert_eq(seen_transfers_like(&seen, 1), 0);
}

Test(seen_transfers, may_be_of_a_damaged_trace)
{
    add(8, INT64_MAX, SEEN_TRANSFERS_MIN);
    cr_assert_eq(seen_transfers_like(&seen, 8), INT64_MAX);
    cr_assert_eq(seen_transfers_bound(&seen, 8), INT64_MAX);
}
