/* Rules of messages on executions worked by hand: alpha and what messages take are those of mpi_case.h. */
#include "tests/compensation/mpi_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* --- Point to point -------------------------------------------------------------------------------------------------
 */

/* (m.1): the receive begins at 60, the send ends at 115. 2005, eqs (2), (3): Comm = 150 - 110. */
Test(replay_mpi, measured_communication_time_is_kept)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_LOWER);

    mpi_case_spend(c, 0, 0, 10);
    mpi_case_message(c, 0, 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 115, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_message(c, 1, 50, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 150, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    case_replay(c);
    cr_expect_eq(case_time(c, 0, 10), 0);
    cr_expect_eq(case_time(c, 0, 11), 5);
    TIMES(c, 1, 50, 55); /* a.2, eq (4): the message came at 40, so it is there and copied */
    const struct replay_wait *wait = mpi_case_wait(c, 1);
    cr_expect_eq(wait->kind, REPLAY_WAIT_LATE_SENDER);
    cr_expect_eq(wait->measured, FIXED(110 - 60));
    cr_expect_eq(wait->approximated, 0);
    cr_expect_eq(wait->cause, 0);
    cr_expect_eq(wait->cause_event, 10);
    free(c);
}

/* The same, but now the receiver is early in the approximation too: a.1, eq (3). */
Test(replay_mpi, receiver_waits_as_long_as_the_message_takes)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_LOWER);

    mpi_case_message(c, 0, 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 115, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_message(c, 1, 50, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 150, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    case_replay(c);
    TIMES(c, 1, 0, 40, 140);
    cr_expect_eq(mpi_case_wait(c, 1)->approximated, FIXED(60));
    free(c);
}

/* (m.2): the receive begins at 210, long after the send has ended at 25. 2005, eqs (5)-(11). */
static void late_receive(enum replay_comm comm, uint64_t expected)
{
    struct replay_case *c = mpi_case_new(2, comm);

    mpi_case_message(c, 0, 0, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 15, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_spend(c, 1, 0, 20);
    mpi_case_message(c, 1, 200, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 217, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 20), 0);
    cr_expect_eq(case_time(c, 1, 21), expected);
    free(c);
}

Test(replay_mpi, bounds_where_communication_was_not_measured)
{
    late_receive(REPLAY_COMM_LOWER, 10);       /* two copies, eq (6) */
    late_receive(REPLAY_COMM_MODEL, 40);       /* S */
    late_receive(REPLAY_COMM_UPPER, 217 - 10); /* eq (5), less the alpha of the send */
}

/* `seen` messages of that size, which their receiver waited for, took 40; the last one comes while it is busy. Returns
 * when that is received in the approximation, after it was sent. */
static uint64_t received_after(enum replay_comm comm, unsigned seen, uint64_t *unpriced)
{
    struct replay_case *c = mpi_case_new(2, comm);
    uint64_t last = seen * 1000;

    c->options.messages = (struct comm_model){0};
    for (uint64_t t = 0; t < last; t += 1000) {
        mpi_case_message(c, 0, t + 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
        mpi_case_message(c, 0, t + 115, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
        mpi_case_message(c, 1, t, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
        mpi_case_message(c, 1, t + 150, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    }
    mpi_case_message(c, 0, last, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, last + 15, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_spend(c, 1, last, 20);
    mpi_case_message(c, 1, last + 200, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, last + 217, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    case_replay(c);
    uint64_t after = case_time(c, 1, 2 * seen + 21) - case_time(c, 0, 2 * seen);
    *unpriced = c->result.unpriced;
    free(c);
    return after;
}

Test(replay_mpi, messages_that_were_waited_for_tell_of_those_that_were_not)
{
    uint64_t few, enough;

    cr_expect_eq(received_after(REPLAY_COMM_MODEL, 0, &few), 0);
    cr_expect_eq(few, 1);
    cr_expect_eq(received_after(REPLAY_COMM_MODEL, 8, &enough), 40);
    cr_expect_eq(enough, 0);
    cr_expect_eq(received_after(REPLAY_COMM_UPPER, 7, &few), 207, "eq (5), less the alpha of the send");
    cr_expect_eq(few, 1);
    cr_expect_eq(received_after(REPLAY_COMM_UPPER, 8, &enough), 40);
    cr_expect_eq(received_after(REPLAY_COMM_LOWER, 8, &enough), 0);
}

/* A model that says more than was measured, or less than the copies take, is held to both. */
Test(replay_mpi, model_stays_within_the_bounds)
{
    static const double starts[] = {1e9, 1};
    static const uint64_t expected[] = {207, 10};

    for (int i = 0; i < 2; i++) {
        struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

        c->options.messages.eager.start = starts[i];
        mpi_case_message(c, 0, 0, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
        mpi_case_message(c, 0, 15, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
        mpi_case_spend(c, 1, 0, 20);
        mpi_case_message(c, 1, 200, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
        mpi_case_message(c, 1, 217, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
        case_replay(c);
        cr_expect_eq(case_time(c, 1, 21), expected[i]);
        free(c);
    }
}

/* The receive is stamped before the send has ended, but its recording takes until long after. */
Test(replay_mpi, receive_begins_when_its_probe_is_over)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_LOWER);

    c->alpha[PCOMP_EVENT_RECV_POST] = FIXED(100);
    mpi_case_message(c, 0, 0, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 15, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    case_event(c, 1, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_message(c, 1, 14, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 119, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    case_replay(c);
    TIMES(c, 1, 0, 4, 10); /* two copies; taking 119 - 10 for its time would give 109 */
    free(c);
}

/* DP is the overhead on the critical path: of the sender where the receiver waits, else of the receiver. */
Test(replay_mpi, direct_perturbation_follows_the_message)
{
    for (uint32_t probes = 0; probes <= 30; probes += 30) {
        struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

        mpi_case_spend(c, 0, 0, 10);
        mpi_case_message(c, 0, 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
        mpi_case_message(c, 0, 115, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
        mpi_case_spend(c, 1, 0, probes);
        case_event(c, 1, 10 * probes, PCOMP_EVENT_ENTER, F);
        mpi_case_message(c, 1, 10 * probes + (probes ? 110 : 10), PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
        mpi_case_message(c, 1, probes ? 425 : 150, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
        case_replay(c);
        if (probes) /* posted at 100, the message is there */
            cr_expect_eq(c->result.direct_perturbation, FIXED(300 + 10 + 10));
        else /* sent at 0 */
            cr_expect_eq(c->result.direct_perturbation, FIXED(100 + 10));
        free(c);
    }
}

/* What is over is forgotten: ten times the messages need no more room. */
static uint64_t held_by(uint32_t messages, enum replay_receive receive)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);
    uint64_t held;

    c->options.receive = receive;
    for (uint32_t i = 0; i < messages; i++) {
        uint32_t peer = i % 2 ? PCOMP_EVENT_ANY : 0;

        mpi_case_message(c, 0, 1000 * i, PCOMP_EVENT_SEND_POST, SMALL, 1, i % 3);
        mpi_case_message(c, 0, 1000 * i + 15, PCOMP_EVENT_SEND_DONE, SMALL, 1, i % 3);
        mpi_case_message(c, 1, 1000 * i, PCOMP_EVENT_RECV_POST, SMALL, peer, i % 3);
        mpi_case_message(c, 1, 1000 * i + 60, PCOMP_EVENT_RECV_DONE, SMALL, 0, i % 3);
        case_event_long(c, 0, 1000 * i + 100, PCOMP_EVENT_COLLECTIVE_ENTER, 0, 0, 2 << 16 | PCOMP_COLLECTIVE_PREFIX);
        case_event_long(c, 1, 1000 * i + 100, PCOMP_EVENT_COLLECTIVE_ENTER, 0, 0, 2 << 16 | PCOMP_COLLECTIVE_PREFIX);
        case_event_long(c, 0, 1000 * i + 200, PCOMP_EVENT_COLLECTIVE_EXIT, 0, 0, 2 << 16 | PCOMP_COLLECTIVE_PREFIX);
        case_event_long(c, 1, 1000 * i + 200, PCOMP_EVENT_COLLECTIVE_EXIT, 0, 0, 2 << 16 | PCOMP_COLLECTIVE_PREFIX);
    }
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->violation_count, 0);
    held = c->result.bytes_max;
    free(c);
    return held;
}

Test(replay_mpi, memory_does_not_grow_with_the_messages)
{
    for (enum replay_receive receive = REPLAY_RECEIVE_PRESERVE; receive <= REPLAY_RECEIVE_LIFO; receive++)
        cr_expect_eq(held_by(100, receive), held_by(10, receive));
}

/* A send that returned when the receiver came is a rendezvous: both ends follow the later one. */
static struct replay_case *blocked(uint32_t mode, uint32_t bytes, uint32_t receiver_events)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_LOWER);

    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    mpi_case_message(c, 0, 50, mode, bytes, 1, 0);
    mpi_case_message(c, 0, 10 * receiver_events + 10 + 70, PCOMP_EVENT_SEND_DONE, bytes, 1, 0);
    mpi_case_spend(c, 1, 0, receiver_events);
    mpi_case_message(c, 1, 10 * receiver_events, PCOMP_EVENT_RECV_POST, bytes, 0, 0);
    mpi_case_message(c, 1, 10 * receiver_events + 10 + 80, PCOMP_EVENT_RECV_DONE, bytes, 0, 0);
    case_replay(c);
    return c;
}

Test(replay_mpi, blocked_send_waits_for_its_receiver)
{
    static const uint32_t modes[] = {PCOMP_EVENT_SEND_POST, PCOMP_EVENT_SEND_POST_SYNC};
    static const uint32_t sizes[] = {LARGE, SMALL}; /* by its protocol, its mode */

    for (int i = 0; i < 2; i++) {
        struct replay_case *c =
            blocked(modes[i], sizes[i], 20); /* the receiver was slow only because it was measured */

        TIMES(c, 0, 0, 40, 40 + 70);
        cr_expect_eq(case_time(c, 1, 21), 40 + 80);
        const struct replay_wait *wait = mpi_case_wait(c, 0);
        cr_expect_eq(wait->kind, REPLAY_WAIT_LATE_RECEIVER);
        cr_expect_eq(wait->measured, FIXED(210 - 60));
        cr_expect_eq(wait->approximated, 0);
        free(c);
    }
}

static void expect_eager(struct replay_case *c)
{
    case_replay(c);
    TIMES(c, 0, 0, 90, 180);
    cr_expect_eq(case_time(c, 1, 17), 90 + 160);
    cr_expect_eq(c->result.undecided, 0);
    cr_expect_eq(c->result.waiting_measured[REPLAY_WAIT_LATE_RECEIVER], 0, "there is no late receiver");
    free(c);
}

Test(replay_mpi, slow_send_of_an_eager_size_is_no_rendezvous)
{
    struct replay_case *c = mpi_case_slow_send(REPLAY_COMM_MODEL);

    expect_eager(c);
    c = mpi_case_slow_send(REPLAY_COMM_MODEL); /* no model, but the MPI was seen to send as much without a receiver */
    c->options.messages.has_protocols = false;
    c->locations[0].protocols = (struct comm_protocols){.eager_max = SMALL};
    expect_eager(c);
}

/* The same trace, where nothing is known of the protocol: eager is the later of the two for both ends. */
Test(replay_mpi, unknown_protocol_gives_both_bounds)
{
    static const uint64_t send_ends[] = {90 + 30, 180, 90 + 30}, receive_ends[] = {90 + 100, 90 + 160, 90 + 100};

    for (enum replay_comm comm = REPLAY_COMM_LOWER; comm <= REPLAY_COMM_MODEL; comm++) {
        struct replay_case *c = mpi_case_slow_send(comm);

        c->options.messages.has_protocols = false;
        c->locations[0].protocols = (struct comm_protocols){.eager_max = SMALL - 1, .rendezvous_min = SMALL + 1};
        case_replay(c);
        cr_expect_eq(case_time(c, 0, 2), send_ends[comm], "comm %d: %lu", comm, case_time(c, 0, 2));
        cr_expect_eq(case_time(c, 1, 17), receive_ends[comm], "comm %d: %lu", comm, case_time(c, 1, 17));
        cr_expect_eq(c->result.undecided, 2);
        free(c);
    }
}

Test(replay_mpi, size_that_was_seen_to_wait_is_a_rendezvous)
{
    struct replay_case *c = mpi_case_slow_send(REPLAY_COMM_UPPER);

    c->options.messages.has_protocols = false;
    c->locations[0].protocols = (struct comm_protocols){.eager_max = 1, .rendezvous_min = SMALL};
    case_replay(c);
    TIMES(c, 0, 0, 90, 90 + 30);
    cr_expect_eq(case_time(c, 1, 17), 90 + 100);
    cr_expect_eq(c->result.undecided, 0);
    free(c);
}

Test(replay_mpi, buffered_send_waits_for_nobody)
{
    struct replay_case *c = blocked(PCOMP_EVENT_SEND_POST_BUFFER, SMALL, 20);

    TIMES(c, 0, 0, 40, 40 + 220); /* what it took is its own */
    free(c);
}

/* Its end was before the receive began: whatever its size, it did not wait. */
Test(replay_mpi, large_send_that_ended_early_is_eager)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_LOWER);

    mpi_case_message(c, 0, 0, PCOMP_EVENT_SEND_POST, LARGE, 1, 0);
    mpi_case_message(c, 0, 30, PCOMP_EVENT_SEND_DONE, LARGE, 1, 0);
    mpi_case_message(c, 1, 100, PCOMP_EVENT_RECV_POST, LARGE, 0, 0);
    mpi_case_message(c, 1, 150, PCOMP_EVENT_RECV_DONE, LARGE, 0, 0);
    case_replay(c);
    TIMES(c, 0, 0, 20);
    TIMES(c, 1, 100, 105);
    free(c);
}

/* Messages do not overtake: the receive that was posted first gets the one that was sent first, also when its request
 * completes last. */
Test(replay_mpi, requests_are_matched_in_the_order_of_posting)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

    mpi_case_message(c, 0, 0, PCOMP_EVENT_SEND_POST_BUFFER, SMALL, 1, 0);
    mpi_case_message(c, 0, 15, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_message(c, 0, 1025, PCOMP_EVENT_SEND_POST_BUFFER, SMALL, 1, 0);
    mpi_case_message(c, 0, 1040, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_message(c, 1, 0, PCOMP_EVENT_RECV_POST, SMALL, 0, 7);
    mpi_case_message(c, 1, 10, PCOMP_EVENT_RECV_POST, SMALL, 0, 8);
    case_event(c, 1, 20, PCOMP_EVENT_WAIT_ENTER, 0);
    mpi_case_message(c, 1, 1075, PCOMP_EVENT_RECV_DONE, SMALL, 0, 8);
    mpi_case_message(c, 1, 1085, PCOMP_EVENT_RECV_DONE, SMALL, 0, 7);
    case_event(c, 1, 1095, PCOMP_EVENT_WAIT_EXIT, 0);
    case_replay(c);
    TIMES(c, 0, 0, 5, 1005, 1010);
    TIMES(c, 1, 0, 0, 0, 1045, 1045, 1045);
    free(c);
}

/* A call that completes several requests ends with the last of them, in whatever order they are recorded; what their
 * recording costs is no part of any transfer. */
Test(replay_mpi, waiting_for_several_ends_with_the_last)
{
    static const enum replay_comm comms[] = {REPLAY_COMM_MODEL, REPLAY_COMM_UPPER};

    for (int i = 0; i < 2; i++) {
        struct replay_case *c = mpi_case_new(2, comms[i]);

        mpi_case_spend(c, 0, 0, 50);
        mpi_case_message(c, 0, 500, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
        mpi_case_message(c, 0, 515, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
        mpi_case_message(c, 1, 0, PCOMP_EVENT_SEND_POST, SMALL, 0, 1); /* to rank 0, which never receives it */
        mpi_case_message(c, 1, 30, PCOMP_EVENT_RECV_POST, SMALL, 0, 2);
        case_event(c, 1, 40, PCOMP_EVENT_WAIT_ENTER, 0);
        mpi_case_message(c, 1, 550, PCOMP_EVENT_SEND_DONE, SMALL, 0, 1);
        mpi_case_message(c, 1, 560, PCOMP_EVENT_RECV_DONE, SMALL, 0, 2);
        case_event(c, 1, 570, PCOMP_EVENT_WAIT_EXIT, 0);
        case_replay(c);
        TIMES(c, 1, 0, 20, 20, 20, 40, 40); /* copied by 5; posted at 20 and sent at 0: there at 40 */
        free(c);
    }
}

/* The end of a nonblocking send is seen long after it was over, so it says nothing about the communication time. */
Test(replay_mpi, late_wait_for_a_send_is_no_overlap)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_LOWER);

    mpi_case_message(c, 0, 0, PCOMP_EVENT_SEND_POST, SMALL, 1, 9);
    case_event(c, 0, 5000, PCOMP_EVENT_WAIT_ENTER, 0);
    mpi_case_message(c, 0, 5010, PCOMP_EVENT_SEND_DONE, SMALL, 1, 9);
    mpi_case_spend(c, 1, 0, 20);
    mpi_case_message(c, 1, 200, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 217, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    case_replay(c);
    cr_expect_eq(case_time(c, 1, 21), 10);
    free(c);
}

Test(replay_mpi, sendrecv_waits_for_both)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

    for (uint32_t i = 0; i < 2; i++) {
        mpi_case_spend(c, i, 0, 10 * i);
        mpi_case_message(c, i, 100 * i, PCOMP_EVENT_SEND_POST, SMALL, 1 - i, 0);
        mpi_case_message(c, i, 100 * i + 10, PCOMP_EVENT_RECV_POST, SMALL, 1 - i, 0);
        mpi_case_message(c, i, 150 + 10 * i, PCOMP_EVENT_SEND_DONE, SMALL, 1 - i, 0);
        mpi_case_message(c, i, 160 + 10 * i, PCOMP_EVENT_RECV_DONE, SMALL, 1 - i, 0);
    }
    case_replay(c);
    TIMES(c, 0, 0, 0, 5, 40); /* the measured wait of 100 was for probes of the other */
    cr_expect_eq(case_time(c, 1, 13), 40);
    free(c);
}

Test(replay_mpi, probe_follows_the_send)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

    mpi_case_spend(c, 0, 0, 10);
    mpi_case_message(c, 0, 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 115, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_message(c, 1, 0, PCOMP_EVENT_PROBE_ENTER, 0, PCOMP_EVENT_ANY, 0);
    mpi_case_message(c, 1, 130, PCOMP_EVENT_PROBE_EXIT, SMALL, 0, 0);
    mpi_case_message(c, 1, 140, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 155, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    case_replay(c);
    TIMES(c, 1, 0, 20, 20, 40); /* 20 after the send, then what the model says */
    free(c);
}

/* --- What does not fit ----------------------------------------------------------------------------------------------
 */

Test(replay_mpi, receive_without_send_is_a_violation)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

    mpi_case_message(c, 1, 0, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 50, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    case_event(c, 1, 70, PCOMP_EVENT_EXIT, F);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->violation_count, 1);
    cr_expect(strstr(c->violations[0].rule, "2005"));
    TIMES(c, 1, 0, 40, 50);
    free(c);
}

Test(replay_mpi, send_without_receive_is_none)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

    mpi_case_message(c, 0, 0, PCOMP_EVENT_SEND_POST_SYNC, SMALL, 1, 0);
    mpi_case_message(c, 0, 50, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->violation_count, 0);
    TIMES(c, 0, 0, 40);
    free(c);
}

Test(replay_mpi, receive_before_its_send_is_a_violation)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL); /* clocks that differ */

    mpi_case_message(c, 0, 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 115, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_message(c, 1, 0, PCOMP_EVENT_RECV_POST, SMALL, 0, 0);
    mpi_case_message(c, 1, 50, PCOMP_EVENT_RECV_DONE, SMALL, 0, 0);
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->violation_count, 1);
    cr_expect_eq(c->violations[0].location[0], 1);
    cr_expect_eq(c->violations[0].location[1], 0, "the send was waited for, and found");
    cr_expect_geq(case_time(c, 1, 1), case_time(c, 0, 0), "no receive before its send, all the same");
    free(c);
}

Test(replay_mpi, ends_without_beginnings_are_bad_input)
{
    static const uint32_t kinds[] = {PCOMP_EVENT_SEND_DONE, PCOMP_EVENT_RECV_DONE, PCOMP_EVENT_COLLECTIVE_EXIT};

    for (int i = 0; i < 3; i++) {
        struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

        mpi_case_message(c, 1, 10, kinds[i], SMALL, 0, 0);
        cr_expect_eq(case_replay(c), REPLAY_BAD_INPUT);
        cr_expect(c->result.error);
        cr_expect_eq(c->result.error_location, 1);
        cr_expect_eq(c->result.error_event, 0);
        free(c);
    }
}

Test(replay_mpi, message_of_no_rank_is_bad_input)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

    c->locations[1].rank = -1;
    mpi_case_message(c, 1, 10, PCOMP_EVENT_SEND_POST, SMALL, 0, 0);
    cr_expect_eq(case_replay(c), REPLAY_BAD_INPUT);
    free(c);
}

/* A cancelled receive takes no message from the next one. */
Test(replay_mpi, request_that_is_gone_matches_nothing)
{
    struct replay_case *c = mpi_case_new(2, REPLAY_COMM_MODEL);

    mpi_case_message(c, 0, 100, PCOMP_EVENT_SEND_POST, SMALL, 1, 0);
    mpi_case_message(c, 0, 115, PCOMP_EVENT_SEND_DONE, SMALL, 1, 0);
    mpi_case_message(c, 1, 0, PCOMP_EVENT_RECV_POST, SMALL, 0, 5);
    mpi_case_message(c, 1, 10, PCOMP_EVENT_REQUEST_GONE, 0, 0, 5);
    mpi_case_message(c, 1, 20, PCOMP_EVENT_RECV_POST, SMALL, 0, 5);
    case_event(c, 1, 30, PCOMP_EVENT_WAIT_ENTER, 0);
    mpi_case_message(c, 1, 150, PCOMP_EVENT_RECV_DONE, SMALL, 0, 5);
    case_event(c, 1, 160, PCOMP_EVENT_WAIT_EXIT, 0);
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->violation_count, 0);
    TIMES(c, 1, 0, 0, 0, 0, 140, 140);
    free(c);
}
