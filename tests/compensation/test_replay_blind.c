/* Receives from anyone (1993 §4.2) on executions worked by hand: alpha and what messages take are those of mpi_case.h.
 */
#include "tests/compensation/mpi_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* Two senders; the master takes what comes. As measured rank 1 was first, in the approximation it is rank 2. */
static struct replay_case *blind(enum replay_receive receive)
{
    struct replay_case *c = mpi_case_new(3, REPLAY_COMM_MODEL);

    c->options.receive = receive;
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_message(c, 1, 60, PCOMP_EVENT_SEND_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 75, PCOMP_EVENT_SEND_DONE, SMALL, 0, 0);
    mpi_case_spend(c, 2, 0, 10);
    mpi_case_message(c, 2, 110, PCOMP_EVENT_SEND_POST, SMALL, 0, 0);
    mpi_case_message(c, 2, 125, PCOMP_EVENT_SEND_DONE, SMALL, 0, 0);
    mpi_case_spend(c, 0, 0, 19);
    for (uint32_t i = 0; i < 2; i++) {
        mpi_case_message(c, 0, 190 + 30 * i, PCOMP_EVENT_RECV_POST, SMALL, PCOMP_EVENT_ANY, 0);
        mpi_case_message(c, 0, 205 + 30 * i, PCOMP_EVENT_RECV_DONE, SMALL, 1 + i, 0);
    }
    case_replay(c);
    cr_expect_eq(c->result.blind, 2);
    cr_expect_eq(c->violation_count, 0);
    return c;
}

Test(replay_blind, blind_receives_by_strategy)
{
    struct replay_case *c = blind(REPLAY_RECEIVE_PRESERVE); /* sent at 50 and at 10 */

    cr_expect_eq(case_time(c, 0, 20), 90);
    cr_expect_eq(case_time(c, 0, 22), 100); /* posted at 95 */
    free(c);
    c = blind(REPLAY_RECEIVE_FIFO);
    cr_expect_eq(case_time(c, 0, 20), 50); /* the one that was sent at 10 */
    cr_expect_eq(case_time(c, 0, 22), 90);
    free(c);
    c = blind(REPLAY_RECEIVE_LIFO); /* none has come at 0: the first that will; at 55 the other one has */
    cr_expect_eq(case_time(c, 0, 20), 50);
    cr_expect_eq(case_time(c, 0, 22), 90);
    free(c);
}

/* Rank 2 was first as measured, since rank 1 spent its time on probes: its message was sent after the first receive had
 * ended. Without them it is sent at 100, and that of rank 2 at 290. */
static struct replay_case *overtaken(enum replay_receive receive)
{
    struct replay_case *c = mpi_case_new(3, REPLAY_COMM_MODEL);

    c->options.receive = receive;
    c->options.messages.eager.start = 100;
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_spend(c, 1, 110, 140);
    mpi_case_message(c, 1, 1510, PCOMP_EVENT_SEND_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 1525, PCOMP_EVENT_SEND_DONE, SMALL, 0, 0);
    case_event(c, 2, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_message(c, 2, 300, PCOMP_EVENT_SEND_POST, SMALL, 0, 0);
    mpi_case_message(c, 2, 315, PCOMP_EVENT_SEND_DONE, SMALL, 0, 0);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_message(c, 0, 50, PCOMP_EVENT_RECV_POST, SMALL, PCOMP_EVENT_ANY, 0);
    mpi_case_message(c, 0, 410, PCOMP_EVENT_RECV_DONE, SMALL, 2, 0);
    mpi_case_message(c, 0, 430, PCOMP_EVENT_RECV_POST, SMALL, PCOMP_EVENT_ANY, 0);
    mpi_case_message(c, 0, 1620, PCOMP_EVENT_RECV_DONE, SMALL, 1, 0);
    return c;
}

Test(replay_blind, blind_receives_take_what_arrives_first_in_the_approximation)
{
    for (enum replay_receive receive = REPLAY_RECEIVE_FIFO; receive <= REPLAY_RECEIVE_LIFO; receive++) {
        struct replay_case *c = overtaken(receive);

        case_replay(c);
        TIMES(c, 0, 0, 40, 200, 210, 390);
        cr_expect_eq(c->violation_count, 0, "a cause that was measured later is what was asked for");
        free(c);
    }
}

/* The worker's second message answers the master's reply: nobody waits for what cannot come before it. */
Test(replay_blind, blind_receives_of_two_ranks_do_not_wait_for_each_other)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

    c->options.receive = REPLAY_RECEIVE_FIFO;
    for (uint32_t i = 0; i < 2; i++) {
        case_event(c, i, 0, PCOMP_EVENT_ENTER, F);
        mpi_case_message(c, i, 50, PCOMP_EVENT_SEND_POST, SMALL, 1 - i, 0);
        mpi_case_message(c, i, 65, PCOMP_EVENT_SEND_DONE, SMALL, 1 - i, 0);
        mpi_case_message(c, i, 75, PCOMP_EVENT_RECV_POST, SMALL, PCOMP_EVENT_ANY, 0);
        mpi_case_message(c, i, 110, PCOMP_EVENT_RECV_DONE, SMALL, 1 - i, 0);
        mpi_case_message(c, i, 120, PCOMP_EVENT_SEND_POST_SYNC, SMALL, 1 - i, 3 + i);
        mpi_case_message(c, i, 130, PCOMP_EVENT_RECV_POST, SMALL, PCOMP_EVENT_ANY, 0);
        mpi_case_message(c, i, 190, PCOMP_EVENT_RECV_DONE, SMALL, 1 - i, 0);
        case_event(c, i, 200, PCOMP_EVENT_WAIT_ENTER, 0);
        mpi_case_message(c, i, 210, PCOMP_EVENT_SEND_DONE, SMALL, 1 - i, 3 + i);
        case_event(c, i, 220, PCOMP_EVENT_WAIT_EXIT, 0);
    }
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->violation_count, 0);
    TIMES(c, 0, 0, 40, 45, 45, 80, 80, 80, 130);
    for (uint32_t n = 0; n < 10; n++)
        cr_expect_eq(case_time(c, 0, n), case_time(c, 1, n));
    free(c);
}

/* A message that was taken by name times no blind receive. */
Test(replay_blind, blind_receives_leave_alone_what_was_taken_by_name)
{
    struct replay_case *c = mpi_case_new(3, REPLAY_COMM_MODEL);

    c->options.receive = REPLAY_RECEIVE_FIFO;
    mpi_case_message(c, 1, 0, PCOMP_EVENT_SEND_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 15, PCOMP_EVENT_SEND_DONE, SMALL, 0, 0);
    case_event(c, 2, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_message(c, 2, 110, PCOMP_EVENT_SEND_POST, SMALL, 0, 0);
    mpi_case_message(c, 2, 125, PCOMP_EVENT_SEND_DONE, SMALL, 0, 0);
    mpi_case_message(c, 0, 0, PCOMP_EVENT_RECV_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 50, PCOMP_EVENT_RECV_DONE, SMALL, 1, 0);
    mpi_case_message(c, 0, 60, PCOMP_EVENT_RECV_POST, SMALL, PCOMP_EVENT_ANY, 0);
    mpi_case_message(c, 0, 160, PCOMP_EVENT_RECV_DONE, SMALL, 2, 0);
    case_replay(c);
    TIMES(c, 0, 0, 40, 40, 140);
    free(c);
}
