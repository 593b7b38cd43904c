/* Rules of collectives on executions worked by hand: alpha and what messages take are those of mpi_case.h. */
#include "tests/compensation/mpi_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static void collective(struct replay_case *c, uint32_t location, uint64_t time, uint32_t kind, uint32_t who)
{
    case_event_long(c, location, time, kind, SMALL, (uint64_t)7 << 32 | 0, (uint64_t)3 << 16 | who);
}

/* Three ranks, the root 0; rank 2 is last as measured, and first but for its 20 probes. They leave at 300, 310, 320. */
static struct replay_case *three_ranks_measured(uint32_t who, enum replay_comm comm)
{
    static const uint64_t enters[] = {100, 150, 200};
    struct replay_case *c = mpi_case_new(3, comm);

    for (uint32_t i = 0; i < 3; i++) {
        mpi_case_spend(c, i, 0, i == 2 ? 20 : 1);
        collective(c, i, enters[i], PCOMP_EVENT_COLLECTIVE_ENTER, who);
        collective(c, i, 300 + 10 * i, PCOMP_EVENT_COLLECTIVE_EXIT, who);
    }
    return c;
}

static struct replay_case *three_ranks_in_order(uint32_t who, enum replay_comm comm, enum replay_barrier order)
{
    struct replay_case *c = three_ranks_measured(who, comm);

    c->options.barrier = order;
    case_replay(c);
    cr_expect_eq(case_time(c, 0, 1), 90);
    cr_expect_eq(case_time(c, 1, 1), 140);
    cr_expect_eq(case_time(c, 2, 20), 0);
    cr_expect_eq(c->violation_count, 0);
    return c;
}

static struct replay_case *three_ranks(uint32_t who, enum replay_comm comm)
{
    return three_ranks_in_order(who, comm, REPLAY_BARRIER_AFTER);
}

/* 2005, eq (13), with the alpha of the enter taken off: 140 + 90, 100, 110. */
Test(replay_collectives, n_to_n_follows_the_last)
{
    struct replay_case *c = three_ranks(PCOMP_COLLECTIVE_N_TO_N, REPLAY_COMM_MODEL);

    cr_expect_eq(case_time(c, 0, 2), 140 + 90);
    cr_expect_eq(case_time(c, 1, 2), 140 + 100);
    cr_expect_eq(case_time(c, 2, 21), 140 + 110);
    const struct replay_wait *wait = mpi_case_wait(c, 0);
    cr_expect_eq(wait->kind, REPLAY_WAIT_N_TO_N);
    cr_expect_eq(wait->measured, FIXED(100));
    cr_expect_eq(wait->approximated, FIXED(50));
    cr_expect_eq(wait->cause, 2, "the last as measured");
    free(c);
    c = three_ranks(PCOMP_COLLECTIVE_BARRIER, REPLAY_COMM_MODEL);
    cr_expect_eq(case_time(c, 0, 2), 140 + 90);
    cr_expect_eq(mpi_case_wait(c, 0)->kind, REPLAY_WAIT_BARRIER);
    free(c);
}

/* Root and receivers as pairs; all came after the root, so how long it took is not known. */
Test(replay_collectives, one_to_n_follows_the_root)
{
    struct replay_case *c = three_ranks(PCOMP_COLLECTIVE_1_TO_N, REPLAY_COMM_LOWER);

    cr_expect_eq(case_time(c, 0, 2), 90 + 190, "the root waits for nobody");
    cr_expect_eq(case_time(c, 1, 2), 145, "it is there: only the copy");
    cr_expect_eq(case_time(c, 2, 21), 90 + 2 * 5);
    free(c);
    c = three_ranks(PCOMP_COLLECTIVE_1_TO_N, REPLAY_COMM_UPPER);
    cr_expect_eq(case_time(c, 1, 2), 90 + 310 - 110);
    cr_expect_eq(case_time(c, 2, 21), 90 + 320 - 110);
    free(c);
}

Test(replay_collectives, one_to_n_takes_what_messages_between_the_machines_take)
{
    for (uint64_t other = 7; other <= 8; other++) {
        struct replay_case *c = three_ranks_measured(PCOMP_COLLECTIVE_1_TO_N, REPLAY_COMM_MODEL);

        c->options.between = (struct comm_model){.eager = {.start = 70}, .has_protocols = true};
        c->locations[0].machine = c->locations[1].machine = 7;
        c->locations[2].machine = other;
        case_replay(c);
        cr_expect_eq(case_time(c, 2, 21), 90 + (other == 7 ? 40 : 70), "%lu", case_time(c, 2, 21));
        free(c);
    }
}

Test(replay_collectives, n_to_1_lets_the_root_wait)
{
    struct replay_case *c = three_ranks(PCOMP_COLLECTIVE_N_TO_1, REPLAY_COMM_MODEL);

    cr_expect_eq(case_time(c, 0, 2), 140 + 90);
    cr_expect_eq(case_time(c, 1, 2), 140 + 150, "its own time");
    cr_expect_eq(case_time(c, 2, 21), 110);
    free(c);
}

