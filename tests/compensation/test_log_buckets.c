/* Buckets of times: every time has one, they ascend, and none is wider than it says. */
#include "compensation/numeric/log_buckets.h"
#include "tests/compensation/prng.h"

#include <criterion/criterion.h>

#define TICKS(n) ((int64_t)(n) * (1 << PCOMP_FIX_SHIFT))

/* Of all sizes and both signs. */
static int64_t any_time(uint64_t *random)
{
    uint64_t bits = prng_below(random, 63);
    int64_t time = (int64_t)(prng_next(random) >> (63 - bits) >> 1);
    return prng_below(random, 4) ? time : -time;
}

Test(log_buckets, hold_the_times_they_are_found_by)
{
    uint64_t random = 7;
    for (int i = 0; i < 1000000; i++) {
        int64_t time = any_time(&random);
        uint32_t bucket = pcomp_bucket(time);
        cr_assert(bucket >= PCOMP_BUCKET_FIRST && bucket < PCOMP_BUCKETS, "%ld: %u", time, bucket);
        uint64_t inside = (uint64_t)time - (uint64_t)pcomp_bucket_min(bucket);
        cr_assert(inside < pcomp_bucket_width(bucket) || time < pcomp_bucket_min(PCOMP_BUCKET_FIRST) + 8, "%ld: %u",
                  time, bucket);
    }
}

Test(log_buckets, are_an_eighth_wide_at_most)
{
    uint64_t random = 8;
    for (int i = 0; i < 1000000; i++) {
        int64_t time = any_time(&random);
        if (time < 0)
            continue;
        uint64_t max = ((uint64_t)time + (uint64_t)PCOMP_BUCKET_BIAS) / 8;
        cr_assert_leq(pcomp_bucket_width(pcomp_bucket(time)), max, "%ld", time);
    }
}

Test(log_buckets, ascend_with_times_in_the_order_of_places)
{
    uint64_t random = 9;
    for (int i = 0; i < 1000000; i++) {
        int64_t a = any_time(&random), b = any_time(&random);
        uint32_t first = pcomp_bucket_place(pcomp_bucket(a)), second = pcomp_bucket_place(pcomp_bucket(b));
        cr_assert(a <= b ? first <= second : first >= second, "%ld %u, %ld %u", a, first, b, second);
    }
}

Test(log_buckets, have_a_place_each)
{
    for (uint32_t place = 0; place < PCOMP_BUCKETS; place++)
        cr_assert_eq(pcomp_bucket_place(pcomp_bucket_at(place)), place);
    for (uint32_t bucket = PCOMP_BUCKET_FIRST + 1; bucket < PCOMP_BUCKET_BELOW; bucket++)
        cr_assert_eq(pcomp_bucket_min(bucket), pcomp_bucket_min(bucket - 1) + (int64_t)pcomp_bucket_width(bucket - 1));
}

Test(log_buckets, are_those_that_the_manual_page_tells)
{
    cr_assert_eq(pcomp_bucket(0), 96);
    cr_assert_eq(pcomp_bucket(TICKS(2) - 1), 96);
    cr_assert_eq(pcomp_bucket(TICKS(2)), 97);
    cr_assert_eq(pcomp_bucket(TICKS(-16)), PCOMP_BUCKET_FIRST);
    cr_assert_eq(pcomp_bucket(TICKS(-17)), 495);
    cr_assert_eq(pcomp_bucket(INT64_MIN), 488);
}
