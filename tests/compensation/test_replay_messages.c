/* Properties of the replay of messages and collectives, on random programs whose actual execution is known. */
#include "tests/compensation/replay_property.h"

#include <criterion/criterion.h>

#define POINT_TO_POINT (SIMULATE_MESSAGES | SIMULATE_RENDEZVOUS | SIMULATE_NONBLOCKING)
#define COLLECTIVES    (SIMULATE_N_TO_N | SIMULATE_N_TO_1 | SIMULATE_1_TO_N)

static struct property claim(enum property_claim claimed, uint32_t phases, uint32_t programs)
{
    return (struct property){.claim = claimed,
                             .phases = phases,
                             .options = {.model = REPLAY_EVENT, .comm = REPLAY_COMM_MODEL},
                             .programs = programs,
                             .locations = 9,
                             .length = 4,
                             .work = 2000};
}

/* The model is the machine's own here: what is not known from the trace (m.2), it knows. */
Test(replay_messages, messages_are_exact_with_the_right_model)
{
    struct property property = claim(CLAIM_EXACT, SIMULATE_MESSAGES | SIMULATE_CALLS, 500);

    property_check(&property);
}

/* m.1: the receive had begun when the send ended. */
Test(replay_messages, messages_are_exact_where_their_time_was_measured)
{
    struct property property = claim(CLAIM_KNOWN, SIMULATE_MESSAGES, 1000);
    uint32_t tried;

    property.length = 1;
    property.locations = 4;
    property.work = 300;
    tried = property_check(&property);
    cr_expect_gt(tried, 100, "only %u programs had all times measured", tried);
}

Test(replay_messages, rendezvous_are_exact)
{
    struct property property = claim(CLAIM_EXACT, SIMULATE_RENDEZVOUS, 500);

    property_check(&property);
}

Test(replay_messages, rendezvous_need_no_model)
{
    struct property property = claim(CLAIM_EXACT, SIMULATE_RENDEZVOUS, 300);

    property.options.comm = REPLAY_COMM_UPPER;
    property_check(&property);
    property.options.comm = REPLAY_COMM_LOWER;
    property_check(&property);
}

Test(replay_messages, nonblocking_messages_are_exact_with_the_right_model)
{
    struct property property = claim(CLAIM_EXACT, SIMULATE_NONBLOCKING | SIMULATE_RENDEZVOUS, 500);

    property_check(&property);
}

Test(replay_messages, truth_lies_between_the_bounds)
{
    struct property property = claim(CLAIM_BOUNDS, POINT_TO_POINT | COLLECTIVES, 2000);

    property_check(&property);
}

/* Not known whether a send waits: the bounds hold both. */
Test(replay_messages, truth_lies_between_the_bounds_of_an_unknown_protocol)
{
    struct property property = claim(CLAIM_BOUNDS, POINT_TO_POINT | COLLECTIVES, 2000);

    property.protocols_unknown = true;
    property_check(&property);
}

Test(replay_messages, n_to_n_and_n_to_1_are_exact)
{
    struct property property = claim(CLAIM_EXACT, SIMULATE_N_TO_N | SIMULATE_N_TO_1, 500);

    property_check(&property);
}

Test(replay_messages, blind_receives_are_exact_in_order)
{
    struct property property = claim(CLAIM_EXACT, SIMULATE_WILDCARDS, 500);
    uint32_t tried;

    property.same_order = true;
    property.work = 20000;
    property.locations = 4;
    property.length = 2;
    tried = property_check(&property);
    cr_expect_gt(tried, 50, "only %u programs kept their order", tried);
}

/* The simulated machine receives what was sent first: FIFO meets it also where the measurement has changed the order,
 * as far as the program's messages stay with their receives. */
Test(replay_messages, blind_receives_by_fifo_are_near)
{
    struct property property = claim(CLAIM_NEAR, SIMULATE_WILDCARDS, 200);

    property.options.receive = REPLAY_RECEIVE_FIFO;
    property.length = 30;
    property.work = 20000;
    property_check(&property);
}

Test(replay_messages, mixtures_with_threads_are_exact)
{
    struct property property = claim(CLAIM_EXACT,
                                     POINT_TO_POINT | SIMULATE_N_TO_N | SIMULATE_N_TO_1 | SIMULATE_BARRIERS |
                                         SIMULATE_PIPELINE | SIMULATE_FORK_JOIN | SIMULATE_FLUSHES,
                                     3000);

    property_check(&property);
}

Test(replay_messages, without_cost_the_upper_bound_is_what_was_measured)
{
    struct property property = claim(CLAIM_FIXED_POINT, POINT_TO_POINT | COLLECTIVES | SIMULATE_WILDCARDS, 500);

    property.options.comm = REPLAY_COMM_UPPER;
    property_check(&property);
}

Test(replay_messages, jittered_cost_errs_little)
{
    struct property property = claim(CLAIM_NEAR, POINT_TO_POINT | SIMULATE_N_TO_N | SIMULATE_N_TO_1, 300);

    property.length = 30;
    property_check(&property);
}

Test(replay_messages, size_of_blocks_does_not_matter)
{
    struct property property = claim(CLAIM_BLOCKS, POINT_TO_POINT | COLLECTIVES | SIMULATE_WILDCARDS, 300);

    property.options.receive = REPLAY_RECEIVE_FIFO;
    property_check(&property);
    property.options.receive = REPLAY_RECEIVE_LIFO;
    property_check(&property);
}

Test(replay_messages, thousands_of_ranks_are_exact)
{
    for (uint32_t locations = 64; locations <= 4096; locations *= 8) {
        struct property property = claim(CLAIM_EXACT, POINT_TO_POINT | SIMULATE_N_TO_N | SIMULATE_N_TO_1, 1);

        property.locations = locations;
        property.length = 2;
        property.seed = locations - 3;
        property_check(&property);
    }
}
