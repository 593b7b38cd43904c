/* Rules of barriers and threads on executions worked by hand. Alpha is 10. */
#include "tests/compensation/replay_case.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { F = 0x1000, OBJECT = 0x2000 };

/* --- barriers ------------------------------------------------------------------------------------------------------
 */

/* Four threads that do 150, 100, 120 and 90 ticks of work with 0, 4, 1 and 9 events in it, and leave a barrier 3, 3, 4
 * and 5 ticks after the last of them has come. */
static struct replay_case *four_threads(void)
{
    static const uint64_t work[] = {150, 100, 120, 90}, offset[] = {3, 3, 4, 5};
    static const uint64_t events[] = {0, 4, 1, 9};
    struct replay_case *c = case_new(4, 10);
    uint64_t last = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t t = 0;
        case_event(c, i, 0, PCOMP_EVENT_ENTER, F);
        for (uint64_t n = 1; n <= events[i]; n++)
            case_event(c, i, t = n * 10 + n * work[i] / (events[i] + 1), PCOMP_EVENT_UNWIND, 1);
        t = 10 + 10 * events[i] + work[i];
        case_event_long(c, i, t, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 4, 0);
        last = t > last ? t : last;
    }
    for (uint32_t i = 0; i < 4; i++)
        case_event(c, i, last + 10 + offset[i], PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    return c;
}

/* 1991 §4.2.2: the last to enter as measured is thread 3 (190), in truth thread 0. */
Test(replay_barrier, exits_come_as_long_after_the_last_enter_as_they_did)
{
    struct replay_case *c = four_threads();
    case_replay(c);
    TIMES(c, 0, 0, 150, 153);
    cr_expect_eq(case_time(c, 1, 5), 100);
    cr_expect_eq(case_time(c, 1, 6), 153);
    cr_expect_eq(case_time(c, 2, 2), 120);
    cr_expect_eq(case_time(c, 2, 3), 154);
    cr_expect_eq(case_time(c, 3, 10), 90);
    cr_expect_eq(case_time(c, 3, 11), 155);
    cr_expect_eq(c->result.approximated, FIXED(155));
    cr_expect_eq(c->result.direct_perturbation, FIXED(20), "the path of the end leads through thread 0");
    cr_assert_eq(c->wait_count, 4); /* by measured time: 0, 1, 2, 3 */
    case_expect_wait(c, 0, (struct replay_wait){0, REPLAY_WAIT_BARRIER, 2, 3, 10, FIXED(30), 0});
    case_expect_wait(c, 3, (struct replay_wait){3, REPLAY_WAIT_BARRIER, 11, 3, 10, 0, FIXED(60)});
    cr_expect_eq(c->result.waiting_approximated[REPLAY_WAIT_BARRIER], FIXED(60 + 30 + 50));
    free(c);
}

/* What the uncertainty of a total rests on (alpha_uncertainty). */
Test(replay_barrier, an_alpha_that_is_off_moves_the_end_by_its_share_of_the_direct_perturbation)
{
    struct replay_case *c = four_threads(), *off = four_threads();
    for (int kind = 0; kind < PCOMP_EVENT_KINDS; kind++)
        off->alpha[kind] = c->alpha[kind] * 11 / 10;
    case_replay(c);
    case_replay(off);
    cr_expect_eq(c->result.approximated - off->result.approximated, c->result.direct_perturbation / 10);
    free(c);
    free(off);
}

/* 1993 §3.2: exits in the reverse order of arrival, beta apart; beta = (205 - 203) / 3. */
Test(replay_barrier, with_known_exit_order_exits_are_beta_apart)
{
    struct replay_case *c = four_threads();
    c->options.barrier = REPLAY_BARRIER_BETA;
    case_replay(c);
    /* arrival: 3 (90), 1 (100), 2 (120), 0 (150) */
    cr_expect_eq(case_time(c, 0, 2), 151);  /* 150 + 2/3 */
    cr_expect_eq(case_time(c, 2, 3), 151);  /* 150 + 4/3 */
    cr_expect_eq(case_time(c, 1, 6), 152);  /* 150 + 6/3 */
    cr_expect_eq(case_time(c, 3, 11), 153); /* 150 + 8/3 */
    cr_expect_eq(c->results[3].last_approximated, FIXED(150) + FIXED(8) / 3, "no tick is lost on the way");
    free(c);
}

/* In that of their numbers here, whatever the order of arrival. */
Test(replay_barrier, with_a_sequential_order_exits_are_in_that_of_the_measured_ones)
{
    struct replay_case *c = four_threads();
    c->options.barrier = REPLAY_BARRIER_SEQUENTIAL;
    case_replay(c);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(c->results[i].last_approximated, FIXED(150) + FIXED(2 * (i + 1)) / 3);
    free(c);
}

