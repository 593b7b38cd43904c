/* Several replays that share one execution, on random programs: the same result as of one, to the tick. */
#include "tests/compensation/replay_property.h"

#include <criterion/criterion.h>

#define POINT_TO_POINT (SIMULATE_CALLS | SIMULATE_MESSAGES | SIMULATE_RENDEZVOUS | SIMULATE_NONBLOCKING)
#define COLLECTIVES    (SIMULATE_N_TO_N | SIMULATE_1_TO_N | SIMULATE_N_TO_1)

static void same_result_with(uint32_t phases, struct replay_options options, uint32_t programs, double sites,
                             bool drifts)
{
    struct property property = {.claim = CLAIM_SPREAD,
                                .phases = phases | SIMULATE_FLUSHES,
                                .options = options,
                                .sites = sites,
                                .drifts = drifts,
                                .programs = programs,
                                .locations = 9,
                                .length = 6,
                                .work = 1000};

    property_check(&property);
}

static void same_result(uint32_t phases, struct replay_options options, uint32_t programs)
{
    same_result_with(phases, options, programs, 0, false);
}

Test(replay_spread, messages)
{
    same_result(POINT_TO_POINT, (struct replay_options){.model = REPLAY_EVENT}, 500);
}

Test(replay_spread, collectives)
{
    same_result(COLLECTIVES, (struct replay_options){.model = REPLAY_EVENT, .comm = REPLAY_COMM_UPPER}, 500);
}

Test(replay_spread, everything_of_ranks_with_threads)
{
    same_result(POINT_TO_POINT | COLLECTIVES | SIMULATE_WILDCARDS | SIMULATE_FORK_JOIN,
                (struct replay_options){.model = REPLAY_EVENT, .comm = REPLAY_COMM_MODEL}, 500);
}

Test(replay_spread, blind_receives_in_another_order)
{
    same_result(POINT_TO_POINT | SIMULATE_WILDCARDS,
                (struct replay_options){.model = REPLAY_EVENT, .receive = REPLAY_RECEIVE_FIFO}, 300);
    same_result(POINT_TO_POINT | SIMULATE_WILDCARDS,
                (struct replay_options){.model = REPLAY_EVENT, .receive = REPLAY_RECEIVE_LIFO}, 300);
}

Test(replay_spread, processes_whose_sites_take_time)
{
    same_result_with(POINT_TO_POINT | COLLECTIVES | SIMULATE_FORK_JOIN, (struct replay_options){.model = REPLAY_EVENT},
                     200, 0.3, false);
}

Test(replay_spread, events_that_cost_more_on_the_way)
{
    same_result_with(POINT_TO_POINT | COLLECTIVES | SIMULATE_FORK_JOIN, (struct replay_options){.model = REPLAY_EVENT},
                     200, 0, true);
}

Test(replay_spread, the_time_based_model)
{
    same_result(POINT_TO_POINT | COLLECTIVES | SIMULATE_FORK_JOIN, (struct replay_options){.model = REPLAY_TIME}, 200);
}
