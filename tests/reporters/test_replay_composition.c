/* The composition of T_m - T_a: its parts add up, whoever added them. */
#include "reporters/replay/drive/replay_composition.h"

#include "compensation/numeric/delta.h"

#include <criterion/criterion.h>
#include <string.h>

#define FIXED(ticks) ((int64_t)(ticks) * (1 << PCOMP_FIX_SHIFT))

/* A location that was 1000 ticks long, 1000 - `less` without the measurement, and waited so much less. */
static void add(struct behaviour *behaviours, uint32_t location, int64_t less, int64_t barrier, int64_t lock)
{
    struct path_wait waits[] = {
        {.kind = REPLAY_WAIT_BARRIER, .measured = FIXED(500), .approximated = FIXED(500 - barrier)},
        {.kind = REPLAY_WAIT_LOCK, .measured = FIXED(50), .approximated = FIXED(50 - lock)}};
    struct path_tree tree = {.waits = waits, .wait_count = 2};
    struct replay_location_result result = {.first = 7, .last = 1007, .last_approximated = FIXED(1000 - less)};

    composition_add(behaviours, location, &result, &tree);
}

Test(replay_composition, execution_is_what_no_waiting_explains)
{
    struct behaviour behaviours[BEHAVIOURS] = {{0}};
    int64_t all = 0;

    add(behaviours, 0, 300, 200, 0);
    add(behaviours, 1, 300, -50, 10);
    cr_expect_eq(behaviours[BEHAVIOUR_EXECUTION].all, FIXED(100 + 340));
    cr_expect_eq(behaviours[BEHAVIOUR_EXECUTION].location, 1);
    cr_expect_eq(behaviours[REPLAY_WAIT_BARRIER].all, FIXED(150));
    cr_expect_eq(behaviours[REPLAY_WAIT_BARRIER].max, FIXED(200));
    cr_expect_eq(behaviours[REPLAY_WAIT_BARRIER].location, 0);
    cr_expect_eq(behaviours[REPLAY_WAIT_LOCK].location, 1);
    for (int k = 0; k < BEHAVIOURS; k++)
        all += behaviours[k].all;
    cr_expect_eq(all, FIXED(600), "the difference of both locations");
}

Test(replay_composition, several_replays_find_the_same)
{
    struct behaviour alone[BEHAVIOURS] = {{0}};

    for (uint32_t l = 0; l < 6; l++)
        add(alone, l, 100 + l % 3, l * 7 % 5, l);
    for (uint32_t parts = 1; parts <= 3; parts++) {
        struct behaviour sum[BEHAVIOURS] = {{0}};
        for (uint32_t part = parts; part-- > 0;) {
            struct behaviour own[BEHAVIOURS] = {{0}};
            for (uint32_t l = part; l < 6; l += parts)
                add(own, l, 100 + l % 3, l * 7 % 5, l);
            composition_merge(sum, own);
        }
        for (int k = 0; k < BEHAVIOURS; k++) {
            cr_expect_eq(sum[k].all, alone[k].all);
            cr_expect_eq(sum[k].max, alone[k].max);
            cr_expect_eq(sum[k].location, alone[k].location);
        }
    }
}