/* In rounds: one, one, two; so beta is (205 - 203) / 2. */
Test(replay_barrier, with_a_logarithmic_order_exits_are_in_rounds)
{
    static const int rounds[] = {1, 2, 3, 3};
    struct replay_case *c = four_threads();
    c->options.barrier = REPLAY_BARRIER_LOGARITHMIC;
    case_replay(c);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(c->results[i].last_approximated, FIXED(150 + rounds[i]));
    free(c);
}

Test(replay_barrier, a_fast_thread_may_enter_again_before_the_slow_one_has_left)
{
    struct replay_case *c = case_new(2, 10);
    case_event_long(c, 0, 100, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 2, 0);
    case_event_long(c, 1, 200, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 2, 0);
    case_event(c, 0, 211, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    case_event_long(c, 0, 231, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 2, 0);
    case_event(c, 1, 260, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    case_event_long(c, 1, 280, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 2, 0);
    case_event(c, 1, 291, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    case_event(c, 0, 292, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    case_replay(c);
    TIMES(c, 0, 100, 201, 211, 262);
    TIMES(c, 1, 200, 250, 260, 261);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

Test(replay_barrier, of_unknown_size_takes_all_that_enter_before_the_first_exit)
{
    struct replay_case *c = case_new(3, 10);
    for (uint32_t i = 0; i < 3; i++) {
        case_event_long(c, i, 100 + i * 10, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 0, 0);
        case_event(c, i, 135 + i, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
        case_event_long(c, i, 200, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 0, 0);
        case_event(c, i, 215, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    }
    case_replay(c);
    TIMES(c, 0, 100, 125, 180, 185);
    TIMES(c, 2, 120, 127, 180, 185);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

Test(replay_barrier, a_participant_that_never_comes_is_a_violation_and_no_end)
{
    struct replay_case *c = case_new(2, 10);
    case_event_long(c, 0, 100, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 2, 0);
    case_event(c, 0, 200, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    case_event(c, 0, 300, PCOMP_EVENT_ENTER, F);
    case_event(c, 1, 500, PCOMP_EVENT_ENTER, F);
    case_replay(c);
    TIMES(c, 0, 100, 190, 280);
    cr_assert_eq(c->violation_count, 1);
    cr_expect_eq(c->violations[0].location[0], 0);
    cr_expect_eq(c->violations[0].event[0], 1);
    cr_expect_eq(c->violations[0].measured[0], 200);
    cr_expect_eq(c->violations[0].location[1], UINT32_MAX);
    c->stop = true;
    cr_expect_eq(case_replay(c), REPLAY_STOPPED);
    free(c);
}

Test(replay_barrier, older_than_the_recording_takes_those_whose_enters_are_recorded)
{
    struct replay_case *c = case_new(2, 10);
    case_event_long(c, 0, 100, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 3, 1);
    case_event_long(c, 1, 150, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 3, 1);
    case_event(c, 0, 200, PCOMP_EVENT_BARRIER_EXIT, OBJECT); /* 150 + 200 - 150 - 10 */
    case_event(c, 1, 210, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    case_replay(c);
    TIMES(c, 0, 100, 190);
    TIMES(c, 1, 150, 200);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

Test(replay_barrier, an_exit_without_enter_is_refused_unless_records_were_lost)
{
    struct replay_case *c = case_new(1, 10);
    case_event(c, 0, 100, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 200, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    cr_expect_eq(case_replay(c), REPLAY_BAD_INPUT);
    cr_expect_eq(c->result.error_event, 1);
    free(c);
    c = case_new(1, 10);
    case_event(c, 0, 100, PCOMP_EVENT_LOST, 5);
    case_event(c, 0, 200, PCOMP_EVENT_BARRIER_EXIT, OBJECT);
    case_replay(c);
    TIMES(c, 0, 100, 190);
    free(c);
}

/* --- threads -------------------------------------------------------------------------------------------------------
 */

/* In truth: created at 100, starts 5 later, runs 100, joined from 180 on, so until 205 + 2. */
static struct replay_case *fork_and_join(void)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 110, PCOMP_EVENT_CREATE, 7);
    case_event(c, 0, 200, PCOMP_EVENT_JOIN_BEGIN, 7); /* 180 */
    case_event(c, 1, 125, PCOMP_EVENT_START, 7);      /* 105 */
    for (uint64_t i = 1; i <= 9; i++)
        case_event(c, 1, 125 + i * 20, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 1, 325, PCOMP_EVENT_END, 7);      /* 205 */
    case_event(c, 0, 337, PCOMP_EVENT_JOIN_END, 7); /* 207 */
    case_event(c, 0, 357, PCOMP_EVENT_EXIT, F);     /* 217 */
    return c;
}

/* 1991 §3.2.2, in both models. */
Test(replay_threads, fork_and_join)
{
    for (int model = REPLAY_TIME; model <= REPLAY_EVENT; model++) {
        struct replay_case *c = fork_and_join();
        c->options.model = (enum replay_model)model;
        case_replay(c);
        TIMES(c, 0, 0, 100, 180, 207, 217);
        TIMES(c, 1, 105, 115, 125, 135, 145, 155, 165, 175, 185, 195, 205);
        cr_expect_eq(c->results[1].first_approximated, FIXED(105));
        cr_assert_eq(c->wait_count, 1);
        case_expect_wait(c, 0, (struct replay_wait){0, REPLAY_WAIT_JOIN, 3, 1, 10, FIXED(335 - 210), FIXED(25)});
        cr_expect_eq(c->result.direct_perturbation, FIXED(20 + 110 + 10), "through the thread");
        free(c);
    }
}

/* Measured, the thread is the last; in truth it has ended before the join begins: no waiting, 180 + 2. */
Test(replay_threads, a_join_waits_no_more_when_only_the_measurement_made_it)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_CREATE, 7);
    case_event(c, 0, 190, PCOMP_EVENT_JOIN_BEGIN, 7); /* 180 */
    case_event(c, 1, 15, PCOMP_EVENT_START, 7);       /* 5 */
    for (uint64_t i = 1; i <= 20; i++)
        case_event(c, 1, 15 + i * 15, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 1, 335, PCOMP_EVENT_END, 7);      /* 115 */
    case_event(c, 0, 347, PCOMP_EVENT_JOIN_END, 7); /* 182 */
    case_replay(c);
    TIMES(c, 0, 0, 180, 182);
    cr_expect_eq(case_time(c, 1, 21), 115);
    free(c);
}

/* A pool thread takes part in two regions; in the second it comes late by its own work. */
Test(replay_threads, a_pool_thread_goes_on_when_the_region_and_it_are_ready)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_CREATE, 7);       /* 0 */
    case_event(c, 1, 13, PCOMP_EVENT_START, 7);       /* 3 */
    case_event(c, 1, 123, PCOMP_EVENT_END, 7);        /* 103 */
    case_event(c, 0, 110, PCOMP_EVENT_JOIN_BEGIN, 7); /* 100 */
    case_event(c, 0, 134, PCOMP_EVENT_JOIN_END, 7);   /* 104 */
    case_event(c, 0, 150, PCOMP_EVENT_CREATE, 8);     /* 110 */
    case_event(c, 1, 163, PCOMP_EVENT_START, 8);      /* 113 */
    case_event(c, 1, 200, PCOMP_EVENT_END, 8);        /* 140 */
    case_replay(c);
    TIMES(c, 0, 0, 100, 104, 110);
    TIMES(c, 1, 3, 103, 113, 140);
    free(c);
}

Test(replay_threads, a_join_of_a_region_waits_for_all_its_threads)
{
    struct replay_case *c = case_new(3, 10);
    case_event(c, 0, 0, PCOMP_EVENT_CREATE, 7);
    case_event(c, 0, 10, PCOMP_EVENT_JOIN_BEGIN, 7); /* 0 */
    for (uint32_t i = 1; i <= 2; i++) {
        case_event(c, i, 10, PCOMP_EVENT_START, 7);        /* 0 */
        case_event(c, i, 10 + i * 60, PCOMP_EVENT_END, 7); /* i * 60 - 10 */
    }
    case_event(c, 0, 141, PCOMP_EVENT_JOIN_END, 7); /* 111 */
    case_replay(c);
    TIMES(c, 0, 0, 0, 111);
    free(c);
}

/* As measured thread 2 is the last to end, in truth thread 1. */
Test(replay_threads, a_join_waits_for_the_last_end_in_either_execution)
{
    struct replay_case *c = case_new(3, 10);
    case_event(c, 0, 0, PCOMP_EVENT_CREATE, 7);
    case_event(c, 0, 10, PCOMP_EVENT_JOIN_BEGIN, 7);
    case_event(c, 1, 10, PCOMP_EVENT_START, 7);
    case_event(c, 1, 120, PCOMP_EVENT_END, 7); /* 100 */
    case_event(c, 2, 10, PCOMP_EVENT_START, 7);
    for (uint64_t i = 1; i <= 9; i++)
        case_event(c, 2, 10 + i * 15, PCOMP_EVENT_UNWIND, 1);
    case_event(c, 2, 160, PCOMP_EVENT_END, 7);      /* 50 */
    case_event(c, 0, 171, PCOMP_EVENT_JOIN_END, 7); /* 100 + 1 */
    case_replay(c);
    TIMES(c, 0, 0, 0, 101);
    free(c);
}

/* Clocks apart: the end of the join is measured before the end of the thread, which has begun. */
Test(replay_threads, a_join_waits_for_an_end_that_is_measured_late)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_CREATE, 7);
    case_event(c, 0, 20, PCOMP_EVENT_JOIN_BEGIN, 7);
    case_event(c, 0, 190, PCOMP_EVENT_JOIN_END, 7);
    case_event(c, 1, 20, PCOMP_EVENT_START, 7);
    case_event(c, 1, 200, PCOMP_EVENT_END, 7); /* 180 */
    case_replay(c);
    TIMES(c, 0, 0, 10, 180);
    cr_expect_eq(c->violation_count, 1);
    free(c);
}

/* What is written is held up by a time that stepped back; what follows it elsewhere is held up, too. */
Test(replay_barrier, what_is_written_of_an_exit_is_not_before_what_is_written_of_any_enter)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 110, PCOMP_EVENT_ENTER, F); /* 100 */
    for (uint64_t i = 1; i <= 4; i++)
        case_event(c, 0, 110 + i, PCOMP_EVENT_UNWIND, 1);
    case_event_long(c, 0, 115, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 2, 0); /* 55, written 100 */
    case_event(c, 0, 126, PCOMP_EVENT_BARRIER_EXIT, OBJECT);             /* 1 after the last */
    case_event_long(c, 1, 60, PCOMP_EVENT_BARRIER_ENTER, OBJECT, 2, 0);  /* 60 */
    case_event(c, 1, 126, PCOMP_EVENT_BARRIER_EXIT, OBJECT);             /* 61, written 100 */
    case_event(c, 1, 137, PCOMP_EVENT_EXIT, F);                          /* 62, written 100 */
    case_event(c, 1, 187, PCOMP_EVENT_EXIT, F);                          /* 102 */
    case_replay(c);
    cr_expect_eq(case_time(c, 0, 6), 100);
    TIMES(c, 1, 60, 100, 100, 102);
    free(c);
}

Test(replay_threads, a_start_without_a_create_is_a_violation)
{
    struct replay_case *c = case_new(1, 10);
    case_event(c, 0, 100, PCOMP_EVENT_START, 7);
    case_event(c, 0, 200, PCOMP_EVENT_END, 7);
    case_replay(c);
    TIMES(c, 0, 100, 190);
    cr_expect_eq(c->violation_count, 1);
    free(c);
}

Test(replay_threads, a_join_of_a_thread_that_left_nothing_lasts_as_long_as_it_did)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_CREATE, 7);
    case_event(c, 0, 20, PCOMP_EVENT_JOIN_BEGIN, 7);
    case_event(c, 0, 100, PCOMP_EVENT_JOIN_END, 7);
    case_replay(c);
    TIMES(c, 0, 0, 10, 80);
    cr_expect_eq(c->violation_count, 0);
    free(c);
}