/* Rank 1 waits for 0 and itself, which came last: its own time; rank 2 for all. */
Test(replay_collectives, prefix_follows_the_ranks_before)
{
    struct replay_case *c = three_ranks(PCOMP_COLLECTIVE_PREFIX, REPLAY_COMM_MODEL);

    cr_expect_eq(case_time(c, 0, 2), 90 + 190);
    cr_expect_eq(case_time(c, 1, 2), 140 + 150);
    cr_expect_eq(case_time(c, 2, 21), 140 + 110);
    free(c);
}

Test(replay_collectives, leaving_before_the_last_has_entered_is_a_violation)
{
    static const uint8_t kinds[] = {PCOMP_COLLECTIVE_N_TO_N, PCOMP_COLLECTIVE_1_TO_N};

    for (int i = 0; i < 2; i++) {
        struct replay_case *c = mpi_case_new(3, REPLAY_COMM_MODEL);

        for (uint32_t rank = 0; rank < 3; rank++) { /* the clock of rank 0 is ahead */
            collective(c, rank, rank ? 100 : 180, PCOMP_EVENT_COLLECTIVE_ENTER, kinds[i]);
            collective(c, rank, rank ? 150 : 230, PCOMP_EVENT_COLLECTIVE_EXIT, kinds[i]);
        }
        cr_expect_eq(case_replay(c), REPLAY_DONE);
        cr_expect_eq(c->violation_count, 2);
        for (uint32_t n = 0; n < 2; n++)
            cr_expect_eq(c->violations[n].location[1], 0);
        cr_expect_geq(case_time(c, 1, 1), 180);
        cr_expect_geq(case_time(c, 2, 1), 180);
        free(c);
    }
}

/* Of rank 2 by way of rank 1, whose clock is ahead: of MPI_COMM_WORLD it is known that rank 1 is missing, of another
 * communicator when it comes. */
Test(replay_collectives, leaving_a_prefix_before_a_rank_before_has_entered_is_a_violation)
{
    for (uint64_t communicator = 0; communicator < 2; communicator++) {
        struct replay_case *c = mpi_case_new(3, REPLAY_COMM_MODEL);
        uint64_t b = (uint64_t)3 << 16 | PCOMP_COLLECTIVE_PREFIX;

        for (uint32_t rank = 0; rank < 3; rank++) {
            uint64_t begin = rank == 1 ? 180 : 100;
            case_event_long(c, rank, begin, PCOMP_EVENT_COLLECTIVE_ENTER, SMALL, communicator << 32, b);
            case_event_long(c, rank, begin + 50, PCOMP_EVENT_COLLECTIVE_EXIT, SMALL, communicator << 32, b);
        }
        cr_expect_eq(case_replay(c), REPLAY_DONE);
        cr_expect_eq(c->violation_count, 1);
        cr_expect_eq(c->violations[0].location[0], 2);
        cr_expect_eq(c->violations[0].location[1], 1);
        if (!communicator)
            cr_expect_geq(case_time(c, 2, 1), 180, "it follows rank 1 all the same");
        free(c);
    }
}

/* 1993 §3.2 for MPI_Barrier and others in which all wait for all: beta = (320 - 300) / 2. */
Test(replay_collectives, exit_orders_that_are_known)
{
    static const uint8_t kinds[] = {PCOMP_COLLECTIVE_BARRIER, PCOMP_COLLECTIVE_N_TO_N};
    /* arrival: 2, 0, 1 (the last one, at 140); as measured they left in the order of their ranks */
    static const uint64_t exits[][3] = {{160, 150, 170}, {150, 160, 170}, {150, 160, 170}};

    for (int i = 0; i < 2; i++) {
        for (int order = 0; order < 3; order++) {
            struct replay_case *c =
                three_ranks_in_order(kinds[i], REPLAY_COMM_MODEL, REPLAY_BARRIER_BETA + (enum replay_barrier)order);

            cr_expect_eq(case_time(c, 0, 2), exits[order][0]);
            cr_expect_eq(case_time(c, 1, 2), exits[order][1]);
            cr_expect_eq(case_time(c, 2, 21), exits[order][2]);
            free(c);
        }
    }
}

Test(replay_collectives, collective_without_a_rank_is_a_violation)
{
    struct replay_case *c = mpi_case_new(3, REPLAY_COMM_MODEL);

    for (uint32_t i = 0; i < 2; i++) {
        collective(c, i, 100, PCOMP_EVENT_COLLECTIVE_ENTER, PCOMP_COLLECTIVE_N_TO_N);
        collective(c, i, 200, PCOMP_EVENT_COLLECTIVE_EXIT, PCOMP_COLLECTIVE_N_TO_N);
    }
    cr_expect_eq(case_replay(c), REPLAY_DONE);
    cr_expect_eq(c->violation_count, 2);
    TIMES(c, 0, 100, 190);
    free(c);
}
