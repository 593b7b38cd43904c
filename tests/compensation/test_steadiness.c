/* By how much runs differ, from times of the same work in one run. */
#include "compensation/estimate/steadiness.h"

#include <criterion/criterion.h>

#define VALUES 3000

Test(steadiness, of_few_values_is_not_known)
{
    struct pcomp_steadiness s = {0};
    for (int i = 0; i < PCOMP_STEADY_VALUES - 1; i++)
        pcomp_steadiness_add(&s, 1 + i);
    pcomp_steadiness_add(&s, 0);
    cr_assert_eq(pcomp_steadiness_lost(&s), 0, "values that are none are left out");
    pcomp_steadiness_add(&s, 3);
    cr_assert_gt(pcomp_steadiness_lost(&s), 0);
}

Test(steadiness, what_is_lost_is_what_the_best_speed_would_save)
{
    struct pcomp_steadiness s = {0};
    for (int i = 0; i < 8; i++)
        pcomp_steadiness_add(&s, 6);
    cr_assert_eq(pcomp_steadiness_lost(&s), 0, "alike, none");
    for (int i = 0; i < 24; i++)
        pcomp_steadiness_add(&s, i % 4 ? 6 : 4);
    cr_assert_float_eq(pcomp_steadiness_lost(&s), 1 - 32 * 4 / (26 * 6 + 6 * 4.0), 1e-12);
}

/* A machine that is half as fast in a part of the run, however long that lasts at a time. */
Test(steadiness, what_is_lost_does_not_depend_on_how_speeds_alternate)
{
    static const int lengths[] = {1, 10, 100, VALUES / 2};
    for (int k = 0; k < 4; k++) {
        struct pcomp_steadiness s = {0};
        for (int i = 0; i < VALUES; i++)
            pcomp_steadiness_add(&s, i / lengths[k] % 2 ? 2 : 1);
        cr_assert_float_eq(pcomp_steadiness_lost(&s), 1 - 1 / 1.5, 1e-9, "%d", lengths[k]);
    }
}