/* All in one tick: nothing tells the order but what must follow what. */
Test(replay_threads, equal_times_are_no_obstacle)
{
    struct replay_case *c = case_new(2, 0);
    case_event(c, 0, 5, PCOMP_EVENT_CREATE, 7);
    case_event(c, 0, 5, PCOMP_EVENT_JOIN_BEGIN, 7);
    case_event(c, 0, 5, PCOMP_EVENT_JOIN_END, 7);
    case_event(c, 1, 5, PCOMP_EVENT_START, 7);
    case_event(c, 1, 5, PCOMP_EVENT_END, 7);
    case_replay(c);
    cr_expect_eq(c->violation_count, 0);
    cr_expect_eq(c->wait_count, 0);
    free(c);
}

/* Clocks apart: the start is measured before the creation. */
Test(replay_threads, an_effect_measured_before_its_cause_names_both_and_follows_it)
{
    struct replay_case *c = case_new(2, 10);
    case_event(c, 0, 0, PCOMP_EVENT_ENTER, F);
    case_event(c, 0, 100, PCOMP_EVENT_CREATE, 7);
    case_event(c, 1, 95, PCOMP_EVENT_START, 7);
    case_event(c, 1, 200, PCOMP_EVENT_END, 7);
    case_replay(c);
    TIMES(c, 0, 0, 90);
    TIMES(c, 1, 90, 185);
    cr_assert_eq(c->violation_count, 1);
    cr_expect_eq(c->violations[0].location[0], 1);
    cr_expect_eq(c->violations[0].event[0], 0);
    cr_expect_eq(c->violations[0].location[1], 0);
    cr_expect_eq(c->violations[0].event[1], 1);
    cr_expect_eq(c->violations[0].measured[1], 100);
    free(c);
}

Test(replay_blocks, of_any_size_give_the_same_result)
{
    case_expect_same_in_blocks(four_threads);
    case_expect_same_in_blocks(fork_and_join);
}
