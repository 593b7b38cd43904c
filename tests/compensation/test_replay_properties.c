/* Properties of the replay of threads, on random programs whose actual execution is known
 * (docs/internals/simulator.md). */
#include "tests/compensation/replay_property.h"

#include <criterion/criterion.h>

/* Each exact whatever the measurement has changed. */
#define ORDERED                                                                                                        \
    (SIMULATE_CALLS | SIMULATE_BARRIERS | SIMULATE_FORK_JOIN | SIMULATE_PIPELINE | SIMULATE_ADVANCE | SIMULATE_FLUSHES)
/* Exact where nobody was overtaken. */
#define OVERTAKING (SIMULATE_SEMAPHORES | SIMULATE_LOCKS | SIMULATE_MONITORS)

static void exact(uint32_t phases, uint32_t programs)
{
    struct property property = {.claim = CLAIM_EXACT,
                                .phases = phases,
                                .options = {.model = REPLAY_EVENT},
                                .programs = programs,
                                .locations = 9,
                                .length = 5,
                                .work = 1000};

    property_check(&property);
}

static void exact_in_order(uint32_t phases, uint32_t programs)
{
    struct property property = {.claim = CLAIM_EXACT,
                                .phases = phases,
                                .options = {.model = REPLAY_EVENT},
                                .same_order = true,
                                .programs = programs,
                                .locations = 5,
                                .length = 2,
                                .work = 5000};
    uint32_t tried = property_check(&property);

    cr_expect_gt(tried, programs / 10, "only %u of %u programs kept their order", tried, programs);
}

Test(replay_properties, independent_events_are_exact)
{
    exact(SIMULATE_CALLS | SIMULATE_FLUSHES, 300);
}

Test(replay_properties, alpha_that_was_measured_to_change_is_exact)
{
    struct property property = {.claim = CLAIM_EXACT,
                                .phases = ORDERED,
                                .options = {.model = REPLAY_EVENT},
                                .drifts = true,
                                .programs = 500,
                                .locations = 9,
                                .length = 20,
                                .work = 1000};

    property_check(&property);
}

Test(replay_properties, barriers_are_exact)
{
    exact(SIMULATE_BARRIERS, 300);
}

Test(replay_properties, barriers_with_known_exit_order_are_exact)
{
    struct property property = {.claim = CLAIM_EXACT,
                                .phases = SIMULATE_LADDERS,
                                .options = {.model = REPLAY_EVENT, .barrier = REPLAY_BARRIER_BETA},
                                .programs = 300,
                                .locations = 9,
                                .length = 5,
                                .work = 1000000};

    property_check(&property);
}

Test(replay_properties, fork_join_is_exact)
{
    exact(SIMULATE_FORK_JOIN, 300);
}

Test(replay_properties, fork_join_is_exact_under_the_time_based_model)
{
    struct property property = {.claim = CLAIM_EXACT,
                                .phases = SIMULATE_FORK_JOIN | SIMULATE_CALLS | SIMULATE_FLUSHES,
                                .options = {.model = REPLAY_TIME},
                                .programs = 300,
                                .locations = 5,
                                .length = 3,
                                .work = 1000};

    property_check(&property);
}

Test(replay_properties, single_p_single_v_is_exact)
{
    exact(SIMULATE_PIPELINE, 300);
}

Test(replay_properties, advance_and_await_are_exact)
{
    exact(SIMULATE_ADVANCE, 300);
}

Test(replay_properties, mixtures_are_exact)
{
    exact(ORDERED, 3000);
}

Test(replay_properties, semaphores_are_exact_in_order)
{
    exact_in_order(SIMULATE_SEMAPHORES, 400);
}

Test(replay_properties, locks_are_exact_in_order)
{
    exact_in_order(SIMULATE_LOCKS, 400);
}

Test(replay_properties, monitors_are_exact_in_order)
{
    exact_in_order(SIMULATE_MONITORS, 400);
}

Test(replay_properties, without_cost_nothing_changes)
{
    struct property property = {.claim = CLAIM_FIXED_POINT,
                                .phases = ORDERED | OVERTAKING | SIMULATE_LADDERS,
                                .options = {.model = REPLAY_EVENT},
                                .programs = 500,
                                .locations = 9,
                                .length = 5,
                                .work = 100};

    property_check(&property);
}

Test(replay_properties, jittered_cost_errs_little)
{
    struct property property = {.claim = CLAIM_NEAR,
                                .phases = ORDERED,
                                .options = {.model = REPLAY_EVENT},
                                .programs = 300,
                                .locations = 9,
                                .length = 30,
                                .work = 1000};

    property_check(&property);
}

Test(replay_properties, size_of_blocks_does_not_matter)
{
    struct property property = {.claim = CLAIM_BLOCKS,
                                .phases = ORDERED | OVERTAKING | SIMULATE_LADDERS,
                                .options = {.model = REPLAY_EVENT},
                                .programs = 300,
                                .locations = 9,
                                .length = 5,
                                .work = 300};

    property_check(&property);
}

Test(replay_properties, thousands_of_locations_are_exact)
{
    for (uint32_t locations = 64; locations <= 4096; locations *= 8) {
        struct property property = {.claim = CLAIM_EXACT,
                                    .phases = SIMULATE_BARRIERS | SIMULATE_PIPELINE | SIMULATE_FORK_JOIN,
                                    .options = {.model = REPLAY_EVENT},
                                    .programs = 1,
                                    .locations = locations,
                                    .length = 2,
                                    .work = 1000,
                                    .seed = locations - 3};

        property_check(&property);
    }
}
