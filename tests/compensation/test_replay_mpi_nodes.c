/* Messages between machines: alpha and what messages take in one are those of mpi_case.h. */
#include "tests/compensation/mpi_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* 1993 §3.3, h*H: a message that had been sent when its receive was posted, in a machine, between two, and where one of
 * them is not known. */
Test(replay_mpi, messages_between_nodes_have_their_own_model)
{
    static const struct {
        uint64_t machines[2], end; /* the message is sent at 90 */
    } cases[] = {{{7, 7}, 90 + 40}, {{7, 8}, 90 + 70}, {{7, 0}, 90 + 40}, {{0, 0}, 90 + 40}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

        c->options.between = (struct comm_model){.eager = {.start = 70}, .has_protocols = true};
        for (int location = 0; location < 2; location++)
            c->locations[location].machine = cases[i].machines[location];
        case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
        mpi_case_message(c, 0, 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
        mpi_case_message(c, 0, 120, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
        mpi_case_spend(c, 1, 0, 14);
        mpi_case_message(c, 1, 140, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
        mpi_case_message(c, 1, 250, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
        case_replay(c);
        cr_expect_eq(case_time(c, 1, 15), cases[i].end, "case %zu: %lu", i, case_time(c, 1, 15));
        free(c);
    }
}

/* Between two machines the size decides that waits there, not that of one machine. */
Test(replay_mpi, protocol_between_nodes_is_that_of_their_model)
{
    for (uint64_t other = 7; other <= 8; other++) {
        struct replay_case *c = mpi_case_slow_send(REPLAY_COMM_MODEL);

        c->options.between = (struct comm_model){
            .eager = {.start = 70}, .rendezvous = {.start = 70}, .threshold = SMALL, .has_protocols = true};
        c->locations[0].machine = 7;
        c->locations[1].machine = other;
        case_replay(c);
        cr_expect_eq(c->result.waiting_measured[REPLAY_WAIT_LATE_RECEIVER] > 0, other != 7);
        free(c);
    }
}
